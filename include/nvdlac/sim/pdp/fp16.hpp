// SPDX-License-Identifier: Apache-2.0
#pragma once
// PDP in fp16: sums in fp17, in the order of the hardware.
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/sim/pdp/layer.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The contents of one layer's status registers.
struct pdp_statistics {
  std::uint64_t nan_inputs = 0, infinite_inputs = 0, nan_outputs = 0;
};

// One line of a window, left to right: `columns` elements, `step` apart.
constexpr fp17 pdp_line_sum(const std::uint16_t* x, std::size_t columns, std::size_t step,
                            fp17 pad) {
  auto sum = convert<fp17>(fp16{*x});
  for (std::size_t i = 1; i < columns; ++i) sum = add(sum, convert<fp17>(fp16{x[i * step]}));
  return add(sum, pad);
}

constexpr fp16 pdp_average(fp17 sum, fp17 reciprocal_width, fp17 reciprocal_height) {
  return convert<fp16>(mul(mul(sum, reciprocal_width), reciprocal_height));
}

class pdp_floats {
 public:
  pdp_statistics statistics{};

  // The bits of fp16. in: width * height * lanes elements, NaNs among them become 0 if the layer
  // is set so; out: out_width * out_height * lanes.
  void surface(const pdp_layer& l, std::size_t lanes, std::span<std::uint16_t> in,
               std::span<std::uint16_t> out);

 private:
  static fp17 bits(std::int32_t raw) { return {static_cast<std::uint32_t>(raw) & 0x1ffff}; }

  // Inputs from memory are counted as often as they are read, and NaNs flushed.
  void enter(const pdp_layer& l, std::size_t lanes, std::span<std::uint16_t> in);

  // How many parts of a split line read the column x.
  static std::uint64_t reads(const pdp_layer& l, std::size_t x);

  static fp16 average(const pdp_layer& l, const std::uint16_t* first, const pdp_window& rows,
                      const pdp_window& columns, std::size_t lanes);

  static fp16 extremum(const pdp_layer& l, const std::uint16_t* first, const pdp_window& rows,
                       const pdp_window& columns, std::size_t lanes);
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/pdp/fp16.ipp>
#endif
