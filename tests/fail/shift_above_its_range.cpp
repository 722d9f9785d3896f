// SPDX-License-Identifier: Apache-2.0
// EXPECT: "double"
// EXPECT: invalid<quantised::scale, net::rule::shift_above_its_range>
// MEANS: The register of a shift holds no such number.
// REMEDY: Make the multiplier smaller, so that less has to be shifted. Quantisation
// REMEDY: chooses both from the scales.
#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace quantised = nvdlac::quantised;
using namespace nvdlac::net;

#ifdef FIXED
constexpr int shift = 16;
#else
constexpr int shift = 17;
#endif
constexpr network net{
    node{"data", quantised::input{{3, 28, 28}}},
    node{"double", quantised::scale{.multiplier = {2}, .addend = {1}, .addend_shift = shift}},
};
