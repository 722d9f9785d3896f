// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small network with every kind of layer, as a program that tests break on purpose.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/lower/lower.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace example {

using namespace nvdlac;
using quantised::graph;

inline quantised::convolution convolution(std::int32_t channels, std::int32_t kernels,
                                             net::window window) {
  const auto k = static_cast<std::size_t>(kernels);
  const auto count = k * static_cast<std::size_t>(channels * window.kernel_h * window.kernel_w);
  quantised::convolution op{.kernels = kernels, .window = window};
  for (std::size_t i = 0; i < count; ++i)
    op.weights.push_back(static_cast<std::int8_t>(static_cast<int>(i * 37 % 251) - 125));
  op.bias.assign(k, 5);
  op.multiplier.assign(k, 3000);
  op.shift = 24;
  return op;
}

// picture -> stem -> a -> b, a + b -> sum -> pool -> left; pool, left -> both -> classes -> softmax
inline graph network() {
  graph g;
  const net::window same{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                         .pad_bottom = 1, .pad_right = 1};
  const auto picture = g.add("picture", quantised::input{{3, 12, 12}, quantised::pixels{}});
  const auto stem = g.add("stem", convolution(3, 16, same), {picture});
  const auto a = g.add("a", convolution(16, 16, same), {stem});
  auto others = convolution(16, 16, same);  // than those of a, which would stand in their place
  others.weights[0] = 1;
  others.bias[0] = 6;
  const auto b = g.add("b", std::move(others), {a});
  const auto sum = g.add("sum", quantised::add{.out = {0, 1, 1}}, {a, b});
  const auto pool = g.add(
      "pool",
      quantised::pool{.window = {.kernel_h = 2, .kernel_w = 2, .stride_h = 2, .stride_w = 2}},
      {sum});
  const auto left = g.add("left", convolution(16, 8, {}), {pool});
  const auto both = g.add("both", quantised::concat{.multiplier = {std::nullopt, std::nullopt}},
                          {pool, left});
  const auto classes =
      g.add("classes", convolution(24, 16, {.kernel_h = 6, .kernel_w = 6}), {both});
  const auto top = g.add("softmax", quantised::softmax{}, {classes});
  g[top].output = true;
  net::infer_shapes(g);
  return g;
}

template <class Hw>
plan::program<Hw> program() {
  return plan::make_program<Hw>(lower::lower<Hw>(network(), "example"));
}

inline plan::operation& operation(plan::program_data& p, std::string_view layer) {
  for (auto& t : p.tasks)
    for (auto& op : t.operations)
      if (op.layer.name == layer) return op;
  throw std::logic_error("no layer " + std::string(layer));
}
template <class Layer>
Layer& layer(plan::program_data& p, std::string_view name) {
  return std::get<Layer>(operation(p, name).layer.what);
}
inline plan::buffer& buffer(plan::program_data& p, const layer::surface& s) {
  return p.buffers[static_cast<std::size_t>(s.at.buffer)];
}

inline bool reported(const std::vector<problem>& found, std::string_view part) {
  return std::any_of(found.begin(), found.end(), [&](const problem& p) {
    return to_string(p).find(part) != std::string::npos;
  });
}

// The harm that is done to a good program, and a part of what must be reported.
template <class Hw>
struct breakage {
  const char* expected;
  std::function<void(plan::program<Hw>&)> harm;
};

template <class Hw, class Check>
void expect_reports(const plan::program<Hw>& good, const std::vector<breakage<Hw>>& all,
                    Check check) {
  REQUIRE(check(good).empty());
  for (const auto& b : all) {
    auto broken = good;
    b.harm(broken);
    const auto found = check(broken);
    std::string texts;
    for (const auto& p : found) texts += to_string(p) + "\n";
    INFO(b.expected << " is not in:\n" << texts);
    CHECK(reported(found, b.expected));
  }
}

}  // namespace example
