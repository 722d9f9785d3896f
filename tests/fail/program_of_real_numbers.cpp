// SPDX-License-Identifier: Apache-2.0
// EXPECT: layer_called<.*"active"
// EXPECT: not_in_integers<net::relu>
// MEANS: `program` compiles what NVDLA computes: the operators of `quantised`. This layer is one
// MEANS: of real numbers.
// REMEDY: Quantise the trained network, or write the layer in integers.
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/program.hpp>

using namespace nvdlac::net;
namespace quantised = nvdlac::quantised;

constexpr network net{
    node{"data", quantised::input{{8, 28, 28}}},
#ifdef FIXED
    node{"active", quantised::scale{.multiplier = {1}, .relu = true}},
#else
    node{"active", relu{}},
#endif
};
constexpr auto program = nvdlac::program<nvdlac::nv_small, net>::view();
