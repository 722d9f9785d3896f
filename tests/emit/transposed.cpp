// SPDX-License-Identifier: Apache-2.0
// Networks whose maps stand transposed in memory: users give and get the same numbers.
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/transposed.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/verify/run_tensors.hpp>

#include "compiled.hpp"
#include "hardware.hpp"
#include "planned.hpp"
#include "random_graph.hpp"
#include "wide_graph.hpp"

using namespace nvdlac;

namespace {

template <class T>
net::tensor<T> turned(const net::tensor<T>& x) {
  net::tensor<T> y{net::transposed(x.shape)};
  for (std::int32_t c = 0; c < x.shape.c; ++c)
    for (std::int32_t line = 0; line < x.shape.h; ++line)
      for (std::int32_t column = 0; column < x.shape.w; ++column)
        y.at(c, column, line) = x.at(c, line, column);
  return y;
}
net::any_tensor turned(const net::any_tensor& x) {
  return nvdlac::visit([](const auto& typed) { return net::any_tensor(turned(typed)); }, x);
}
// The feeds of a network for one whose maps are transposed.
std::vector<quantised::feed> turned(const quantised::graph& g, std::vector<quantised::feed> feeds) {
  std::size_t i = 0;
  for (const auto n : net::input_nodes(g)) {
    const auto s = g[n].shape;
    nvdlac::visit([&]<class T>(T& given) {
      if constexpr (std::is_same_v<T, std::vector<std::uint8_t>>) {
        const auto picture = given;
        for (std::int32_t y = 0; y < s.h; ++y)
          for (std::int32_t x = 0; x < s.w; ++x)
            for (std::int32_t c = 0; c < s.c; ++c)
              given[static_cast<std::size_t>((x * s.h + y) * s.c + c)] =
                  picture[static_cast<std::size_t>((y * s.w + x) * s.c + c)];
      } else {
        given = turned(given);
      }
    }, feeds[i++]);
  }
  return feeds;
}

// The options by which maps stand transposed, whatever is faster.
template <class Hw>
compile_options transposing() {
  compile_options options;
  options.schedule = schedule::saved{.configuration = std::string(hardware<Hw>().name()),
                                     .choices = {.lowering = {.transposed = true}}};
  return options;
}

// A convolution of a window that is not square, over a tall input of one channel, and one of 1x1.
quantised::graph spectrogram(bool pixels) {
  std::mt19937_64 random(7);
  quantised::graph g;
  quantised::input in{{1, 49, 10}};
  if (pixels) in.pixels = quantised::pixels{.mean = {}, .cvt = {0, 12000, 14}};
  auto from = g.add("data", in);
  net::infer_shapes(g);
  const auto add = [&](const char* name, std::int32_t kernels, net::window w) {
    quantised::convolution op{.kernels = kernels, .window = w};
    fill_evenly(op, g.shape(from).c, random);
    from = g.add(name, op, {from});
    net::infer_shapes(g);
  };
  add("filter", 64, {.kernel_h = 10, .kernel_w = 4, .stride_h = 2, .stride_w = 2, .pad_top = 4,
                     .pad_left = 1, .pad_bottom = 5, .pad_right = 1});
  add("mixed", 64, {});
  add("heads", 64, {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                    .pad_right = 1});
  g[from].output = true;
  return g;
}

}  // namespace

TEST_CASE("a network with transposed maps computes the same numbers at other places") {
  int possible = 0, possible_in_fp16 = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const std::array precisions{hw::precision::int16, hw::precision::int8, hw::precision::fp16};
    const auto precision = precisions[seed % 3];
    const bool is_int8 = precision == hw::precision::int8;
    const auto int8 = random_graph::make(seed, {.pixels = precision != hw::precision::fp16,
                                                .softmax = is_int8, .averages = is_int8});
    const auto g = is_int8 ? int8 : wide_graph::widened(int8, seed, precision);
    const auto other = quantised::transposed(g);
    if (!other) continue;
    const auto feeds = wide_graph::feeds(g, seed);
    const auto back = turned(g, feeds);
    std::map<std::size_t, net::any_tensor> expected;
    quantised::evaluate_any_each(g, std::span<const quantised::feed>(feeds),
                                 [&](auto n, const auto& t) { expected.emplace(n, turned(t)); });
    CAPTURE(seed);
    quantised::evaluate_any_each(
        *other, std::span<const quantised::feed>(back), [&](auto n, const auto& t) {
          CHECK_MESSAGE((expected.at(n) == t), g[n].name, " of ", g[n].op.index());
        });
    ++(precision == hw::precision::fp16 ? possible_in_fp16 : possible);
  }
  CHECK(possible > 25);
  CHECK(possible_in_fp16 > 5);
}

TEST_CASE("maps are not transposed where numbers would change, or the host reads them") {
  const auto of = [](auto op, hw::precision p = hw::precision::int8) {
    quantised::graph g;
    const auto in = g.add("in", quantised::input{{8, 12, 6}});
    g[in].precision = p;
    const auto n = g.add("n", std::move(op), {in});
    g[n].precision = p;
    g[n].output = true;
    net::infer_shapes(g);
    return quantised::transposed(g).has_value();
  };
  const auto mean = [](net::window w, bool ceil = false) {
    return quantised::pool{.kind = net::pool_kind::average, .window = w, .ceil = ceil};
  };
  CHECK(of(quantised::clip{}));
  CHECK(of(quantised::pool{.window = {.kernel_h = 3, .kernel_w = 2}}));
  CHECK(of(mean({.kernel_h = 2, .kernel_w = 2})));
  CHECK(of(mean({.kernel_h = 3, .kernel_w = 1})));
  CHECK_FALSE(of(mean({.kernel_h = 3, .kernel_w = 2})));
  CHECK_FALSE(of(mean({.kernel_h = 2, .kernel_w = 2, .pad_top = 1})));
  CHECK_FALSE(of(mean({.kernel_h = 5, .kernel_w = 5, .stride_h = 5, .stride_w = 5}, true)));
  CHECK_FALSE(of(mean({.kernel_h = 2, .kernel_w = 2}), hw::precision::fp16));
  CHECK_FALSE(of(quantised::reshape{{8 * 12 * 6, 1, 1}}));
  quantised::convolution c{.kernels = 8, .window = {.kernel_h = 3, .kernel_w = 3}};
  std::mt19937_64 random(1);
  fill_evenly(c, 8, random);
  CHECK(of(c));
  CHECK_FALSE(of(c, hw::precision::fp16));
  c.image = {.channels = 8};
  CHECK_FALSE(of(c));
  c.image = {};
  quantised::convolution steps{.kernels = 8,
                               .window = {.kernel_h = 5, .pad_top = 2, .pad_bottom = 2}};
  fill_evenly(steps, 8, random);
  CHECK(of(steps, hw::precision::fp16));
  c.winograd = true;
  c.weights.resize(8 * 8 * 16);
  CHECK_FALSE(of(c));
}

TEST_CASE("programs with transposed maps give what the network gives") {
  const auto agrees = [](const cli::target& hardware, const compile_options& options,
                         const quantised::graph& g, std::uint64_t seed) {
    compiled network(hardware, g, options);
    REQUIRE(network.program().transposed);
    for (std::uint64_t input = 0; input < 2; ++input) {
      const auto feeds = wide_graph::feeds(g, 10 * seed + input);
      CAPTURE(hardware.name());
      CAPTURE(seed);
      CHECK((network.infer_any(feeds) ==
             quantised::evaluate_any(g, std::span<const quantised::feed>(feeds))));
      CHECK(network.trace_differences(feeds) == 0);
    }
  };
  int tried = 0;
  for (std::uint64_t seed = 1000; seed < 1100; ++seed) {
    const auto g = random_graph::make(seed);
    if (!quantised::transposed(g)) continue;
    try {
      agrees(hardware<nv_small>(), transposing<nv_small>(), g, seed);
      agrees(hardware<nv_large>(), transposing<nv_large>(), g, seed);
      const auto wide = wide_graph::widened(g, seed, hw::precision::int16);
      agrees(hardware<nv_full>(), transposing<nv_full>(), wide, seed);
      ++tried;
    } catch (const error&) {  // what the hardware does not run
    }
  }
  CHECK(tried > 15);
}

TEST_CASE("tall networks are transposed where that is predicted to be faster, and can be left") {
  for (const bool pixels : {false, true}) {
    const auto g = spectrogram(pixels);
    compiled network(hardware<nv_large>(), g);
    CHECK(network.program().transposed);
    CHECK(network.program().inputs[0].shape == net::shape{1, 49, 10});
    CHECK(network.program().inputs[0].surface.shape.h == 10);
    const auto feeds = random_graph::feeds(g, 3);
    const auto expected = quantised::evaluate_any(g, std::span<const quantised::feed>(feeds));
    CHECK((network.infer_any(feeds) == expected));
    compile_options as_it_is;
    as_it_is.without = {"transpose_maps"};
    compiled other(hardware<nv_large>(), g, as_it_is);
    CHECK_FALSE(other.program().transposed);
    CHECK((other.infer_any(feeds) == expected));
    compile_options batch;
    batch.batch = 2;
    compiled two(hardware<nv_large>(), g, batch);
    CHECK(two.program().transposed);
    auto both = feeds;
    both.push_back(random_graph::feeds(g, 4)[0]);
    CHECK((two.infer_any(both)[0] == expected[0]));
  }
  // Lines of 8000 pixels, four of which nv_small's CBUF does not hold.
  quantised::graph tall;
  const auto picture = tall.add(
      "data", quantised::input{{3, 8000, 4}, quantised::pixels{.mean = {}, .cvt = {0, 12000, 14}}});
  quantised::convolution filter{.kernels = 8, .window = net::square{.kernel = 4}};
  std::mt19937_64 random(9);
  fill_evenly(filter, 3, random);
  tall[tall.add("filter", filter, {picture})].output = true;
  net::infer_shapes(tall);
  CHECK(quantised::transposed(tall).has_value());
  CHECK_FALSE(planned(hardware<nv_small>(), tall).transposed);
  quantised::graph square = spectrogram(false);
  square[0].op = quantised::input{{1, 49, 49}};
  net::infer_shapes(square);
  CHECK_FALSE(planned(hardware<nv_large>(), square).transposed);
}

TEST_CASE("a schedule says whether maps are transposed") {
  const auto g = spectrogram(false);
  schedule::saved kept;
  compile_options options;
  options.scheduled = [&](const schedule::saved& s, const auto&, const auto&) { kept = s; };
  compiled network(hardware<nv_large>(), g, options);
  CHECK(kept.choices.lowering.transposed);
  compile_options again;
  again.schedule = kept;
  CHECK(compiled(hardware<nv_large>(), g, again).loadable() == network.loadable());
  quantised::graph host = spectrogram(false);
  const auto last = host.size() - 1;
  host[last].output = false;
  const auto s = host.shape(last);
  host[host.add("flat", quantised::reshape{{s.c * s.h * s.w, 1, 1}}, {last})].output = true;
  net::infer_shapes(host);
  again.schedule->choices = {.lowering = {.transposed = true}};
  again.schedule->file = "kept.json";
  CHECK_THROWS_WITH_AS(planned(hardware<nv_large>(), host, again),
                       doctest::Contains("kept.json: transposes the maps of tensors, which is not"),
                       error);
}

TEST_CASE("the tensors of a run are those of the network") {
  const auto g = spectrogram(true);
  const compiled network(hardware<nv_large>(), g);
  runtime::session<nv_large> session(emit::read_loadable(network.loadable()));
  const auto feeds = random_graph::feeds(g, 8);
  std::map<std::string, net::any_tensor> expected;
  quantised::evaluate_any_each(g, std::span<const quantised::feed>(feeds),
                               [&](auto n, const auto& t) { expected[g[n].name + "/sdp"] = t; });
  std::size_t compared = 0;
  for (const auto& t : verification::tensors_of_run(session, feeds))
    if (const auto found = expected.find(t.layer); found != expected.end()) {
      ++compared;
      CHECK((verification::numbers_of(t, t.bytes, nv_large::spec.atom()) == found->second));
    }
  CHECK(compared > 0);
}

TEST_CASE("who reads the memory is told where elements stand") {
  const auto p = planned(hardware<nv_large>(), spectrogram(true));
  CHECK(layer::placement_lines(p.inputs[0], true, nv_large::spec.atom()).front() ==
        "pixels: channel c of (y, x) at byte x * 64 + y * 1 + c");
  CHECK(layer::placement_lines(p.outputs[0], false, nv_large::spec.atom()).front() ==
        "64x25x5 of int8: element (c, y, x) at byte c / 32 * 4000 + x * 800 + y * 32 + c % 32");
  const auto list = emit::make_registers<nv_large>(p);
  const auto& cube = list.outputs[0].at;
  CHECK(cube.size == cube_size{64, 25, 5});
  CHECK(cube.offset(33, 24, 3) == 4000 + 3 * 800 + 24 * 32 + 1);
  CHECK(list.inputs[0].at.offset(0, 48, 9) == 9 * 64 + 48);
}
