// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/idx.hpp>
#include <nvdlac/data/layout.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/data/preprocess.hpp>

namespace nvdlac::data {

// One input of the network.
struct sample {
  std::string name = {};           // "3_a.pgm", or "digits.idx[17]" out of many
  std::vector<float> values = {};  // channel by channel, preprocessed
  // Of a picture: what was preprocessed, [height][width][channel of the network].
  std::vector<std::uint8_t> pixels = {};
};

// How files become samples. Bytes are pixels and are preprocessed; floats are taken as they are.
struct sample_options {
  preprocessing how = {};
  array_layout layout = array_layout::automatic;
};

namespace detail {

inline std::size_t unsigned_of(std::int32_t n) { return static_cast<std::size_t>(n); }

inline void add_picture(std::vector<sample>& to, std::string name, const picture& p,
                        const net::shape& want, const preprocessing& how,
                        const std::string& file) {
  auto arranged = arrange(p, want, how.order, file);
  auto values = normalise(arranged, how);
  to.push_back({std::move(name), std::move(values), std::move(arranged.pixels)});
}

inline std::string element_name(const std::filesystem::path& path, std::size_t i, std::size_t n) {
  const auto name = path.filename().string();
  return n == 1 ? name : text(name, '[', i, ']');
}

// An array of bytes: each input is a picture.
inline void add_pixels(std::vector<sample>& to, const std::filesystem::path& path,
                       const std::vector<std::size_t>& dims,
                       const std::vector<std::uint8_t>& values, const net::shape& want,
                       const sample_options& options) {
  const auto [count, interleaved] = divide(dims, want, options.layout, path.string());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = values.data() + i * want.size();
    const picture p{unsigned_of(want.h), unsigned_of(want.w), unsigned_of(want.c),
                    interleaved ? std::vector(from, from + want.size()) : to_hwc(from, want)};
    add_picture(to, element_name(path, i, count), p, want, options.how, path.string());
  }
}

inline void add_floats(std::vector<sample>& to, const std::filesystem::path& path, const array& a,
                       const net::shape& want, array_layout layout) {
  const auto [count, interleaved] = divide(a.dims, want, layout, path.string());
  for (std::size_t i = 0; i < count; ++i) {
    const auto* from = a.values.data() + i * want.size();
    to.push_back({element_name(path, i, count),
                  interleaved ? to_chw(from, want) : std::vector(from, from + want.size()), {}});
  }
}

inline void add_npy(std::vector<sample>& to, const std::filesystem::path& path,
                    const file_bytes& bytes, const net::shape& want,
                    const sample_options& options) {
  const auto file = parse_npy(bytes, path.string());
  if (!file.from_bytes) return add_floats(to, path, file.content, want, options.layout);
  std::vector<std::uint8_t> pixels(file.content.values.size());
  std::transform(file.content.values.begin(), file.content.values.end(), pixels.begin(),
                 [](float x) { return static_cast<std::uint8_t>(x); });
  add_pixels(to, path, file.content.dims, pixels, want, options);
}

// A grey picture of one row per input, each row a picture of interleaved pixels, is how whole
// collections of small pictures are kept in one PNG.
inline bool is_collection(const picture& p, const net::shape& want) {
  return p.channels == 1 && p.width == want.size() && want.h > 1;
}

inline void add_pictures(std::vector<sample>& to, const std::filesystem::path& path,
                        const file_bytes& bytes, const net::shape& want,
                        const sample_options& options) {
  const auto p = parse_picture(bytes, path.string());
  if (!is_collection(p, want))
    return add_picture(to, path.filename().string(), p, want, options.how, path.string());
  for (std::size_t i = 0; i < p.height; ++i) {
    const auto* row = p.pixels.data() + i * p.width;
    const picture one{unsigned_of(want.h), unsigned_of(want.w), unsigned_of(want.c),
                      std::vector(row, row + p.width)};
    add_picture(to, element_name(path, i, p.height), one, want, options.how, path.string());
  }
}

// Values without a header: as many bytes as the network takes values (pixels, interleaved), or
// four times as many (little-endian floats, channel by channel).
inline void add_raw(std::vector<sample>& to, const std::filesystem::path& path,
                    const file_bytes& bytes, const net::shape& want,
                    const sample_options& options) {
  const auto c = unsigned_of(want.c), h = unsigned_of(want.h), w = unsigned_of(want.w);
  if (bytes.size() == want.size()) return add_pixels(to, path, {h, w, c}, bytes, want,
                                                     {options.how, array_layout::hwc});
  if (bytes.size() != 4 * want.size())
    refuse(path.string(), text("has ", bytes.size(), " bytes"),
           text(want.size(), " for pixels or ", 4 * want.size(), " for floats"));
  static_assert(std::endian::native == std::endian::little);
  array a{{c, h, w}, std::vector<float>(want.size())};
  std::memcpy(a.values.data(), bytes.data(), bytes.size());
  for (const float x : a.values)
    if (!std::isfinite(x)) refuse(path.string(), text("holds the value ", x), "finite floats");
  add_floats(to, path, a, want, array_layout::chw);
}

inline void add_file(std::vector<sample>& to, const std::filesystem::path& path,
                     const net::shape& want, const sample_options& options) {
  const auto bytes = read_file(path);
  const auto kind = path.extension();
  if (kind == ".raw" || kind == ".bin") return add_raw(to, path, bytes, want, options);
  if (is_npy(bytes)) return add_npy(to, path, bytes, want, options);
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return add_pictures(to, path, bytes, want, options);
  const auto file = parse_idx(bytes, path.string());
  add_pixels(to, path, file.dims, file.values, want, options);
}

}  // namespace detail

// The files of a directory whose name says that they hold inputs, sorted by name.
inline std::vector<std::filesystem::path> inputs_in(const std::filesystem::path& directory) {
  static const std::vector<std::string> kinds{".png", ".jpg", ".jpeg", ".bmp", ".pgm",
                                              ".ppm", ".npy", ".idx",  ".raw", ".bin"};
  std::vector<std::filesystem::path> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed))
    if (std::find(kinds.begin(), kinds.end(), entry.path().extension()) != kinds.end())
      found.push_back(entry.path());
  if (found.empty())
    refuse(directory.string(), "no input is found in this directory",
           "PNG, JPEG, BMP, PGM, PPM, npy, idx, raw or bin files");
  std::sort(found.begin(), found.end());
  return found;
}

// All inputs in these files and directories, in the order given; a directory's files by name.
// Throws nvdlac::error with what is wrong with each file (the first 20).
inline std::vector<sample> read_samples(const std::vector<std::filesystem::path>& paths,
                                        const net::shape& want,
                                        const sample_options& options = {}) {
  diagnostics found;
  check(options.how, detail::unsigned_of(want.c), found);
  found.check();
  std::vector<sample> result;
  const auto add = [&](const std::filesystem::path& path) {
    try {
      detail::add_file(result, path, want, options);
    } catch (const error& e) {
      for (const auto& p : e.problems()) found.add(p);
      if (found.problems().size() >= 20) found.check();
    }
  };
  for (const auto& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      add(path);
    } else {
      for (const auto& file : inputs_in(path)) add(file);
    }
  }
  found.check();
  return result;
}

}  // namespace nvdlac::data
