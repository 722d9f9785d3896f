// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_called<.*"pool"
// EXPECT: unsupported<quantised::pool, (nvdlac::)?nv_small, lower::reason::stride_above_8>
// MEANS: The network is compiled while compiling, and the hardware cannot run this layer. `runs_on`
// MEANS: says the same in fewer lines.
// REMEDY: What the reason asks for, here a stride of at most 8.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

using namespace nvdlac::net;
namespace quantised = nvdlac::quantised;

#ifdef FIXED
constexpr int stride = 8;
#else
constexpr int stride = 9;
#endif
constexpr network net{
    node{"data", quantised::input{{8, 28, 28}}},
    node{"pool", quantised::pool{.window = square{.kernel = 2, .stride = stride}}},
};
constexpr auto program = nvdlac::program<nvdlac::nv_small, net>::view();
