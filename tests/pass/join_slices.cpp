// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/join_slices.hpp>

using namespace nvdlac;

namespace {

using id = net::graph::id;
using names = std::vector<std::string>;

// A picture of 6 channels, of which slices and concats are made.
struct picture {
  net::graph g{};
  id in = g.add("in", net::input{{6, 2, 3}});

  id slice(const std::string& name, id of, std::int32_t first, std::int32_t count) {
    net::infer_shapes(g);
    return g.add(name, pass::slice_of_channels(g[of].shape, first, count), {of});
  }
  id function(const std::string& name, id of) { return g.add(name, net::prelu{{-1}}, {of}); }
  void end(id n) { g[g.add("end", net::relu{}, {n})].output = true; }

  std::vector<float> result() {
    net::infer_shapes(g);
    net::float_tensor x{{6, 2, 3}};
    for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = static_cast<float>(i) - 9;
    return net::evaluate(g, x).at(0).values;
  }
  // The names of the nodes afterwards, whose results are those of before.
  names joined() {
    const auto before = result();
    pass::join_slices::run(g);
    CHECK(result() == before);
    CHECK(net::verify(g).empty());
    names all;
    for (const auto n : g.order()) all.push_back(g[n].name);
    return all;
  }
};

}  // namespace

TEST_CASE("slices of a tensor that meet again are the tensor") {
  picture p;
  const auto f = p.function("f", p.in);
  const auto a = p.slice("a", f, 0, 2), b = p.slice("b", f, 2, 1), c = p.slice("c", f, 3, 3);
  p.end(p.g.add("both", net::concat{}, {a, b, c}));
  CHECK(p.joined() == names{"in", "f", "end"});
}

TEST_CASE("slices that others read as well stay for them") {
  picture p;
  const auto f = p.function("f", p.in);
  const auto a = p.slice("a", f, 0, 2), b = p.slice("b", f, 2, 4);
  const auto again = p.function("again", b);
  const auto all = p.g.add("all", net::concat{}, {a, b, again});
  p.end(all);
  CHECK(p.joined() == names{"in", "f", "b", "again", "all", "end"});
}

TEST_CASE("neighbouring slices are one, others stay as they are") {
  picture p;
  const auto f = p.function("f", p.in);
  const auto a = p.slice("a", f, 1, 2), b = p.slice("b", f, 3, 2), c = p.slice("c", f, 0, 1);
  p.end(p.g.add("all", net::concat{}, {a, b, c}));
  CHECK(p.joined() == names{"in", "f", "c", "f/slice", "all", "end"});
  picture turned;
  const auto g = turned.function("g", turned.in);
  const auto x = turned.slice("x", g, 3, 3), y = turned.slice("y", g, 0, 3);
  turned.end(turned.g.add("all", net::concat{}, {x, y}));
  CHECK(turned.joined() == names{"in", "g", "x", "y", "all", "end"});
}

TEST_CASE("a concat of concats is one, unless something else reads those") {
  for (const bool read : {false, true}) {
    picture p;
    const auto a = p.function("a", p.in), b = p.function("b", a);
    const auto inner = p.g.add("inner", net::concat{}, {a, b});
    auto last = p.g.add("outer", net::concat{}, {b, inner});
    if (read) last = p.g.add("more", net::concat{}, {last, p.function("f", inner)});
    p.end(last);
    const auto all = p.joined();
    CHECK((std::ranges::find(all, "inner") != all.end()) == read);
    CHECK((std::ranges::find(all, "outer") == all.end()) == read);
  }
}

TEST_CASE("a concat that is gathered stays apart where the other one is not") {
  const auto inner_stays = [](std::int32_t first, std::int32_t second) {
    picture p;
    const auto filters = [&](const std::string& name, std::int32_t kernels) {
      return p.g.add(name, net::convolution{.kernels = kernels,
                                            .weights = std::vector<float>(
                                                static_cast<std::size_t>(6 * kernels), 1)},
                     {p.in});
    };
    const auto inner = p.g.add("inner", net::concat{}, {filters("a", first), filters("b", second)});
    p.end(p.g.add("outer", net::concat{}, {inner, filters("c", 3)}));
    const auto all = p.joined();
    return std::ranges::find(all, "inner") != all.end();
  };
  CHECK(inner_stays(12, 4));
  CHECK_FALSE(inner_stays(12, 5));
  CHECK_FALSE(inner_stays(8, 8));
}
