// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/value.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL computed moved(const computed& x, const movement& m, const std::string& by,
                           const net::shape& cube) {
  computed y{x.node, m.shape, x.from, x.moved_by};
  if (!m.from) return y;
  element_map from(m.from->size());
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto source = (*m.from)[i];
    from[i] = source < 0 || !x.from ? source : (*x.from)[static_cast<std::size_t>(source)];
  }
  bool dense = from.size() == cube.size();
  for (std::size_t i = 0; dense && i < from.size(); ++i) dense = std::cmp_equal(from[i], i);
  y.from = dense ? nullptr : std::make_shared<const element_map>(std::move(from));
  y.moved_by = by;
  return y;
}

NVDLAC_IMPL net::shape cube_of(const dims& d) {
  const auto fail = [&](const char* why) -> error {
    return error(problem{.reason = text("a tensor of shape ", to_text(d), " ", why),
                         .remedy = "tensors are [1, channels, height, width] or [1, features]"});
  };
  if (d.size() == 3 && d[0] != 1) return net::checked_shape(d[0], d[1], d[2]);
  if (d.size() == 2 && d[0] != 1) return net::checked_shape(d[0], d[1], 1);
  if (d.size() > 1 && d[0] != 1) throw fail("holds more than one picture");
  if (d.empty()) return net::checked_shape(1, 1, 1);
  if (d.size() == 1) return net::checked_shape(d[0], 1, 1);
  if (d.size() > 4)
    return net::checked_shape(d[1], count(dims(d.begin() + 2, d.end() - 1)), d.back());
  return net::checked_shape(d[1], d.size() > 2 ? d[2] : 1, d.size() > 3 ? d[3] : 1);
}

NVDLAC_IMPL void require_cube(const dims& d) {
  if (d.size() > 4)
    throw error(problem{.reason = text("a tensor of shape ", to_text(d),
                                       " has more than 4 dimensions"),
                        .remedy = "tensors are [1, channels, height, width] or [1, features]"});
}

NVDLAC_IMPL std::int32_t as_int32(std::int64_t n, const char* what) {
  if (n < 0 || n > net::max_elements) throw error(text(what, " is ", n));
  return static_cast<std::int32_t>(n);
}

}  // namespace nvdlac::import::onnx_format
