// SPDX-License-Identifier: Apache-2.0
// Random networks of convolutions in Winograd's mode: the loadable on the simulator and the exact
// reference agree in every bit.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/compile.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/quant/real_form.hpp>
#include <nvdlac/runtime/session.hpp>

#include "winograd_graph.hpp"

using namespace nvdlac;

namespace {

// nv_full with half the buffer, and with half the MAC cells.
struct half_buffer {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.cbuf_banks = 8;
    return s;
  }();
};
struct half_cells {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.mac_atomic_k = 16;
    s.weight_compression = s.rubik = false;
    return s;
  }();
};

template <class Hw>
void expect_agreement(std::uint64_t seed, hw::precision p, winograd_graph::limits limits = {}) {
  INFO(std::string(hw::name_of(p)) << ", seed " << seed);
  const auto g = winograd_graph::make(seed, p, limits);
  if (!winograd_graph::runs_on<Hw>(g)) return;
  const auto program = build<Hw>(g);
  runtime::session<Hw> session(emit::loadable(program));
  for (std::uint64_t input = 0; input < 2; ++input) {
    const auto feeds = winograd_graph::feeds(g, 10 * seed + input);
    CHECK((session.infer_any(feeds) ==
           quantised::evaluate_any(g, std::span<const quantised::feed>(feeds),
                                   quantised::order_of(Hw::spec))));
  }
}

}  // namespace

TEST_CASE("loadable and reference agree in Winograd's mode") {
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    for (std::uint64_t seed = 0; seed < 20; ++seed) expect_agreement<nv_full>(seed, p);
}

TEST_CASE("loadable and reference agree in Winograd's mode on configurations of one's own") {
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    for (std::uint64_t seed = 100; seed < 110; ++seed) {
      expect_agreement<half_buffer>(seed, p);
      expect_agreement<half_cells>(seed, p);
    }
}

TEST_CASE("loadable and reference agree in Winograd's mode where layers are cut") {
  for (const auto p : {hw::precision::int8, hw::precision::int16})
    for (std::uint64_t seed = 200; seed < 203; ++seed)
      expect_agreement<half_buffer>(seed, p, {.layers = 2, .channels = 200, .side = 50});
  expect_agreement<half_buffer>(203, hw::precision::fp16, {.layers = 2, .channels = 130, .side = 40});
}
