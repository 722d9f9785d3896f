// SPDX-License-Identifier: Apache-2.0
// The model beside NVIDIA's RTL of the configurations between nv_small and nv_large, of which
// ../shared/reference/cycles/measured_b1c1f95b.md tells some layers, and of EW's throughput.
#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_1024_full.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/hw/configurations/nv_small_256_full.hpp>

#include "measured.hpp"

using namespace nvdlac;
using namespace measured;

namespace {

std::uint64_t cycles_of(const std::vector<layer::any>& layers, const hw::spec& s) {
  return cost::cycles(program(layers), s, cost::memory_of(s)).totals.cycles;
}

layer::any table_of(net::shape shape, const hw::spec& s) {
  const auto cube = layer::packed(shape, s.atom(), {0, 0});
  return layer::sdp{.input = cube, .output = cube, .lut = 0};
}

// A 1x1 convolution, whose data and weights have banks enough.
std::vector<layer::any> pointwise(net::shape in, std::int32_t kernels, const hw::spec& s) {
  return convolution{.in = in, .out = {kernels, in.h, in.w}, .data_banks = 16, .weight_banks = 8,
                     .weight_bytes = hw::weight_bytes(s, hw::precision::int8,
                                                      static_cast<std::uint64_t>(in.c),
                                                      static_cast<std::uint64_t>(kernels)).n,
                     .mul = true}.layers(s);
}

}  // namespace

// An atom of 32 elements from CACC: a cycle is lost between two, but not where Y takes four a
// cycle.
static_assert(cost::delivery_of(nv_large::spec, 32) == 3);
static_assert(cost::delivery_of(nv_large::spec, 32, true) == 8);

TEST_CASE("SDP looks up as many elements a cycle as EW takes") {
  comparison e("tables");
  e.add("nv_small_256_full", 16534, cycles_of({table_of({64, 16, 16}, nv_small_256_full::spec)},
                                              nv_small_256_full::spec));
  e.add("nv_medium_1024_full", 9302, cycles_of({table_of({64, 16, 16}, nv_medium_1024_full::spec)},
                                               nv_medium_1024_full::spec));
  auto near = cost::memory_of(nv_large::spec);
  near.read_latency = 64;
  e.add("nv_large", 6421, cost::cycles(program({table_of({32, 28, 28}, nv_large::spec)}),
                                       nv_large::spec, near).totals.cycles);
  e.check(3, 0.3, 0.5);
}

TEST_CASE("a cube that the reads in flight hold waits for the latency once") {
  comparison e("SDP at latency 1024");
  const auto& s = nv_medium_1024_full::spec;
  const auto cube = layer::packed({16, 16, 16}, s.atom(), {0, 0});
  e.add("16x16x16", 2155, cycles_of({layer::sdp{.input = cube, .output = cube}}, s));
  e.add("1x1 32 to 32 on 8x8", 1603, cycles_of(pointwise({32, 8, 8}, 32, s), s));
  e.check(2, 2, 3);
}

TEST_CASE(
    "CACC's delivery buffer holds four times the kernels where a cell takes four times them") {
  comparison e("layers bound by their output");
  e.add("nv_small_256", 19429,
        cycles_of(pointwise({16, 16, 16}, 64, nv_small_256::spec), nv_small_256::spec));
  e.add("nv_small_256_full", 11269,
        cycles_of(pointwise({16, 16, 16}, 64, nv_small_256_full::spec), nv_small_256_full::spec));
  e.check(2, 1.5, 2);
}
