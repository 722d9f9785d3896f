// SPDX-License-Identifier: Apache-2.0
// Convolutions of a few atoms wait for the one before them, which CACC would mix up with them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/plan/checker/order.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/validate.hpp>

#include "../emit/example.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

constexpr auto conv = plan::index(plan::engine::convolution);

// Convolutions of 3x3 with results of these sizes, that read the same cube or the result of the
// so-manieth one.
struct step {
  net::shape out;
  int behind = -1;
};
template <class Hw = nv_small>
plan::program<Hw> convolutions(const std::vector<step>& steps) {
  plan::program<Hw> p;
  std::vector<layer::surface> cubes{example::cube(p, "in", plan::memory::input, {8, 12, 12})};
  plan::task t;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const auto& s = steps[n];
    auto in = cubes[static_cast<std::size_t>(s.behind + 1)];
    in.shape.h = s.out.h + 2;
    in.shape.w = s.out.w + 2;
    in.size = static_cast<std::uint64_t>(in.shape.h - 1) * in.line_stride +
              static_cast<std::uint64_t>(in.shape.w) * 8;
    cubes.push_back(example::cube(p, text("c", n), plan::memory::output, s.out));
    example::convolve(p, t, text("c", n), in, cubes.back(), {.kernel_h = 3, .kernel_w = 3},
                      static_cast<unsigned>(n));
  }
  plan::link_operations(t, p.buffers, Hw::spec);
  p.tasks.push_back(std::move(t));
  return p;
}
// Whether the next convolution waits until that convolution is done.
template <class Hw>
bool is_waited_for(const plan::program<Hw>& p, std::size_t n) {
  return p.tasks[0].operations[2 * n].consumers[conv].event == plan::event::completed;
}

}  // namespace

TEST_CASE("a convolution of fewer atoms than CACC's delivery buffer waits for the one before") {
  const auto p = convolutions({{{8, 6, 6}}, {{8, 3, 5}}, {{8, 4, 4}}, {{16, 2, 3}}, {{16, 2, 4}}});
  CHECK(is_waited_for(p, 0));  // by 15 atoms
  CHECK_FALSE(is_waited_for(p, 1));
  CHECK(is_waited_for(p, 2));  // by 12
  CHECK_FALSE(is_waited_for(p, 3));
  CHECK(plan::validate(p).empty());
}

TEST_CASE("one that waits for the result of the one before waits for nothing more") {
  const auto p = convolutions({{{8, 6, 6}}, {{8, 4, 4}, 0}, {{8, 2, 2}, 1}, {{8, 2, 2}}});
  CHECK_FALSE(is_waited_for(p, 0));
  CHECK_FALSE(is_waited_for(p, 1));
  CHECK(is_waited_for(p, 2));
  CHECK(plan::validate(p).empty());
}

TEST_CASE("one that waits for the result of an earlier one waits for the one before it too") {
  const auto p = convolutions({{{8, 6, 6}}, {{8, 5, 5}}, {{8, 3, 3}, 0}});
  CHECK(is_waited_for(p, 1));
  CHECK(plan::validate(p).empty());
}

TEST_CASE("nv_full tells the ends of convolutions apart") {
  CHECK_FALSE(is_waited_for(convolutions<nv_full>({{{8, 6, 6}}, {{8, 3, 5}}}), 0));
}

TEST_CASE("the check of a plan finds a convolution that does not wait") {
  auto p = convolutions({{{8, 6, 6}}, {{8, 3, 5}}, {{8, 4, 4}}});
  REQUIRE(plan::validate(p).empty());
  p.tasks[0].operations[0].consumers[conv].event = plan::event::programmed;
  const auto found = plan::validate(p);
  REQUIRE(found.size() == 1);
  CHECK(to_string(found.front()).find("'c1': its 15 atoms of results fit into CACC's delivery "
                                      "buffer of 16 beside the last of 'c0'") != std::string::npos);
  // That another one waits, or that it waits for another, does not help.
  auto other = convolutions({{{8, 6, 6}}, {{8, 6, 6}}, {{8, 3, 5}}});
  auto& ops = other.tasks[0].operations;
  std::swap(ops[0].consumers[conv].event, ops[2].consumers[conv].event);
  CHECK(example::reported(plan::validate(other), "beside the last of 'c1'"));
}

TEST_CASE("long computations need not wait") {
  // Kernels of 1x1: 64 steps of 8 cycles for 512 channels, 648 for 5,184.
  for (const std::int32_t channels : {512, 5184}) {
    plan::program<nv_small> p;
    const auto in = example::cube(p, "in", plan::memory::input, {channels, 1, 1});
    plan::task t;
    for (const auto* name : {"a", "b"})
      example::convolve(p, t, name, in, example::cube(p, name, plan::memory::output, {8, 1, 1}),
                        {}, 1);
    plan::link_operations(t, p.buffers, nv_small::spec);
    p.tasks.push_back(std::move(t));
    CHECK(is_waited_for(p, 0) == (channels == 512));
    CHECK(plan::validate(p).empty());
  }
}
