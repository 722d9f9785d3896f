// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/array_layouts.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::data {

NVDLAC_IMPL division divide(const std::vector<std::size_t>& dims, const net::shape& want,
                            array_layout layout, const std::string& file,
                            const net::file_tensor* in_file) {
  using list = std::vector<std::size_t>;
  const auto fits = [&](const list& form) {
    if (dims == form) return true;
    return dims.size() == form.size() + 1 && list(dims.begin() + 1, dims.end()) == form;
  };
  const auto c = static_cast<std::size_t>(want.c), h = static_cast<std::size_t>(want.h),
             w = static_cast<std::size_t>(want.w);
  std::size_t n = 1;  // the product is that of a file that was read, so it does not overflow
  for (const auto d : dims) n *= d;
  n /= want.size();
  std::optional<list> declared;  // by the network's file
  if (in_file != nullptr && layout == array_layout::automatic) {
    const auto shape = in_file->of_one_picture();
    declared.emplace(shape.begin(), shape.end());
    if (fits(*declared) || fits({c * h * w})) return {n, false, true};
    if (declared->empty()) declared->push_back(1);
  }
  const bool planar = fits({c, h, w}) || fits({c * h * w}) || (c == 1 && fits({h, w}));
  const bool interleaved = fits({h, w, c});
  const bool both = planar && interleaved && c != 1;  // with one channel they are the same
  if (both && layout == array_layout::automatic)
    refuse(file, "can be read in the order c, h, w and in the order h, w, c", "name the layout");
  const bool as_hwc = layout == array_layout::hwc || (layout != array_layout::chw && !planar);
  if (!(as_hwc ? interleaved || (planar && dims.size() <= 2) : planar))
    refuse(file, text("has dimensions ", to_string(dims), ", the network takes ",
                      declared ? to_string(*declared) : text(want)));
  return {n, as_hwc && c != 1};
}

}  // namespace nvdlac::data
