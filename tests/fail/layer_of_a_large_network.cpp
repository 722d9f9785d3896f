// SPDX-License-Identifier: Apache-2.0
// EXPECT: "pool5"
// EXPECT: unsupported<net::pool, nv_small, lower::reason::pool_padding_above_7>
// MEANS: PDP pads by at most 7. The message names the layer, however many the network has.
// REMEDY: Pad in the convolution before it, or make the padding smaller.
#include <nvdlac/hw/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int pad = 7;
#else
constexpr int pad = 8;
#endif
constexpr auto narrow = square{.kernel = 3, .pad = 1};
constexpr network net{
    node{"data", input{{3, 64, 64}}},
    node{"conv1", convolution{.kernels = 16, .window = narrow}},
    node{"bn1", batch_norm{}},
    node{"relu1", relu{}},
    node{"conv2a", convolution{.kernels = 16, .window = narrow}},
    node{"bn2a", batch_norm{}},
    node{"relu2a", relu{}},
    node{"conv2b", convolution{.kernels = 16, .window = narrow}},
    node{"bn2b", batch_norm{}},
    node{"sum2", add{.relu = true}, "bn2b", "relu1"},
    node{"pool5", pool{.window = square{.kernel = 9, .stride = 4, .pad = pad}}},
    node{"fc", fully_connected{.outputs = 10}},
    node{"prob", softmax{}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
