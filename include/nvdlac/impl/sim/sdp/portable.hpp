// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ways of sdp_stage and sdp_convert_narrow that every processor has.
#include <cstdint>

#include <nvdlac/sim/sdp/stage.hpp>

namespace nvdlac::sim {

enum class sdp_conversion;
struct sdp_narrow_converter;

void sdp_stage_portable(alu_algorithm alu, bool prelu, const std::int32_t* from, std::int32_t* to,
                        sdp_stream operand, sdp_stream scale, sdp_range range);

template <class T>
void sdp_convert_narrow_portable(const sdp_narrow_converter& c, sdp_conversion how,
                                 const std::int32_t* v, T* to);

}  // namespace nvdlac::sim
