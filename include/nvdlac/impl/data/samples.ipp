// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/array_layouts.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/data/preprocess.hpp>
#include <nvdlac/data/resize.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/net/file_tensor.hpp>

namespace nvdlac::data {

namespace detail {

NVDLAC_IMPL sample sample_of(std::string name, const picture& p, const net::shape& want,
                             const preprocessing& how, const std::string& file) {
  auto arranged = arrange(p, want, how.order, file);
  auto values = normalise(arranged, how);
  sample s{std::move(name), std::move(values), std::move(arranged.pixels)};
  if (p.turned) s.notes.emplace_back("turned upright, as the EXIF orientation says");
  if (p.channels < arranged.channels) s.notes.emplace_back("grey and taken as colour");
  if (p.channels > arranged.channels && how.order != net::channel_order::grey)
    s.notes.emplace_back("in colour and made grey");
  return s;
}

NVDLAC_IMPL std::string element_name(const std::filesystem::path& path, std::size_t i,
                                     std::size_t n) {
  const auto name = path.filename().string();
  return n == 1 ? name : text(name, '[', i, ']');
}

NVDLAC_IMPL file_samples open_pixels(const std::filesystem::path& path,
                                     const std::vector<std::size_t>& dims,
                                     std::shared_ptr<const std::uint8_t> values,
                                     const net::shape& want, const sample_options& options) {
  const auto how = divide(dims, want, options.layout, path.string(), options.form());
  return {how.count, [=, values = std::move(values)](std::size_t i) {
            const auto* from = values.get() + i * want.size();
            const auto one = how.as_in_file ? cube_of(*options.in_file, from, want.size())
                                            : std::vector(from, from + want.size());
            const picture p{unsigned_of(want.h), unsigned_of(want.w), unsigned_of(want.c),
                            how.interleaved ? one : to_hwc(one.data(), want)};
            return sample_of(element_name(path, i, how.count), p, want, options.how,
                             path.string());
          }};
}

NVDLAC_IMPL file_samples open_floats(const std::filesystem::path& path,
                                     const std::vector<std::size_t>& dims,
                                     std::shared_ptr<const float> values, const net::shape& want,
                                     const sample_options& options) {
  const auto how = divide(dims, want, options.layout, path.string(), options.form());
  return {how.count, [=, values = std::move(values)](std::size_t i) {
            const auto* from = values.get() + i * want.size();
            return sample{element_name(path, i, how.count),
                          how.as_in_file    ? cube_of(*options.in_file, from, want.size())
                          : how.interleaved ? to_chw(from, want)
                                            : std::vector(from, from + want.size()),
                          {}};
          }};
}

NVDLAC_IMPL file_samples open_npy(const std::filesystem::path& path, const file_bytes& bytes,
                                  const net::shape& want, const sample_options& options) {
  auto file = parse_npy(bytes, path.string());
  const auto dims = file.content.dims;
  if (!file.from_bytes)
    return open_floats(path, dims, shared_elements(std::move(file.content.values)), want, options);
  std::vector<std::uint8_t> pixels(file.content.values.size());
  std::transform(file.content.values.begin(), file.content.values.end(), pixels.begin(),
                 [](float x) { return static_cast<std::uint8_t>(x); });
  return open_pixels(path, dims, shared_elements(std::move(pixels)), want, options);
}

NVDLAC_IMPL bool is_collection(const picture& p, const net::shape& want) {
  return p.channels == 1 && p.width == want.size() && want.h > 1;
}

NVDLAC_IMPL file_samples open_pictures(const std::filesystem::path& path, const file_bytes& bytes,
                                       const net::shape& want, const sample_options& options) {
  auto p = parse_picture(bytes, path.string(), options.most_samples);
  if (options.how.size.given()) {
    const bool turned = p.turned;
    p = resized(p, want, options.how.size, path.string(), options.most_samples);
    p.turned = turned;
  } else if (is_collection(p, want))
    return {p.height, [=, p = std::move(p)](std::size_t i) {
              const auto* row = p.pixels.data() + i * p.width;
              const picture one{unsigned_of(want.h), unsigned_of(want.w), unsigned_of(want.c),
                                std::vector(row, row + p.width)};
              return sample_of(element_name(path, i, p.height), one, want, options.how,
                               path.string());
            }};
  return {1, [=, p = std::move(p)](std::size_t) {
            return sample_of(path.filename().string(), p, want, options.how, path.string());
          }};
}

NVDLAC_IMPL void check_finite(std::span<const float> values, const std::string& file) {
  for (const float x : values)
    if (!std::isfinite(x)) refuse(file, text("holds the value ", x), "finite floats");
}

// Whether a tensor of the file is the cube as it stands: [1, c, h, w], without ones at its end.
NVDLAC_IMPL bool is_cube(const net::file_tensor& t, const net::shape& cube) {
  auto own = t.of_one_picture();
  own.resize(std::max(own.size(), std::size_t{3}), 1);
  return t.walk.empty() && own == std::vector<std::int32_t>{cube.c, cube.h, cube.w};
}

NVDLAC_IMPL file_samples open_raw(const std::filesystem::path& path, file_bytes bytes,
                                  const net::shape& want, const sample_options& options) {
  const auto c = unsigned_of(want.c), h = unsigned_of(want.h), w = unsigned_of(want.w);
  if (bytes.size() == want.size() && options.in_file && !is_cube(*options.in_file, want))
    return open_pixels(path, {want.size()}, shared_elements(std::move(bytes)), want,
                       {options.how, array_layout::automatic, options.in_file});
  if (bytes.size() == want.size())
    return open_pixels(path, {h, w, c}, shared_elements(std::move(bytes)), want,
                       {options.how, array_layout::hwc, {}});
  if (bytes.size() != 4 * want.size())
    refuse(path.string(), text("has ", bytes.size(), " bytes"),
           text(want.size(), " for pixels or ", 4 * want.size(), " for floats"));
  static_assert(std::endian::native == std::endian::little);
  std::vector<float> values(want.size());
  std::memcpy(values.data(), bytes.data(), bytes.size());
  check_finite(values, path.string());
  return open_floats(path, {want.size()}, shared_elements(std::move(values)), want,
                     {options.how, array_layout::automatic, options.in_file});
}

NVDLAC_IMPL std::string kind_of(const std::filesystem::path& path) {
  auto kind = path.extension().string();
  for (char& c : kind)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return kind;
}

NVDLAC_IMPL file_samples open_bytes(const std::filesystem::path& path, file_bytes bytes,
                                    const net::shape& want, const sample_options& options) {
  const auto kind = kind_of(path);
  if (kind == ".raw" || kind == ".bin") return open_raw(path, std::move(bytes), want, options);
  if (is_npy(bytes)) return open_npy(path, bytes, want, options);
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0)
    return open_pictures(path, bytes, want, options);
  auto file = parse_idx(bytes, path.string());
  return open_pixels(path, file.dims, shared_elements(std::move(file.values)), want, options);
}

NVDLAC_IMPL file_samples open_file(const std::filesystem::path& path, const net::shape& want,
                                   const sample_options& options) {
  return open_bytes(path, read_file(path), want, options);
}

NVDLAC_IMPL file_samples open_array(const shared_array& a, const net::shape& want,
                                    const sample_options& options) {
  if (const auto* const pixels = std::get_if<1>(&a.values))
    return open_pixels(a.name, a.dims, *pixels, want, options);
  auto floats = open_floats(a.name, a.dims, std::get<0>(a.values), want, options);
  return {floats.count, [at = std::move(floats.at)](std::size_t i) {
            auto s = at(i);
            check_finite(s.values, s.name);
            return s;
          }};
}

NVDLAC_IMPL file_problems::file_problems(const diagnostics& first) {
  for (const auto& p : first.problems()) add(p);
}

NVDLAC_IMPL void file_problems::add(const problem& p) {
  std::string words;
  for (const char c : p.reason + '\n' + p.remedy)
    if (c < '0' || c > '9') words += c;
    else if (words.empty() || words.back() != '#') words += '#';
  const auto known = std::ranges::find(all_, words, &kind::words);
  if (known != all_.end()) ++known->more;
  else all_.push_back({p, std::move(words)});
}

NVDLAC_IMPL void file_problems::check() const {
  diagnostics found;
  for (auto k : all_) {
    if (k.more != 0)
      k.first.reason += text(" (so it is with ", count_of(k.more, "more file"), ')');
    found.add(std::move(k.first));
  }
  found.check();
}

NVDLAC_IMPL bool is_hidden(const std::filesystem::path& path) {
  return path.filename().string().starts_with('.');
}

// The inputs among the entries of a directory, or the directories among them that are not hidden,
// sorted by name.
NVDLAC_IMPL std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory,
                                                          bool directories) {
  static const std::vector<std::string> kinds{".png", ".jpg", ".jpeg", ".bmp", ".webp", ".pgm",
                                              ".ppm", ".npy", ".idx",  ".raw", ".bin"};
  std::vector<std::filesystem::path> found;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(directory, failed))
    if (directories ? entry.is_directory(failed) && !is_hidden(entry.path())
                    : std::ranges::find(kinds, kind_of(entry.path())) != kinds.end())
      found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// The inputs in directories that stand beside inputs: of those that are taken, no class is told.
NVDLAC_IMPL std::size_t passed_over_in(const std::filesystem::path& directory) {
  if (entries_of(directory, false).empty()) return 0;
  std::size_t n = 0;
  for (const auto& below : entries_of(directory, true)) n += entries_of(below, false).size();
  return n;
}

// The notes on inputs of a directory that are not taken, and on classes that have none.
NVDLAC_IMPL std::vector<problem> notes_on(const std::filesystem::path& directory) {
  const auto file = directory.string();
  if (const auto n = passed_over_in(directory); n != 0)
    return {{.file = file,
             .reason = text(count_of(n, "input"), " in folders below ", n == 1 ? "is" : "are",
                            " not taken, as it holds inputs itself"),
             .remedy = "name the folders, or leave nothing but them in it"}};
  if (!entries_of(directory, false).empty()) return {};
  const auto classes = entries_of(directory, true);
  const auto is_empty = [](const auto& of_class) { return entries_of(of_class, false).empty(); };
  const auto n = static_cast<std::size_t>(std::ranges::count_if(classes, is_empty));
  if (n == 0) return {};
  const auto first = std::ranges::find_if(classes, is_empty);
  const auto name = text('\'', first->filename().string(), "', class ", first - classes.begin());
  return {{.file = file,
           .reason = n == 1 ? text("the folder ", name, ", has no inputs")
                            : text(n, " folders of classes have no inputs (", name,
                                   ", is the first)")}};
}

}  // namespace detail

NVDLAC_IMPL std::vector<input_file> inputs_in(const std::filesystem::path& directory) {
  std::vector<input_file> found;
  for (auto& path : detail::entries_of(directory, false))
    found.push_back({std::move(path), {}, {}});
  if (!found.empty()) return found;
  std::size_t label = 0;
  for (const auto& of_class : detail::entries_of(directory, true)) {
    for (auto& path : detail::entries_of(of_class, false))
      found.push_back({std::move(path), label, {}});
    ++label;
  }
  if (found.empty())
    refuse(directory.string(), "no input is found in this directory",
           "PNG, JPEG, BMP, WebP, PGM, PPM, npy, idx, raw or bin files, or a directory of them for "
           "each class");
  return found;
}

NVDLAC_IMPL sample_files::sample_files(const net::shape& want, const sample_options& options)
    : want_(want), options_(options) {
  diagnostics found;
  check(options.how, detail::unsigned_of(want.c), found);
  found.check();
}

NVDLAC_IMPL sample_files::sample_files(const shared_array& array, const net::shape& want,
                                       const sample_options& options)
    : sample_files(want, options) {
  files_.push_back({array.name, {}, array});
}

NVDLAC_IMPL sample_files::sample_files(const std::vector<std::filesystem::path>& paths,
                                       const net::shape& want, const sample_options& options)
    : sample_files(want, options) {
  for (const auto& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) {
      files_.push_back({path, {}, {}});
    } else {
      try {
        for (auto& file : inputs_in(path)) files_.push_back(std::move(file));
        for (auto& note : detail::notes_on(path)) passed_over_.push_back(std::move(note));
      } catch (const error& e) {
        for (const auto& p : e.problems()) absent_.add(p);
      }
    }
  }
}

NVDLAC_IMPL std::optional<sample> sample_files::reader::next() {
  while (at_ == open_.count) {
    if (file_ == files_->files_.size()) return std::nullopt;
    at_ = open_.count = 0;
    open_.at = {};  // before the next one is read
    const auto& file = files_->files_[file_++];
    open_ = file.array ? detail::open_array(*file.array, files_->want_, files_->options_)
                       : detail::open_file(file.path, files_->want_, files_->options_);
  }
  auto s = open_.at(at_++);
  s.label = files_->files_[file_ - 1].label;
  return s;
}

NVDLAC_IMPL std::vector<sample> read_samples(const std::vector<std::filesystem::path>& paths,
                                             const net::shape& want,
                                             const sample_options& options) {
  std::vector<sample> result;
  sample_files(paths, want, options).each([&](sample&& s) { result.push_back(std::move(s)); });
  return result;
}

}  // namespace nvdlac::data
