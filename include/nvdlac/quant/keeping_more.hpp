// SPDX-License-Identifier: Apache-2.0
#pragma once
// The remedies that keep more of an output's numbers, where little is left of them.
#include <string>

#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

// The remedy for outputs of these integers: more bits where there are int8 and int16, and other
// sizes of values where there is fp16 alone.
std::string keeping_more(const quantised::graph& integers);

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/keeping_more.ipp>
#endif
