// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/conversions.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/verify.hpp>

using namespace nvdlac;

namespace {

quantised::move move_of(net::shape target, const std::vector<net::box>& boxes) {
  quantised::move m{.target = target};
  for (const auto& b : boxes) m.boxes.push_back(b);
  return m;
}
net::box box(net::position to, net::position from, std::array<net::box_loop, 3> loops,
             std::int32_t input = 0) {
  return {.input = input, .to = to, .from = from, .loops = {{loops[0], loops[1], loops[2]}}};
}
net::box_loop loop(std::int32_t count, net::position to, net::position from) {
  return {count, to, from};
}

constexpr net::position channel{1, 0, 0}, line{0, 1, 0}, column{0, 0, 1};

}  // namespace

TEST_CASE("why a movement takes layers") {
  const std::array in{net::shape{16, 4, 4}};
  const auto whole = [](std::int32_t first, std::int32_t count) {
    return move_of({count, 4, 4}, {box({}, {first, 0, 0}, {loop(count, channel, channel),
                                                           loop(4, line, line),
                                                           loop(4, column, column)})});
  };
  const auto why = [&](const quantised::move& m) {
    quantised::graph g;
    const auto move = g.add("move", m, {g.add("in", quantised::input{in[0]})});
    g[move].output = true;
    net::infer_shapes(g);
    return std::string(report::why_moved(g, move, 8));
  };
  CHECK(why(whole(8, 8)) == "it is an output, whose memory the network's user gives");
  CHECK(why(whole(4, 8)).find("inside an atom") != std::string::npos);
  CHECK(why(move_of({4, 16, 4}, {box({}, {}, {loop(16, line, channel), loop(4, channel, line),
                                              loop(4, column, column)})}))
            .find("channels become lines") != std::string::npos);
  CHECK(why(move_of({16, 4, 8}, {box({}, {}, {loop(16, channel, channel), loop(4, line, line),
                                              loop(8, column, {})})}))
            .find("repeated") != std::string::npos);
  CHECK(why(move_of({16, 4, 4}, {box({15, 0, 0}, {}, {loop(16, {-1, 0, 0}, channel),
                                                      loop(4, line, line),
                                                      loop(4, column, column)})}))
            .find("within atoms") != std::string::npos);
  CHECK(why(move_of({16, 4, 4}, {box({0, 3, 0}, {}, {loop(16, channel, channel),
                                                     loop(4, {0, -1, 0}, line),
                                                     loop(4, column, column)})}))
            .find("lines and columns") != std::string::npos);
}

TEST_CASE("of a concat the first copy tells why, and a new scale is no conversion") {
  quantised::graph g;
  const auto a = g.add("a", quantised::input{{8, 2, 2}});
  const auto b = g.add("b", quantised::input{{5, 2, 2}});
  const auto scaled = [&](const char* name, quantised::graph::id of) {
    return g.add(name, quantised::scale{.multiplier = {1}}, {of});
  };
  const auto ours = scaled("ours", a), output = scaled("output", a), odd = scaled("odd", b);
  const auto concat = [&](const char* name, std::vector<quantised::graph::id> in) {
    using each = std::vector<std::optional<std::int16_t>>;
    each multiplier(in.size(), std::nullopt);
    multiplier.back() = 3;
    return g.add(name, quantised::concat{.multiplier = multiplier}, in);
  };
  const auto first = concat("first", {a, ours, output}), ragged = concat("ragged", {odd, ours});
  for (const auto n : {output, first, ragged}) g[n].output = true;
  net::infer_shapes(g);
  const auto why = [&](quantised::graph::id n, std::size_t copied) {
    return std::string(report::why_gathered(g, n, 8, copied));
  };
  CHECK(why(first, 0) == "an input is the network's, whose memory its user gives");
  CHECK(why(first, 1) == "an input stands elsewhere already, where another layer wants it");
  CHECK(why(first, 2) == "an input is an output as well, whose memory the network's user gives");
  CHECK(why(ragged, 0) == "an input ends inside an atom, in which the next one begins");
  // Input 2 is scaled, and is all that "ragged" has; input 0 is copied, of the second picture.
  std::vector<report::layer_row> rows(4);
  report::data_flow flow;
  flow.layers.resize(rows.size());
  const std::array names{"first@2/input0", "first/input2", "ragged/input1", "first@2/input2/part1"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].name = names[i];
    rows[i].on_hardware.done = 10;
    flow.layers[i].layer = i == 2 ? "ragged" : "first";
  }
  const auto found = report::conversions_of(g, rows, flow, bytes{8});
  REQUIRE(found.size() == 1);
  CHECK(found[0].layer == "first");
  CHECK(found[0].layers == 1);
  CHECK(found[0].why == "an input is the network's, whose memory its user gives");
}

TEST_CASE("conversions tell their layers and the cycles in which one is under way") {
  quantised::graph g;
  const auto in = g.add("in", quantised::input{{8, 2, 2}});
  quantised::move turn = move_of(
      {8, 2, 2}, {box({}, {}, {loop(8, channel, channel), loop(2, line, column),
                               loop(2, column, line)})});
  g[g.add("turn", std::move(turn), {in})].output = true;
  net::infer_shapes(g);
  std::vector<report::layer_row> rows(3);
  report::data_flow flow;
  flow.layers.resize(3);
  const std::array<std::array<std::uint64_t, 2>, 3> times{{{0, 10}, {5, 20}, {30, 40}}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].on_hardware.start = times[i][0];
    rows[i].on_hardware.done = times[i][1];
    rows[i].on_hardware.turn = i == 0 ? 0 : times[i - 1][1];
    flow.layers[i].layer = i == 1 ? "turn@2" : "turn";
  }
  const auto found = report::conversions_of(g, rows, flow, bytes{8});
  REQUIRE(found.size() == 1);
  CHECK(found[0].layer == "turn");
  CHECK(found[0].from[0].name == "in");
  CHECK(found[0].layers == 3);
  CHECK(found[0].cycles == 40);
  CHECK(found[0].why == "lines and columns change their places");
}
