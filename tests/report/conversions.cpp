// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/report/conversions.hpp>

#include <array>
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
net::box box(net::place to, net::place from, std::array<net::box_loop, 3> loops,
             std::int32_t input = 0) {
  return {.input = input, .to = to, .from = from, .loops = {{loops[0], loops[1], loops[2]}}};
}
net::box_loop loop(std::int32_t count, net::place to, net::place from) { return {count, to, from}; }

constexpr net::place channel{1, 0, 0}, line{0, 1, 0}, column{0, 0, 1};

}  // namespace

TEST_CASE("why a movement takes layers") {
  const std::array in{net::shape{16, 4, 4}};
  const auto whole = [](std::int32_t first, std::int32_t count) {
    return move_of({count, 4, 4}, {box({}, {first, 0, 0}, {loop(count, channel, channel),
                                                           loop(4, line, line),
                                                           loop(4, column, column)})});
  };
  const auto why = [&](const quantised::move& m) {
    return std::string(report::why_moved(m, in, 8));
  };
  CHECK(why(whole(8, 8)).find("needs a cube of its own") != std::string::npos);
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
  const std::array ragged{net::shape{5, 4, 4}, net::shape{8, 4, 4}}, aligned{in[0], in[0]};
  CHECK(std::string(report::why_gathered(ragged, 8)).find("inside an atom") != std::string::npos);
  CHECK(std::string(report::why_gathered(aligned, 8)).find("scale") != std::string::npos);
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
    flow.layers[i].layer = i == 1 ? "turn@2" : "turn";
  }
  const auto found = report::conversions_of(g, rows, flow, bytes{8});
  REQUIRE(found.size() == 1);
  CHECK(found[0].layer == "turn");
  CHECK(found[0].from[0].name == "in");
  CHECK(found[0].layers == 3);
  CHECK(found[0].cycles == 30);
  CHECK(found[0].why == "lines and columns change their places");
}
