// SPDX-License-Identifier: Apache-2.0
// What a hardware layer waits for, and what it need not wait for.
#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>

using namespace nvdlac;

namespace {

constexpr bytes atom = nv_small::spec.atom();

layer::surface cube(std::int32_t buffer) { return layer::packed({8, 4, 4}, atom, {buffer, 0}); }

// SDP copies buffer to buffer, one layer behind the other.
plan::program<nv_small> copies(const std::vector<std::pair<std::int32_t, std::int32_t>>& steps) {
  plan::lowered l;
  for (int b = 0; b < 6; ++b)
    l.buffers.push_back({.name = "cube",
                         .memory = b == 0 ? plan::memory::input : plan::memory::features,
                         .size = cube(0).size});
  for (const auto& [from, to] : steps)
    l.layers.push_back({"copy", layer::sdp{.input = cube(from), .output = cube(to)}});
  return plan::make_program<nv_small>(std::move(l));
}
plan::event event_behind(const plan::program<nv_small>& p, std::size_t operation) {
  return p.tasks[0].operations[operation].consumers[plan::index(plan::engine::sdp)].event;
}

}  // namespace

TEST_CASE("a layer waits for the last one of its engine only if it needs that one") {
  const auto p = copies({{0, 1}, {0, 2}, {1, 3}, {3, 4}, {2, 5}});
  CHECK(event_behind(p, 0) == plan::event::programmed);
  CHECK(event_behind(p, 1) == plan::event::programmed);  // 1 is written: the registers were free
  CHECK(event_behind(p, 2) == plan::event::completed);
  CHECK(plan::validate(p).empty());
}

TEST_CASE("the check of a plan knows that two layers back is done, and no less") {
  auto p = copies({{0, 1}, {0, 2}, {1, 3}, {3, 4}, {2, 5}});
  p.tasks[0].operations[2].consumers[plan::index(plan::engine::sdp)].event =
      plan::event::programmed;
  CHECK_FALSE(plan::validate(p).empty());
}
