// SPDX-License-Identifier: Apache-2.0
// EXPECT: "likely"
// EXPECT: quantised::softmax, nv_full, lower::reason::precision_is_not_lowered>
// MEANS: Hardware or host compute the layer in other data types only: softmax on the host in int8
// MEANS: and fp16.
// REMEDY: Compile the network for one of these; quantisation brings the input of a softmax in int16
// REMEDY: to fp16 by itself.
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>

using namespace nvdlac::net;
namespace quantised = nvdlac::quantised;

constexpr network net{quantised::input{{10, 1, 1}}, node{"likely", quantised::softmax{}}};
#ifdef FIXED
static_assert(nvdlac::runs_on<nvdlac::nv_full, nvdlac::hw::precision::fp16>(net));
#else
static_assert(nvdlac::runs_on<nvdlac::nv_full, nvdlac::hw::precision::int16>(net));
#endif
