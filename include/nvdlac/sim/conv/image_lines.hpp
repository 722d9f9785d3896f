// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images that CSC reads wrong. Where outputs stand further apart than an entry of the CBUF, and
// begin within entries, it reads both entries of a block of channels at once. If the second is
// entry 0 of the data banks, the first is read from the end of the bank behind them, not from
// theirs (dat_req_addr_minus1_wrap in NV_NVDLA_CSC_dl.v). What stands there, weights of some
// convolution before, is not simulated: such a program is refused.
#include <cstdint>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// The image's first line begins with entry `begin` of a ring of `ring` entries.
void check_image_lines(const hw::spec& hw, const convolution& c, const cdma_layer& l,
                       std::uint64_t begin, std::uint64_t ring);

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/image_lines.ipp>
#endif
