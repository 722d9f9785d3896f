// SPDX-License-Identifier: Apache-2.0
// Inputs of 16 bits that CDMA reads as images: random first layers, of which the loadable on the
// simulator, its register trace and the exact reference agree in every bit.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/lower/image_orders.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/quantised/graph.hpp>

#include "compiled.hpp"
#include "random_graph.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

// The graph as `compile` prepares it for nv_full.
quantised::graph with_orders(quantised::graph g) {
  const auto orders = lower::image_orders(nv_full::spec, g);
  for (quantised::graph::id n = 0; n < g.size(); ++n)
    if (auto* op = std::get_if<quantised::convolution>(&g[n].op)) op->image = orders[n];
  return g;
}

class random_stems {
 public:
  explicit random_stems(std::uint64_t seed) : random_(seed) {}

  // One to three convolutions of an input of 1 to 4 channels, and sometimes what reads them.
  quantised::graph make(std::uint64_t seed, hw::precision p) {
    const bool is_long = pick(1, 6) == 1;  // beyond an entry of the CBUF
    const net::shape in{pick(1, 4), pick(8, 24), is_long ? pick(120, 300) : pick(8, 30)};
    const auto from = add(quantised::input{in}, {});
    const int readers = pick(1, 4) == 1 ? pick(2, 3) : 1;
    net::window w = window();
    for (int i = 0; i < readers; ++i) {
      if (i > 0 && pick(0, 1) == 1) w = window();  // those of one window may be one layer
      quantised::convolution op{.kernels = pick(1, 40), .window = w, .relu = pick(0, 1) == 1};
      fill_evenly(op, in.c, random_);
      op.pad = static_cast<std::int16_t>(pick(-100, 100));
      auto last = add(std::move(op), {from});
      const auto out = g_.shape(last);
      if (pick(0, 1) == 1 && out.h >= 2 && out.w >= 2)
        last = add(quantised::pool{.window = net::square{.kernel = 2, .stride = pick(1, 2)}},
                   {last});
      g_[last].output = true;
    }
    net::infer_shapes(g_);
    return with_orders(wide_graph::widened(std::move(g_), seed, p));
  }

 private:
  int pick(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }
  net::window window() {
    net::window w{.kernel_h = pick(1, 7), .kernel_w = pick(1, 7), .stride_h = pick(1, 4),
                  .stride_w = pick(1, 4)};
    if (pick(1, 8) == 1) w.kernel_h = w.kernel_w = 8;
    w.pad_top = pick(0, w.kernel_h - 1);
    w.pad_bottom = pick(0, w.kernel_h - 1);
    w.pad_left = pick(0, w.kernel_w - 1);
    w.pad_right = pick(0, w.kernel_w - 1);
    if (pick(1, 8) == 1 && w.kernel_h < 4 && w.kernel_w < 4) w.dilation_h = w.dilation_w = 2;
    return w;
  }
  quantised::graph::id add(quantised::graph::any_operator op,
                           const std::vector<quantised::graph::id>& inputs) {
    const auto n = g_.add("n" + std::to_string(g_.size()), std::move(op), inputs);
    net::infer_shapes(g_);
    return n;
  }

  std::mt19937_64 random_;
  quantised::graph g_{};
};

std::vector<const layer::convolution*> images_of(const plan::program_data& p) {
  std::vector<const layer::convolution*> found;
  for (const auto& t : p.tasks)
    for (const auto& op : t.operations)
      if (const auto* c = std::get_if<layer::convolution>(&op.layer.what); c && c->is_pixel())
        found.push_back(c);
  return found;
}

std::vector<net::any_tensor> exact_of(const quantised::graph& g,
                                      std::span<const quantised::feed> feeds) {
  return quantised::evaluate_any(g, feeds, quantised::order_of(nv_full::spec));
}

// A convolution of an input, in this precision.
quantised::graph stem(net::shape in, std::int32_t kernels, const net::window& w, hw::precision p) {
  std::mt19937_64 random(7);
  quantised::graph g;
  const auto from = g.add("data", quantised::input{in});
  quantised::convolution op{.kernels = kernels, .window = w};
  fill_evenly(op, in.c, random);
  g[g.add("conv", op, {from})].output = true;
  net::infer_shapes(g);
  return with_orders(wide_graph::widened(std::move(g), 7, p));
}

}  // namespace

TEST_CASE("random first layers of 16 bits compute the reference's bits as images") {
  using enum layer::pixel_format;
  std::size_t images = 0, extended = 0, formats[9]{};
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const auto p : {hw::precision::int16, hw::precision::fp16}) {
      INFO(std::string(hw::name_of(p)) << ", seed " << seed);
      const auto g = random_stems(seed).make(seed, p);
      compiled network(hardware<nv_full>(), g);
      for (std::uint64_t input = 0; input < 2; ++input) {
        const auto feeds = wide_graph::feeds(g, 10 * seed + input);
        CHECK((network.infer_any(feeds) == exact_of(g, feeds)));
        if (input == 0 && seed % 4 == 0) CHECK(network.trace_differences(feeds) == 0);
      }
      for (const auto* c : images_of(network.program())) {
        ++images;
        extended += c->kernel_lines > 1;
        ++formats[static_cast<std::size_t>(c->format)];
      }
    }
  CHECK(images > 60);
  CHECK(extended > 20);
  for (const auto f : {r16_i, r16_f, a16b16g16r16, a16b16g16r16_f})
    CHECK(formats[static_cast<std::size_t>(f)] > 5);
}

TEST_CASE("each picture of a batch is an image of its own") {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const auto g = random_stems(seed).make(seed, hw::precision::fp16);
    compile_options options;
    options.batch = 3;
    compiled batch(hardware<nv_full>(), g, options);
    std::vector<quantised::feed> all;
    std::vector<net::any_tensor> expected;
    for (std::uint64_t picture = 0; picture < 3; ++picture) {
      const auto feeds = wide_graph::feeds(g, 10 * seed + picture);
      const auto each = exact_of(g, feeds);
      all.insert(all.end(), feeds.begin(), feeds.end());
      expected.insert(expected.end(), each.begin(), each.end());
    }
    CAPTURE(seed);
    CHECK((batch.infer_any(all) == expected));
  }
}

TEST_CASE("inputs that are no numbers reach the outputs whose windows see them") {
  const auto g = stem({3, 12, 12}, 5, net::square{.kernel = 3, .pad = 1}, hw::precision::fp16);
  compiled network(hardware<nv_full>(), g);
  REQUIRE(images_of(network.program()).size() == 1);
  auto feeds = wide_graph::feeds(g, 3);
  auto& values = std::get<net::fp16_tensor>(feeds[0]);
  values.at(1, 4, 7).bits = 0x7e00;
  const auto found = network.infer_any(feeds);
  CHECK((found == exact_of(g, feeds)));
  const auto& out = std::get<net::fp16_tensor>(found[0]);
  for (std::int32_t y = 0; y < 12; ++y)
    for (std::int32_t x = 0; x < 12; ++x) {
      const bool sees = y >= 3 && y <= 5 && x >= 6 && x <= 8;
      CHECK(((out.at(2, y, x).bits & 0x7fff) > 0x7c00) == sees);
    }
}

TEST_CASE("a loadable tells how values of 16 bits stand as an image") {
  const net::window five = net::square{.kernel = 5, .stride = 2, .pad = 2},
                    wide = net::square{.kernel = 11, .stride = 4};
  struct expected { net::shape in; net::window w; hw::precision p; int format; net::shape memory; };
  for (const auto& e : {expected{{1, 24, 40}, five, hw::precision::fp16, 5, {1, 24, 40}},
                        expected{{3, 24, 40}, five, hw::precision::fp16, 5, {1, 24, 120}},
                        expected{{4, 24, 40}, five, hw::precision::fp16, 8, {4, 24, 40}},
                        // Its steps of 12 pixels of R16 are beyond the registers.
                        expected{{3, 35, 39}, wide, hw::precision::fp16, 8, {4, 35, 39}},
                        expected{{1, 24, 40}, five, hw::precision::int16, 4, {1, 24, 40}},
                        expected{{4, 24, 40}, five, hw::precision::int16, 6, {4, 24, 40}}}) {
    CAPTURE(e.format);
    const auto g = stem(e.in, 9, e.w, e.p);
    compiled network(hardware<nv_full>(), g);
    const auto image = emit::read_loadable(network.loadable(), "program");
    const auto& t = image.tensors[0];
    CHECK(t.data_category == emit::loadable_code::image);
    CHECK(t.data_type == (e.p == hw::precision::fp16 ? emit::loadable_code::half
                                                     : emit::loadable_code::int16));
    CHECK(t.data_format == emit::loadable_code::nhwc);
    CHECK(int{t.pixel_format} == e.format);
    CHECK(net::shape{t.c, t.h, t.w} == e.memory);
    CHECK(t.stride[0] == 2);
    CHECK(t.stride[1] == align_up(std::uint64_t{2} * static_cast<std::uint64_t>(e.memory.c) *
                                      static_cast<std::uint64_t>(e.memory.w), 32));
    const auto feeds = wide_graph::feeds(g, 5);
    CHECK((network.infer_any(feeds) == exact_of(g, feeds)));
  }
}
