// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/packed_kernels.hpp>

namespace nvdlac::sim {

template <class Element>
void packed_kernels::pack(const kernel_geometry& g, std::span<const std::uint8_t> from,
                          std::size_t first) {
  const packing<Element> p{g, reinterpret_cast<const std::int8_t*>(from.data()), first,
                           std::min<std::size_t>(first + dot_kernels, g.c.kernels)};
  input = !p.depthwise() ? dot_input::common : g.rows ? dot_input::row : dot_input::own;
  if (input == dot_input::common) p.pack(*this);
  else p.pack_depthwise(*this, input == dot_input::row ? 4 : 1);
}

#ifdef NVDLAC_COMPILED
template void packed_kernels::pack<std::int8_t>(const kernel_geometry&,
                                                std::span<const std::uint8_t>, std::size_t);
template void packed_kernels::pack<std::int16_t>(const kernel_geometry&,
                                                 std::span<const std::uint8_t>, std::size_t);
#endif

}  // namespace nvdlac::sim
