// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/merge_selections.hpp>

#include "same_values.hpp"
#include "tests/net/random.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

using list = std::vector<std::int32_t>;

// Channels of a cube.
move selection(shape in, const list& channels) {
  const shape out{static_cast<std::int32_t>(channels.size()), in.h, in.w};
  std::vector<std::int32_t> from;
  for (const auto c : channels)
    for (std::int32_t i = 0; i < in.h * in.w; ++i) from.push_back(c * in.h * in.w + i);
  return {.target = out, .boxes = find_boxes(from, out, in)};
}

const net::window three{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                        .pad_bottom = 1, .pad_right = 1};

graph::id add_filter(graph& g, const std::string& name, graph::id from, std::int32_t channels,
                     net::window window = three, std::int32_t groups = 1) {
  convolution c{.kernels = 6, .window = window, .groups = groups, .relu = true};
  randomness random(static_cast<unsigned>(name.size()));
  c.weights = random.reals(static_cast<std::size_t>(6 * channels / groups) *
                           static_cast<std::size_t>(window.kernel_h * window.kernel_w));
  c.bias = random.reals(6);
  const auto n = g.add(name, std::move(c), {from});
  g[n].output = true;
  return n;
}

// A convolution of channels that a move selects.
graph behind_selection(shape in, const list& channels, net::window window = three,
                       std::int32_t groups = 1) {
  graph g;
  const auto x = g.add("x", input{in}, {});
  const auto some = g.add("some", selection(in, channels), {x});
  add_filter(g, "y", some, static_cast<std::int32_t>(channels.size()), window, groups);
  infer_shapes(g);
  return g;
}

// The nodes that are left.
std::size_t left(graph g) {
  return same_behind<pass::merge_selections>(std::move(g)).size();
}

list run_of(std::int32_t first, std::int32_t end) {
  list all;
  for (auto c = first; c < end; ++c) all.push_back(c);
  return all;
}

}  // namespace

TEST_CASE("a convolution reads channels that were selected where they come from") {
  CHECK(left(behind_selection({3, 6, 5}, {2, 1, 0})) == 2);
  CHECK(left(behind_selection({1, 6, 5}, {0, 0, 0})) == 2);
  CHECK(left(behind_selection({4, 6, 5}, {2, 1, 0})) == 2);
  CHECK(left(behind_selection({4, 6, 5}, {0, 1, 2})) == 2);  // pixels
  CHECK(left(behind_selection({6, 1, 1}, {5, 0, 0, 3, 2, 1, 5}, {})) == 2);
  // Every other one of a few more channels, and nearly all of many.
  CHECK(left(behind_selection({12, 6, 5}, {0, 2, 4, 6, 8, 10}, {})) == 2);
  CHECK(left(behind_selection({24, 6, 5}, run_of(1, 24))) == 2);
}

TEST_CASE("groups read what stays in them") {
  CHECK(left(behind_selection({6, 6, 5}, {1, 0, 2, 4, 5, 4}, three, 2)) == 2);
  CHECK(left(behind_selection({6, 6, 5}, {3, 1, 2, 0, 4, 5}, three, 2)) == 3);
  CHECK(left(behind_selection({6, 6, 5}, {5, 4, 3, 2, 1, 0}, three, 6)) == 3);
}

TEST_CASE("a few channels of many are selected before") {
  CHECK(left(behind_selection({64, 6, 5}, run_of(0, 32))) == 3);  // as they stand
  CHECK(left(behind_selection({64, 6, 5}, run_of(16, 64), {})) == 3);
  CHECK(left(behind_selection({64, 6, 5}, {5, 40, 63})) == 3);
}

TEST_CASE("selections of selections and concats of them are those of one tensor") {
  graph g;
  const shape in{4, 6, 5};
  const auto x = g.add("x", input{in}, {});
  const auto turned = g.add("turned", selection(in, {3, 2, 1, 0}), {x});
  const auto two = g.add("two", selection(in, {1, 3}), {turned});
  const auto all = g.add("all", concat{}, {x, two, turned});
  add_filter(g, "y", all, 10);
  CHECK(left(g) == 2);
}

TEST_CASE("all readers are convolutions, or the selection stays") {
  const auto two_readers = [](bool convolutions) {
    graph g;
    const shape in{3, 6, 5};
    const auto x = g.add("x", input{in}, {});
    const auto some = g.add("some", selection(in, {2, 1, 0}), {x});
    add_filter(g, "y", some, 3);
    if (convolutions) add_filter(g, "second", some, 3);
    else g[g.add("second", relu{}, {some})].output = true;
    return g;
  };
  CHECK(left(two_readers(true)) == 3);
  CHECK(left(two_readers(false)) == 4);
}

TEST_CASE("what else moves elements is no selection of channels") {
  graph g;
  const auto x = g.add("x", input{{3, 4, 4}}, {});
  const shape out{3, 4, 4};
  std::vector<std::int32_t> from;  // lines and columns exchanged
  for (std::int32_t c = 0; c < 3; ++c)
    for (std::int32_t y = 0; y < 4; ++y)
      for (std::int32_t w = 0; w < 4; ++w) from.push_back(c * 16 + w * 4 + y);
  const auto turned =
      g.add("turned", move{.target = out, .boxes = find_boxes(from, out, out)}, {x});
  add_filter(g, "y", turned, 3);
  CHECK(left(g) == 3);
}
