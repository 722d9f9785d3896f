// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/pass/select_first.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/selection_cube.hpp>
#include <nvdlac/net/verify.hpp>

#include "../in_file.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// Lines, columns and the first four channels of a picture of 6x4x5, in this order, behind a relu.
struct channels_last {
  graph g{};
  graph::id n = 0;

  explicit channels_last(float fill = 0, bool padded = false) {
    const shape source{6, 4, 5};
    const auto in = g.add("in", input{source});
    std::vector<std::int32_t> from;
    const std::int32_t lines = padded ? 5 : 4;
    for (std::int32_t y = 0; y < lines; ++y)
      for (std::int32_t x = 0; x < 5; ++x)
        for (std::int32_t c = 0; c < 4; ++c)
          from.push_back(y == 4 ? -1 : static_cast<std::int32_t>(source.at(c, y, x)));
    const shape to{lines, 5, 4};
    n = g.add("y", move{to, find_boxes(from, to, source), fill}, {g.add("relu", relu{}, {in})});
    g[n].output = true;
    g[n].in_file = {{.name = "y", .shape = {1, lines, 5, 4}}};
    infer_shapes(g);
  }
  std::vector<in_file::value> outputs() const {
    float_tensor x{{6, 4, 5}};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i);
    return in_file::outputs(g, x);
  }
  // Runs the pass; the elements that are still turned.
  std::uint64_t run() {
    const auto before = outputs();
    pass::select_first::run(g);
    infer_shapes(g);
    CHECK(verify(g).empty());
    const auto after = outputs();
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < after.size(); ++i) {
      CHECK(after[i].name == before[i].name);
      CHECK(after[i].shape == before[i].shape);
      CHECK(after[i].values == before[i].values);
    }
    const auto& m = std::get<move>(g[n].op);
    return turned_elements({m.boxes.data(), m.boxes.size()});
  }
};

}  // namespace

TEST_CASE("the order of selected elements is left to whoever reads the output") {
  channels_last net;
  CHECK(net.run() == 0);
  CHECK(net.g[net.n].shape == shape{4, 4, 5});
  CHECK(net.g[net.n].in_file.at(0).walk == std::vector<steps>{{20, 1}, {4, 20}});
}

TEST_CASE("what is filled keeps its value") {
  channels_last net(2.5F, true);
  CHECK(net.run() == 0);
  CHECK(net.g[net.n].shape == shape{4, 5, 5});
}

TEST_CASE("a part of an output, and a tensor that two outputs are, keep their places") {
  SUBCASE("a part") {
    channels_last net;
    net.g[net.n].in_file = {{.name = "y", .shape = {1, 30, 4}, .walk = {{80, 1}}, .first = 40,
                             .spread = {1}}};
    CHECK(net.run() == 0);
    CHECK(net.g[net.n].in_file.at(0).first == 40);
  }
  SUBCASE("two outputs") {
    channels_last net;
    net.g[net.n].in_file.push_back({.name = "z", .shape = {1, 80}, .place = 1});
    CHECK(net.run() == 0);
    CHECK(net.g[net.n].in_file.size() == 2);
  }
}

TEST_CASE("what a layer reads stays in its order, as does what no file names") {
  channels_last net;
  SUBCASE("a layer reads it") {
    const auto last = net.g.add("z", relu{}, {net.n});
    net.g[last].output = true;
    net.g[last].in_file = {{.name = "z", .shape = {1, 4, 5, 4}, .place = 1}};
    infer_shapes(net.g);
  }
  SUBCASE("no file") { net.g[net.n].in_file.clear(); }
  CHECK(net.run() == 80);
}

TEST_CASE("movements one behind the other up to an output are one, whatever stands between") {
  graph g;
  const shape source{6, 4, 5};
  const auto first = g.add("first", relu{}, {g.add("in", input{source})});
  std::vector<std::int32_t> from(source.size());
  for (std::int32_t c = 0, i = 0; c < 6; ++c)
    for (std::int32_t p = 0; p < 20; ++p, ++i)
      from[static_cast<std::size_t>(p * 6 + c)] = i;  // places, then channels
  const shape turned{20, 6, 1};
  const auto t = g.add("t", move{turned, find_boxes(from, turned, source)}, {first});
  const auto y = g.add("y", flatten{}, {t});
  g[y].output = true;
  g[y].in_file = {{.name = "y", .shape = {1, 120}}};
  infer_shapes(g);
  SUBCASE("all of a tensor is the tensor itself") {
    pass::select_first::run(g);
    infer_shapes(g);
    CHECK(verify(g).empty());
    CHECK(g.size() == 2);
    const auto& last = g[g.outputs().at(0)];
    CHECK(last.name == "y");
    CHECK(last.in_file.at(0).walk == std::vector<steps>{{20, 1}, {6, 20}});
  }
  SUBCASE("what another layer reads, or what is an output itself, stays") {
    SUBCASE("a reader") { g[g.add("z", relu{}, {t})].output = true; }
    SUBCASE("an output") { g[t].output = true; }
    infer_shapes(g);
    pass::select_first::run(g);
    infer_shapes(g);
    CHECK(verify(g).empty());
    for (const auto n : g.outputs())
      if (g[n].name != "z") CHECK(g[n].shape == turned);
  }
}
