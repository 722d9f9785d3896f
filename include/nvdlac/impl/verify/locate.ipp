// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/verify/locate.hpp>
#include <nvdlac/verify/location.hpp>
#include <nvdlac/verify/run_tensors.hpp>

namespace nvdlac::verification {

namespace detail {

NVDLAC_IMPL void compare_pixels(const run_tensor& t, const std::vector<std::uint8_t>& found,
                                disagreement& d) {
  d.of = t.bytes.size();
  for (std::size_t i = t.bytes.size(); i-- > 0;)
    if (t.bytes[i] != found[i]) {
      ++d.count;
      d.element = i;
      d.expected = text(+t.bytes[i]);
      d.found = text(+found[i]);
    }
}

NVDLAC_IMPL void compare_cubes(const run_tensor& t, const std::vector<std::uint8_t>& found,
                               bytes atom, disagreement& d) {
  const auto is = numbers_of(t, found, atom);
  nvdlac::visit([&]<class Tensor>(const Tensor& expected) {
    const auto& values = std::get<Tensor>(is).values;
    const auto show = [](const auto& v) {
      if constexpr (std::is_same_v<Tensor, net::fp16_tensor>)
        return text(quantised::value_of(v), " (0x", std::hex, v.bits, ')');
      else return text(+v);
    };
    d.of = values.size();
    for (std::size_t i = values.size(); i-- > 0;) {
      if (std::memcmp(&values[i], &expected.values[i], sizeof values[i]) == 0) continue;
      ++d.count;
      d.element = i;
      d.expected = show(expected.values[i]);
      d.found = show(values[i]);
    }
  }, numbers_of(t, t.bytes, atom));
}

}  // namespace detail

NVDLAC_IMPL location locate(const std::vector<run_tensor>& run, bytes atom,
                            const device_memory& on_device) {
  location l{.tensors = run.size()};
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto& t = run[i];
    auto found = on_device(t);
    if (!found) {
      ++l.without;
      continue;
    }
    ++l.compared;
    found->resize(t.bytes.size());
    disagreement d{.layer = t.layer, .file = t.file + ".bin", .input = t.input,
                   .picture = t.picture, .shape = t.surface.shape,
                   .precision = t.surface.precision, .number = i + 1};
    if (t.picture) detail::compare_pixels(t, *found, d);
    else detail::compare_cubes(t, *found, atom, d);
    if (d.count == 0) continue;
    l.first = std::move(d);
    break;
  }
  return l;
}

NVDLAC_IMPL void check_directory(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw error(problem{.file = directory.string(), .reason = "is no directory"});
}

NVDLAC_IMPL location locate(const std::vector<run_tensor>& run, bytes atom,
                            const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  check_directory(directory);
  const auto l = locate(run, atom, [&](const run_tensor& t) {
    std::optional<std::vector<std::uint8_t>> found;
    const auto path = directory / (t.file + ".bin");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return found;
    const auto bytes = data::read_file(path);
    if (bytes.size() < t.bytes.size())
      throw error(problem{.file = path.string(),
                          .reason = text("has ", bytes.size(), " bytes, not the ", t.bytes.size(),
                                         " of '", t.layer, "'")});
    found.emplace(bytes.begin(), bytes.end());
    return found;
  });
  if (l.compared == 0)
    throw error(problem{.file = directory.string(),
                        .reason = "holds no dump of this program's tensors",
                        .remedy = text("their names are those of `nvdlac run --save-tensors`, such "
                                       "as ", run.back().file, ".bin")});
  return l;
}

}  // namespace nvdlac::verification
