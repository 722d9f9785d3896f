// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions on nv_full, where Rubik interleaves the results of their phases, and on
// nv_large, where SDP does: the loadable, its trace and the exact reference agree.
#include <doctest/doctest.h>

#include <array>
#include <random>
#include <type_traits>
#include <vector>

#include <nvdlac/net/find_boxes.hpp>

#include "pipeline.hpp"
#include "random_maps.hpp"

using namespace nvdlac;

namespace {

std::vector<float> noise(std::mt19937& random, std::size_t n) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(random() % 2001) / 1000 - 1;
  return v;
}

struct layers {
  std::size_t all = 0, rubik = 0, sdp_alone = 0;  // sdp_alone: not behind a convolution
};

layers count(const plan::program_data& p) {
  layers n;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations) {
      ++n.all;
      n.rubik += std::holds_alternative<layer::rubik>(op.layer.what);
      if (const auto* s = std::get_if<layer::sdp>(&op.layer.what))
        n.sdp_alone += !s->input.at.on_the_fly();
    }
  return n;
}

// An operator between two convolutions.
template <class Op>
net::graph around(net::shape in, Op op, std::int32_t kernel_behind = 1) {
  std::mt19937 random(3);
  net::graph g;
  const auto point = [&](std::int32_t channels, std::int32_t kernels) {
    const auto n = static_cast<std::size_t>(channels * kernels);
    return net::convolution{.kernels = kernels, .weights = noise(random, n), .relu = true};
  };
  if constexpr (std::is_same_v<Op, net::deconvolution>) {
    op.weights = noise(random, static_cast<std::size_t>(op.weight_count(in)));
    op.bias = noise(random, static_cast<std::size_t>(op.kernels));
  }
  const auto data = g.add("data", net::input{in});
  const auto before = g.add("before", point(in.c, in.c), {data});
  const auto up = g.add("up", op, {before});
  auto last = point(op.infer(std::array{in}).c * kernel_behind * kernel_behind, 7);
  last.window.kernel_h = last.window.kernel_w = kernel_behind;
  const auto after = g.add("after", std::move(last), {up});
  g[after].output = true;
  net::infer_shapes(g);
  return g;
}

layers check(const cli::target& t, const net::graph& g, hw::precision p) {
  INFO(text(t.name(), ", ", hw::name_of(p)));
  std::mt19937 random(9);
  const auto shape = g[net::input_nodes(g).at(0)].shape;
  const net::float_tensor picture{shape, noise(random, shape.size())};
  const std::vector<sample> samples{{picture}};
  const compile_options options{.precision = p};
  const auto r = networks::run_on(t, g, std::span<const sample>(samples), {picture}, options,
                                  networks::replay::yes);
  CHECK((r.simulated == r.exact));
  CHECK(r.trace_differences == 0);
  CHECK(networks::cosine(r.values[0], r.real[0]) > (p == hw::precision::int8 ? 0.99 : 0.999));
  const auto prepared =
      prepare(g, std::span<const sample>(samples), options, pass::silent{}, [](net::graph&) {});
  auto each_alone = options;  // the phases
  each_alone.without.insert("siblings");
  return count(compiled(t, prepared.integers, each_alone).program());
}

net::window window(std::int32_t h, std::int32_t w, std::int32_t stride_h, std::int32_t stride_w,
                   std::int32_t pad = 0) {
  return {.kernel_h = h, .kernel_w = w, .stride_h = stride_h, .stride_w = stride_w,
          .pad_top = pad, .pad_left = pad, .pad_bottom = pad, .pad_right = pad};
}

}  // namespace

TEST_CASE("one pass of Rubik takes the place of those of SDP for each phase") {
  struct row {
    net::deconvolution d;
    std::int32_t channels;
  };
  const row rows[]{{{.kernels = 21, .window = window(2, 2, 2, 2)}, 9},
                   {{.kernels = 40, .window = window(4, 4, 2, 2, 1)}, 33},
                   {{.kernels = 66, .window = window(3, 3, 3, 3)}, 4},
                   {{.kernels = 12, .window = window(2, 4, 1, 2), .groups = 3}, 6},
                   {{.kernels = 8, .window = window(3, 3, 2, 2, 1), .more_h = 1, .more_w = 1}, 8}};
  for (const auto& [d, channels] : rows) {
    INFO(text("kernel ", d.window.kernel_h, 'x', d.window.kernel_w, ", ", d.kernels));
    const auto g = around({channels, 5, 6}, d);
    const auto phases = static_cast<std::size_t>(d.window.stride_h * d.window.stride_w);
    const auto by_sdp = check(hardware<nv_large>(), g, hw::precision::int8);
    CHECK(by_sdp.rubik == 0);
    CHECK(by_sdp.sdp_alone >= phases);
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
      const auto by_rubik = check(hardware<nv_full>(), g, p);
      CHECK(by_rubik.rubik == 1);
      CHECK(by_rubik.sdp_alone == 0);
      if (p == hw::precision::int8) CHECK(by_rubik.all + by_sdp.sdp_alone == by_sdp.all + 1);
    }
  }
}

TEST_CASE("phases whose lines alone take turns are computed where they belong") {
  for (const std::int32_t kernels : {6, 21}) {
    const auto g = around({5, 5, 6}, net::deconvolution{.kernels = kernels,
                                                        .window = window(4, 3, 2, 1)});
    const auto small = check(hardware<nv_large>(), g, hw::precision::int8);
    CHECK(small.sdp_alone == 0);
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
      const auto full = check(hardware<nv_full>(), g, p);
      CHECK(full.rubik == 0);
      CHECK(full.sdp_alone == 0);
      if (p == hw::precision::int8) CHECK(full.all == small.all);
    }
  }
}

TEST_CASE("phases of different sizes are interleaved by SDP everywhere") {
  const auto g = around({5, 4, 6}, net::deconvolution{.kernels = 9, .window = window(3, 3, 2, 2)});
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
    CHECK(check(hardware<nv_full>(), g, p).rubik == 0);
}

TEST_CASE("what comes from depth or is repeated takes turns as well") {
  const auto move = [](net::shape in, const element_map& m) {
    return net::move{.target = m.to, .boxes = net::find_boxes(m.from, m.to, in)};
  };
  const net::shape deep{128, 3, 4}, wide{70, 4, 3};
  const auto spread = move(deep, map_of({32, 6, 8}, [&](auto c, auto y, auto x) {
    return static_cast<std::int32_t>(deep.at((y % 2 * 2 + x % 2) * 32 + c, y / 2, x / 2));
  }));
  const auto repeated = move(wide, map_of({70, 8, 9}, [&](auto c, auto y, auto x) {
    return static_cast<std::int32_t>(wide.at(c, y / 2, x / 3));
  }));
  for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16}) {
    const auto from_depth = check(hardware<nv_full>(), around(deep, spread), p);
    CHECK(from_depth.rubik == 1);
    CHECK(from_depth.sdp_alone == 0);
    // A convolution of single pixels would be computed before.
    const auto six_times = check(hardware<nv_full>(), around(wide, repeated, 2), p);
    CHECK(six_times.rubik == 1);
    CHECK(six_times.sdp_alone == 5);  // the sixth time it stands there
  }
}

TEST_CASE("an output of a transposed convolution that two others read stays the first") {
  for (const auto* t : cli::targets()) {
    CAPTURE(t->name());
    std::mt19937 random(21);
    net::graph g;
    const auto data = g.add("data", net::input{{2, 5, 6}});
    const auto up = g.add(
        "up", net::deconvolution{.kernels = 3,
                                 .window = {.kernel_h = 2, .kernel_w = 3, .stride_h = 2,
                                            .stride_w = 2},
                                 .weights = noise(random, 36)}, {data});
    const auto twice = g.add("twice", net::scale{.factor = {2, -1, 0.5F}, .bias = {0, 1, 0}}, {up});
    const auto filters = g.add("filters", net::convolution{.kernels = 4,
                                                           .weights = noise(random, 12)}, {up});
    g[up].output = g[twice].output = g[filters].output = true;
    net::infer_shapes(g);
    const std::vector<sample> samples{{{{2, 5, 6}, noise(random, 60)}}};
    const auto r = networks::run_on(*t, g, std::span<const sample>(samples), samples[0], {},
                                    networks::replay::yes);
    CHECK((r.simulated == r.exact));
    CHECK(r.trace_differences == 0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(networks::cosine(r.values[i], r.real[i]) > 0.999);
  }
}
