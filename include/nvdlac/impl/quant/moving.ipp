// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/reshaping.hpp>
#include <nvdlac/quant/elementwise.hpp>
#include <nvdlac/quant/moving.hpp>
#include <nvdlac/quant/multipliers.hpp>
#include <nvdlac/quant/real_form.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL quantised::scale rescaling(double in_scale, double out_scale, double top,
                                       std::int32_t in_zero, std::int32_t out_zero) {
  auto result = quantise_scale(std::array{1.0}, {}, false, in_scale, out_scale, top, out_zero);
  if (in_zero != 0 || out_zero != 0)
    count_from(out_zero, in_zero * result.multiplier[0], result.out);
  return result;
}

NVDLAC_IMPL double filled_with(const net::move& op) {
  const bool is_used =
      std::any_of(op.boxes.begin(), op.boxes.end(),
                  [](const net::box& b) { return b.input == net::box::filled; });
  const double fill = std::fabs(double{op.fill});
  constexpr double infinite = 10'000;  // from there on: lowest of all before a maximum, or a mask
  return is_used && fill < infinite ? fill : 0;
}

NVDLAC_IMPL quantised::move quantise_move(const net::move& op, double scale, hw::precision p,
                                          std::int32_t zero) {
  const double fill = static_cast<double>(op.fill), top = top_of(p);
  const double number = std::clamp(fill / scale + zero, std::min<double>(-top, zero), top);
  return {.target = op.target, .boxes = op.boxes,
          .fill = p == hw::precision::fp16 ? half_bits(fill, "fill") : round16(number)};
}

NVDLAC_IMPL quantised::move reshaping(net::shape in, net::shape out) {
  return {.target = out, .boxes = net::boxes_of_reshape(in, out)};
}

}  // namespace nvdlac::quant
