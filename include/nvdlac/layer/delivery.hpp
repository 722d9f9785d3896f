// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/hw/delivery.hpp>
#include <nvdlac/layer/convolution.hpp>

namespace nvdlac::layer {

// Atoms that CACC delivers for the convolution.
constexpr std::uint64_t delivered_atoms(const convolution& c, const hw::spec& s) {
  const auto of = [](std::int32_t n) { return static_cast<std::uint64_t>(n); };
  return hw::delivered_atoms(s, c.precision, of(c.output.h) * of(c.output.w), of(c.output.c)) *
         of(c.input.pictures);
}

// Whether it has to wait until the results of the convolution before it have left CACC.
constexpr bool confuses_delivery(const convolution& c, const hw::spec& s) {
  const auto of = [](std::int32_t n) { return static_cast<std::uint64_t>(n); };
  return hw::confuses_delivery(s, delivered_atoms(c, s),
                               hw::mac_cycles(s, c.precision, of(c.output.h) * of(c.output.w),
                                              of(c.output.c), c.mac_steps(s.mac_atomic_c)));
}

}  // namespace nvdlac::layer
