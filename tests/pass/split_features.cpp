// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/net/find_boxes.hpp>
#include <nvdlac/pass/split_features.hpp>

#include "same_values.hpp"

using namespace nvdlac;
using namespace nvdlac::net;

namespace {

// A network whose fully connected layer `y` of 3 outputs is its only output.
class features {
 public:
  explicit features(shape in) { input_ = g_.add("x", input{in}, {}); }

  graph::id map(std::int32_t channels, std::int32_t stride = 1) {
    infer_shapes(g_);
    const auto c = g_[input_].shape.c;
    return g_.add("map_" + std::to_string(g_.size()),
                  convolution{.kernels = channels,
                              .window = {.stride_h = stride, .stride_w = stride},
                              .weights = small(static_cast<std::size_t>(channels * c))},
                  {input_});
  }
  template <class Op>
  graph::id add(const std::string& name, Op op, const std::vector<graph::id>& inputs) {
    return g_.add(name, std::move(op), inputs);
  }
  graph::id flat(graph::id n) { return add("flat_" + std::to_string(n), flatten{}, {n}); }
  // The map's elements, the channels of a place together.
  graph::id flat_by_places(graph::id n) {
    infer_shapes(g_);
    const shape s = g_[n].shape;
    std::vector<std::int32_t> from;
    for (std::int32_t y = 0; y < s.h; ++y)
      for (std::int32_t x = 0; x < s.w; ++x)
        for (std::int32_t c = 0; c < s.c; ++c)
          from.push_back(static_cast<std::int32_t>(s.at(c, y, x)));
    const shape to{static_cast<std::int32_t>(s.size()), 1, 1};
    return add("places", move{.target = to, .boxes = find_boxes(from, to, s)}, {n});
  }
  graph::id connected(graph::id n) {
    infer_shapes(g_);
    return add("y", fully_connected{.outputs = 3, .weights = small(3 * g_[n].shape.size()),
                                    .bias = small(3), .relu = true}, {n});
  }
  template <class... Outputs>
  graph behind(Outputs... outputs) {
    ((g_[outputs].output = true), ...);
    return same_behind<pass::split_features>(g_);
  }

 private:
  std::vector<float> small(std::size_t n) {
    auto values = random_.reals(n);
    for (float& v : values) v /= 100;
    return values;
  }

  graph g_{};
  graph::id input_ = 0;
  randomness random_{3};
};

template <class Op>
std::size_t count(const graph& g) {
  std::size_t n = 0;
  for (graph::id i = 0; i < g.size(); ++i) n += std::holds_alternative<Op>(g[i].op) ? 1 : 0;
  return n;
}

// The layers of 3 kernels, each of which reads what a cube has.
std::size_t layers(const graph& g) {
  std::size_t n = 0;
  for (graph::id i = 0; i < g.size(); ++i) {
    const auto* c = std::get_if<convolution>(&g[i].op);
    if (c == nullptr || c->kernels != 3) continue;
    ++n;
    CHECK(g[g.inputs(i)[0]].shape.c <= 8192);
  }
  return n;
}

}  // namespace

TEST_CASE("maps whose elements stand one behind the other are read as they are") {
  features net({2, 8, 8});
  const auto a = net.map(6), b = net.map(5, 2), c = net.map(4);
  const auto all = net.add("all", concat{}, {net.flat(a), net.flat_by_places(b), net.flat(c)});
  const auto g = net.behind(net.connected(all));
  CHECK(count<flatten>(g) == 0);
  CHECK(count<move>(g) == 0);
  CHECK(layers(g) == 2);         // of 8x8 and of 4x4
  CHECK(count<concat>(g) == 1);  // of the channels of those of 8x8
  const auto& y = g[g.outputs().at(0)];
  CHECK(y.name == "y");
  CHECK(std::get<net::add>(y.op).relu);
}

TEST_CASE("maps of one height and width need no sum") {
  features net({2, 8, 8});
  const auto a = net.map(6), b = net.map(4);
  const auto all = net.add("all", concat{}, {net.flat(a), net.flat(b)});
  const auto g = net.behind(net.connected(all));
  CHECK(count<flatten>(g) == 0);
  CHECK(count<net::add>(g) == 0);
  CHECK(std::get<convolution>(g[g.outputs().at(0)].op).relu);
}

TEST_CASE("vectors beside maps are one part of the sum") {
  features net({2, 8, 8});
  const auto a = net.map(6);
  const auto mean = net.add("mean", pool{.kind = pool_kind::average, .global = true}, {a});
  const auto most = net.add("most", pool{.kind = pool_kind::maximum, .global = true}, {a});
  const auto all = net.add("all", concat{}, {mean, net.flat(a), most});
  const auto g = net.behind(net.connected(all));
  CHECK(count<flatten>(g) == 0);
  CHECK(layers(g) == 2);
}

TEST_CASE("few features and what others read one behind the other stay") {
  {
    features net({2, 4, 4});
    const auto all = net.add("all", concat{}, {net.flat(net.map(3)), net.flat(net.map(2, 2))});
    CHECK(count<flatten>(net.behind(net.connected(all))) == 2);
  }
  features net({2, 8, 8});
  const auto all = net.add("all", concat{}, {net.flat(net.map(6)), net.flat(net.map(5, 2))});
  const auto y = net.connected(all);
  CHECK(count<flatten>(net.behind(y, net.add("other", relu{}, {all}))) == 2);
}

TEST_CASE("more features than a cube has are read in parts") {
  features net({3, 1, 1});
  const auto wide = net.map(17000);
  const auto g = net.behind(net.connected(wide));
  CHECK(layers(g) == 3);
  CHECK(count<net::add>(g) == 2);
}
