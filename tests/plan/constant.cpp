// SPDX-License-Identifier: Apache-2.0
// Programs that are made while compiling and at run time, in one translation unit, are the same.
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/plan/plan.hpp>

using namespace nvdlac;

namespace {

// A scaling and the pooling of its result: the consumers of the first, and what each waits for.
constexpr std::vector<int> links() {
  const bytes atom = nv_small::spec.atom();
  plan::lowered l;
  l.buffers = std::vector<plan::buffer>(3, plan::buffer{.name = "cube", .size = 3200});
  l.buffers[0].memory = plan::memory::input;
  l.buffers[2].memory = plan::memory::output;
  const auto in = layer::packed({8, 20, 20}, atom, {0, 0});
  const auto between = layer::packed({8, 20, 20}, atom, {1, 0});
  const auto out = layer::packed({8, 10, 10}, atom, {2, 0});
  l.layers = {{"scale", layer::sdp{.input = in, .output = between}},
              {"pool", layer::pdp{.input = between,
                                  .output = out,
                                  .window = net::square{.kernel = 2, .stride = 2}}}};
  const auto p = plan::make_program<nv_small>(std::move(l));
  std::vector<int> found;
  for (const auto& op : p.tasks[0].operations) {
    for (const auto& c : op.consumers) found.push_back(c.operation);
    found.push_back(op.dependency_count);
  }
  return found;
}

constexpr std::vector<int> wanted() {
  return {-1, -1, -1, 1, -1, -1, 0, -1, -1, -1, -1, -1, -1, 1};
}
static_assert(links() == wanted());

}  // namespace

TEST_CASE("a program that was made while compiling does not change one that is made later") {
  CHECK(links() == wanted());
}
