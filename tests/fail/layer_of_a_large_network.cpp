// SPDX-License-Identifier: Apache-2.0
// EXPECT: "norm5"
// EXPECT: unsupported<net::lrn, nv_small, lower::reason::lrn_size_is_not_3_5_7_9>
// MEANS: CDP's windows are 3, 5, 7 or 9 channels. The message names the layer, however many the
//        network has.
// REMEDY: Choose one of these sizes.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/runs_on.hpp>

using namespace nvdlac::net;

#ifdef FIXED
constexpr int size = 9;
#else
constexpr int size = 11;
#endif
constexpr auto narrow = square{.kernel = 3, .pad = 1};
constexpr network net{
    node{"data", input{{3, 32, 32}}},
    node{"conv1", convolution{.kernels = 16, .window = narrow}},
    node{"bn1", batch_norm{}},
    node{"relu1", relu{}},
    node{"conv2a", convolution{.kernels = 16, .window = narrow}},
    node{"bn2a", batch_norm{}},
    node{"relu2a", relu{}},
    node{"conv2b", convolution{.kernels = 16, .window = narrow}},
    node{"bn2b", batch_norm{}},
    node{"sum2", add{.relu = true}, "bn2b", "relu1"},
    node{"norm5", lrn{.local_size = size}},
    node{"fc", fully_connected{.outputs = 10}},
    node{"prob", softmax{}},
};
static_assert(nvdlac::runs_on<nvdlac::nv_small>(net));
