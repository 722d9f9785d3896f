// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/bypass_joins.hpp>

using namespace nvdlac;

namespace {

net::move slice(net::shape to, std::int32_t channel) {
  return {.target = to,
          .boxes = std::vector<net::box>{{.from = {channel, 0, 0},
                                          .loops = {{{to.c, {1, 0, 0}, {1, 0, 0}},
                                                     {to.h, {0, 1, 0}, {0, 1, 0}},
                                                     {to.w, {0, 0, 1}, {0, 0, 1}}}}}}};
}

// Two levels of boxes and scores, joined by channels, then as lines, of which parts are taken.
struct levels {
  net::graph g{};
  std::size_t taken = 0;

  levels(std::int32_t channel, std::int32_t channels, bool kept = false) {
    const auto x = g.add("x", net::input{{4, 2, 3}});
    std::vector<std::size_t> joined;
    for (int i = 0; i < 2; ++i) {
      const auto boxes = g.add(text("boxes", i), net::prelu{{0.5F + static_cast<float>(i)}}, {x}),
                 scores = g.add(text("scores", i), net::relu{}, {x});
      const auto both = g.add(text("both", i), net::concat{}, {boxes, scores});
      joined.push_back(g.add(text("flat", i), net::reshape{{8, 6, 1}}, {both}));
    }
    const std::vector<net::shape> shapes(2, net::shape{8, 6, 1});
    const auto all = g.add("all", net::stack(shapes, false), joined);
    taken = g.add("taken", slice({channels, 12, 1}, channel), {all});
    g[taken].output = true;
    if (kept) g[g.add("kept", net::relu{}, {all})].output = true;
    net::infer_shapes(g);
  }
  // The inputs of what takes the part, after the pass; its values stay.
  std::vector<std::string> inputs() {
    net::float_tensor x{{4, 2, 3}};
    for (std::size_t i = 0; i < x.values.size(); ++i)
      x.values[i] = static_cast<float>(i * 7 % 11) - 5;
    const auto before = net::evaluate(g, x);
    pass::bypass_joins::run(g);
    CHECK(net::verify(g).empty());
    CHECK(net::evaluate(g, x) == before);
    std::vector<std::string> names;
    for (std::size_t n = 0; n < g.size(); ++n)
      if (g[n].name == "taken")
        for (const auto i : g.inputs(n)) names.push_back(g[i].name);
    std::ranges::sort(names);
    return names;
  }
};

using names = std::vector<std::string>;

}  // namespace

TEST_CASE("parts are read where they were before they were joined") {
  levels boxes(0, 4);
  CHECK(boxes.inputs() == names{"boxes0", "boxes1"});
  CHECK(boxes.g.size() == 4);  // nothing else is computed any more
  levels scores(5, 3, true);
  CHECK(scores.inputs() == names{"scores0", "scores1"});
  CHECK(scores.g.size() == 12);
  // Of all of them, the join stays.
  levels all(3, 2);
  CHECK(all.inputs() == names{"all"});
}
