// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL void constant::check(std::span<const shape>, diagnostics& found,
                                 const std::string& layer) const {
  check_values(value.values, product({value.shape.c, value.shape.h, value.shape.w}), "value",
               found, layer);
}

NVDLAC_IMPL float_tensor constant::evaluate(std::span<const float_tensor* const>) const {
  const shape s = checked_shape(value.shape);
  require_values(value.values, product({s.c, s.h, s.w}), "constant");
  return value;
}

NVDLAC_IMPL std::string resize_text(const picture_size& s) {
  return std::string(to_string(s.resize)) + (s.side == 0 ? "" : ":" + std::to_string(s.side));
}

NVDLAC_IMPL std::string describe(const preprocessing& p) {
  std::string s = "mean";
  for (const double v : p.mean) s += text(' ', v);
  s += ", scale";
  for (const double v : p.scale) s += text(' ', v);
  s += text(", order ", to_string(p.order));
  if (p.size.resize != resizing::none) s += ", resize " + resize_text(p.size);
  if (p.size.crop != 0) s += text(", crop ", p.size.crop);
  return s;
}

}  // namespace nvdlac::net
