// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_called<.*"conv"
// EXPECT: only_sizes_are_known<quantised::convolution>
// MEANS: The bytes of the loadable are asked for, but the network only tells how many constants
// MEANS: this layer has.
// REMEDY: Give the constants as arrays, or let `nvdlac compile` write the loadable.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/loadable.hpp>

using namespace nvdlac::net;
namespace quantised = nvdlac::quantised;

constexpr std::array<std::int8_t, 8 * 9> weights{1};
constexpr std::array<std::int16_t, 8> ones{1, 1, 1, 1, 1, 1, 1, 1};
constexpr network net{
    node{"data", quantised::input{{1, 8, 8}}},
    node{"conv", quantised::convolution{.kernels = 8, .window = square{.kernel = 3},
#ifdef FIXED
                                      .weights = weights,
#else
                                      .weights = only_size{8 * 9},
#endif
                                      .bias = ones, .multiplier = ones}},
};
constexpr auto bytes = nvdlac::loadable<nvdlac::nv_small, net>.size();
