// SPDX-License-Identifier: Apache-2.0
#pragma once
// The buffer in which CACC's results wait for SDP, and which convolutions it mixes up.
#include <algorithm>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// Atoms that CACC's delivery buffer holds, each the results of a kernel group for a pixel:
// CACC_DBUF_DEPTH in NV_NVDLA_CACC.h of branch master, of which NVDLA_CC_CREDIT_SIZE in
// NV_NVDLA_CSC.h is as many.
constexpr std::uint64_t delivery_buffer(const spec& s) {
  return (s.mac_atomic_c >= 4 * s.mac_atomic_k ? 4u : 2u) * std::uint64_t{s.mac_atomic_k};
}

// Atoms that CACC delivers for a hardware layer.
constexpr std::uint64_t delivered_atoms(const spec& s, precision p, std::uint64_t pixels,
                                        std::uint64_t kernels) {
  return pixels * ceil_div(kernels, s.kernel_group(p));
}

// Cycles in which the MACs work for a hardware layer at least, of so many steps for each kernel
// group: a step takes the weights of as many kernels as there are cells, one in each cycle.
constexpr std::uint64_t mac_cycles(const spec& s, precision p, std::uint64_t pixels,
                                   std::uint64_t kernels, std::uint64_t steps) {
  return ceil_div(kernels, s.kernel_group(p)) * steps *
         std::max<std::uint64_t>(pixels, s.mac_atomic_k);
}

// Cycles in which what is in the delivery buffer leaves it: SDP takes an atom at once, or when its
// operands have come. A full buffer is two or three reads of SDP's, which hold up 4,096 cycles of
// no memory that NVDLA's specifications know, of at most 1,200 cycles.
inline constexpr std::uint64_t longest_delivery = 4096;

// Whether a convolution must not begin before the results of the one before it have left CACC,
// which is when that raises its interrupt (cacc2glb_done_intr_pd in
// NV_NVDLA_CACC_delivery_buffer.v; its S_STATUS is idle before, when they are in the buffer). Two
// tags say where in the delivery buffer a convolution ends. If the last atom of the later one comes
// in the very cycle in which the last of the earlier one leaves, branch master sets the second tag
// although it clears it as well (dlv_end_tag1_vld_w in NV_NVDLA_CACC_delivery_ctrl.v). It is left
// behind, so that a convolution after these ends too early for SDP, and everything waits for ever.
// That takes a later one which the buffer holds beside the last atom of the earlier one, and which
// is computed before that has left. Branch nvdlav1, that of the full map, clears the tag.
constexpr bool confuses_delivery(const spec& s, std::uint64_t atoms, std::uint64_t mac_cycles) {
  return s.map == register_map::small && atoms < delivery_buffer(s) &&
         mac_cycles < longest_delivery;
}

}  // namespace nvdlac::hw
