// SPDX-License-Identifier: Apache-2.0
// Images of which no line may lie across the end of the data banks: programs are right wherever
// another one left the ring, and checker and simulator find those that are not.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/plan/data_ring.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/schedule/keep.hpp>

#include "../sim/run_program.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

using program = plan::program<nv_small>;

struct network {
  quantised::graph graph;
  std::int32_t batch = 1;

  template <class Hw = nv_small>
  plan::program<Hw> planned() const {
    return plan::make_program<Hw>(lower::lower<Hw>(graph, "image", {}, {batch}));
  }
  std::vector<quantised::feed> feeds(std::mt19937& random) const {
    std::vector<quantised::feed> all;
    for (std::int32_t n = 0; n < batch; ++n) {
      const auto shape = graph.shape(0);
      const bool is_picture = graph.get_if<quantised::input>(0)->pixels.has_value();
      std::vector<std::uint8_t> bytes(shape.size());
      for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
      if (is_picture) all.emplace_back(std::move(bytes));
      else all.emplace_back(net::int8_tensor{shape, {bytes.begin(), bytes.end()}});
    }
    return all;
  }
  std::vector<std::vector<std::int8_t>> results(std::span<const quantised::feed> feeds) const {
    std::vector<std::vector<std::int8_t>> all;
    for (const auto& f : feeds) all.push_back(quantised::evaluate(graph, {&f, 1})[0].values);
    return all;
  }
};

// A picture, or values of four channels, through a convolution, and perhaps another one.
network random_network(std::mt19937& random, std::int32_t stride, std::int32_t size = 1) {
  const auto one_of = [&](std::int32_t least, std::int32_t most) {
    return least + static_cast<std::int32_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  network n;
  n.batch = one_of(1, 4);
  const bool is_picture = random() % 2 == 0;
  const net::window w{.kernel_h = one_of(2, 7), .kernel_w = one_of(stride, 8),
                      .stride_h = one_of(1, 3), .stride_w = stride,
                      .pad_left = one_of(0, 1), .pad_right = one_of(0, 1)};
  const net::shape in{is_picture ? 3 : 4, size * one_of(20, 90), size * one_of(30, 100)};
  auto last = n.graph.add("data", is_picture ? quantised::input{in, quantised::pixels{}}
                                             : quantised::input{in});
  last = n.graph.add("a", example::convolution(in.c, one_of(1, 16), w), {last});
  const auto kernels = n.graph.get_if<quantised::convolution>(last)->kernels;
  if (random() % 2 == 0)
    last = n.graph.add("b", example::convolution(kernels, 8, net::square{.kernel = 3}), {last});
  n.graph[last].output = true;
  net::infer_shapes(n.graph);
  return n;
}

// As nv_small, with as few banks as such an image can have, and with one less.
struct three_banks {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.cbuf_banks = 3;
    return s;
  }();
};
struct two_banks {
  static constexpr hw::spec spec = [] {
    auto s = nv_small::spec;
    s.cbuf_banks = 2;
    return s;
  }();
};

std::vector<layer::convolution*> convolutions(plan::program_data& p) {
  std::vector<layer::convolution*> all;
  plan::each_convolution(p, [&](layer::convolution& c) { all.push_back(&c); });
  return all;
}

// Whether CSC reads all lines right if the program finds the ring there, in banks of that number.
// Of layers that release all their lines in the end, with the banks of programs that write
// registers.
bool is_right_from(const plan::program_data& p, std::uint64_t begin, std::uint32_t banks) {
  constexpr auto& s = nv_small::spec;
  bool is_right = true;
  plan::each_convolution(p, [&](const layer::convolution& c) {
    const std::uint32_t own = c.in_registers().data_banks;
    if (own != banks) {
      begin = 0;
      banks = own;
    }
    const auto ring = std::uint64_t{banks} * s.cbuf_entries_per_bank;
    begin %= ring;
    const std::uint64_t slice = c.entries_per_slice, all = std::uint64_t(c.input.shape.h) * slice;
    // All entries 0 of the ring that are in the image.
    for (auto zero = (ring - begin) % ring; c.jumps_in_lines(s) && zero < all; zero += ring)
      is_right = is_right && !hw::jumps_to(s, c.windows_of_line(), zero % slice);
    if (!c.skip_data_release) begin += all;
  });
  return is_right;
}
bool is_right_from_anywhere(const plan::program_data& p, std::mt19937& random) {
  for (std::uint32_t banks = 1; banks < nv_small::spec.cbuf_banks; ++banks)
    for (int i = 0; i < 8; ++i)
      if (!is_right_from(p, random() % (banks * nv_small::spec.cbuf_entries_per_bank), banks))
        return false;
  return true;
}

bool jumps(const plan::program_data& p) {
  bool any = false;
  plan::each_convolution(p, [&](const auto& c) { any = any || c.jumps_in_lines(nv_small::spec); });
  return any;
}

std::string first_of(const std::vector<problem>& found) {
  return found.empty() ? "" : to_string(found.front());
}

}  // namespace

TEST_CASE("programs of images are right in every inference, from anywhere in the ring") {
  std::mt19937 random(414);
  int concerned = 0;
  for (int i = 0; i < 60; ++i) {
    CAPTURE(i);
    const auto n = random_network(random, i % 3 == 0 ? 5 : i % 3 == 1 ? 3 : 7);
    const auto p = n.planned();
    concerned += jumps(p);
    CHECK_MESSAGE(plan::verify(p).empty(), first_of(plan::verify(p)));
    CHECK_MESSAGE(plan::validate(p).empty(), first_of(plan::validate(p)));
    CHECK(is_right_from_anywhere(p, random));
    if (i % 4 != 0) continue;
    program_run<nv_small> device(p, 7);
    runtime::session<nv_small> session(emit::loadable(p));
    for (int inference = 0; inference < 4; ++inference) {
      CAPTURE(inference);
      const auto feeds = n.feeds(random);
      const auto wanted = n.results(feeds);
      CHECK(device.run(feeds) == wanted);
      const auto outputs = session.infer(feeds);
      for (std::size_t o = 0; o < wanted.size(); ++o) CHECK(outputs[o].values == wanted[o]);
    }
  }
  CHECK(concerned >= 40);
}

TEST_CASE("images that the CBUF does not hold at once begin anew in few of their passes") {
  std::mt19937 random(41);
  std::size_t images = 0, dividers = 0;
  for (int i = 0; i < 24; ++i) {
    CAPTURE(i);
    const auto n = random_network(random, i % 2 == 0 ? 3 : 5, 4);
    auto p = n.planned();
    CHECK_MESSAGE(plan::verify(p).empty(), first_of(plan::verify(p)));
    CHECK_MESSAGE(plan::validate(p).empty(), first_of(plan::validate(p)));
    CHECK(is_right_from_anywhere(p, random));
    images += jumps(p);
    for (const auto& t : p.tasks)
      for (const auto& op : t.operations)
        dividers += op.layer.name == "(data banks)" &&
                    std::holds_alternative<layer::convolution>(op.layer.what);
  }
  CHECK(images >= 20);
  CHECK(dividers <= images + images / 4);
}

TEST_CASE("where no other number of banks is left, a layer of one atom divides two images") {
  std::mt19937 random(3);
  std::size_t between = 0;
  for (int i = 0; i < 24; ++i) {
    CAPTURE(i);
    const auto n = random_network(random, i % 2 == 0 ? 3 : 5);
    if (!lower::check<three_banks>(n.graph).empty()) continue;
    const auto p = n.planned<three_banks>();
    CHECK_MESSAGE(plan::verify(p).empty(), first_of(plan::verify(p)));
    CHECK_MESSAGE(plan::validate(p).empty(), first_of(plan::validate(p)));
    CHECK(is_right_from_anywhere(p, random));
    for (const auto& op : p.tasks[0].operations)
      between += &op != &p.tasks[0].operations[0] && op.layer.name == "(data banks)" &&
                 std::holds_alternative<layer::convolution>(op.layer.what);
  }
  CHECK(between > 0);
  using lower::reason;
  const auto why = [](std::int32_t stride) {
    return lower::check_convolution(
        two_banks::spec, {4, 9, 30}, {8, 7, 27 / stride + 1},
        {.kernel_h = 3, .kernel_w = 3, .stride_h = 1, .stride_w = stride}, true);
  };
  CHECK(why(3) == reason::kernel_does_not_fit_the_cbuf);
  CHECK(why(4) == reason::none);
}

TEST_CASE("kernels come ahead where images stay right") {
  std::mt19937 random(4);
  auto memory = cost::memory_of(nv_small::spec);
  memory.weights_ahead = cost::kernels_ahead::as_there_is_time;
  int ahead = 0;
  for (int i = 0; i < 24; ++i) {
    CAPTURE(i);
    const auto n = random_network(random, i % 2 == 0 ? 3 : 5);
    auto layers = lower::lower<nv_small>(n.graph, "image", {}, {n.batch});
    schedule::keep(nv_small::spec, layers.layers);
    auto p = plan::make_program<nv_small>(std::move(layers));
    schedule::bring_ahead(nv_small::spec, memory, p);
    CHECK_MESSAGE(plan::verify(p).empty(), first_of(plan::verify(p)));
    CHECK(is_right_from_anywhere(p, random));
    if (!plan::differs_in_registers(p) || !jumps(p)) continue;
    ++ahead;
    program_run<nv_small> device(p, 7);
    for (int inference = 0; inference < 3; ++inference) {
      const auto feeds = n.feeds(random);
      CHECK(device.run(feeds) == n.results(feeds));
    }
  }
  CHECK(ahead > 5);
}

TEST_CASE("checker and simulator know which programs are not") {
  std::mt19937 random(4140);
  int refused = 0, passed = 0;
  for (int i = 0; i < 30; ++i) {
    CAPTURE(i);
    const auto n = random_network(random, i % 2 == 0 ? 3 : 5);
    const auto good = n.planned();
    if (!jumps(good)) continue;
    // Any other numbers of banks: behind a convolution of other banks, the same for all images.
    for (std::uint8_t banks = 1; banks < 31; ++banks) {
      auto p = good;
      bool fits = true;
      for (auto* c : convolutions(p)) {
        if (!c->is_pixel()) continue;
        c->data_banks = banks;
        fits = fits && c->data_banks + c->weight_banks <= 32 &&
               c->input.shape.h * c->entries_per_slice <= banks * 512;
      }
      if (!fits) continue;
      CAPTURE(int{banks});
      const bool is_right = is_right_from_anywhere(p, random);
      const bool is_refused = example::reported(plan::verify(p), "the end of the data banks");
      CHECK(is_refused == !is_right);
      CHECK(plan::reads_lines_right(nv_small::spec, p, false) == is_right);
      (is_right ? passed : refused) += 1;
      if (i % 5 != 0 || banks % 3 != 0) continue;
      program_run<nv_small> device(p, 3);
      const auto feeds = n.feeds(random);
      const bool is_right_alone = is_right_from(p, 0, 0);
      if (is_right_alone) CHECK(device.run(feeds) == n.results(feeds));
      else
        CHECK_THROWS_WITH_AS(device.run(feeds), doctest::Contains("CSC.D_BANK.DATA_BANK: line "),
                             error);
    }
    // None of other banks before the first image.
    auto p = good;
    const auto all = convolutions(p);
    for (auto* c : all) c->data_banks = all[1]->data_banks;
    CHECK(example::reported(plan::verify(p), "may lie across the end of the data banks"));
  }
  CHECK(refused > 20);
  CHECK(passed > 20);
}

namespace {

// Two passes of an image, with so many data banks, of 3 lines of 402 entries each.
constexpr plan::lowered passes_of_image(std::uint8_t banks) {
  plan::lowered l;
  l.buffers.push_back({.name = "weights", .memory = plan::memory::weights, .size = 64});
  for (int i = 0; i < 2; ++i) {
    layer::convolution c;
    c.input.shape = {4, 3, 804};
    c.output = {8, 1, 268};
    c.format = layer::pixel_format::a8b8g8r8;
    c.weights.at = {.buffer = 0};
    c.window.kernel_h = 3;
    c.window.kernel_w = 3;
    c.window.stride_w = 3;
    c.entries_per_slice = 402;
    c.release = 3;
    c.data_banks = banks;
    c.weight_banks = 1;
    c.skip_weight_release = i == 0;
    c.weight_reuse = i == 1;
    l.layers.push_back({"pass", c});
  }
  return l;
}
struct settled {
  std::size_t layers = 0;
  int divider = 0, first = 0, second = 0;  // data banks
  bool keeps = false;                      // weights from pass to pass

  constexpr bool operator==(const settled&) const = default;
};
constexpr settled settle(std::uint8_t banks) {
  auto l = passes_of_image(banks);
  plan::settle_data_ring(nv_small::spec, l);
  const auto conv = [&](std::size_t n) { return std::get<layer::convolution>(l.layers[n].what); };
  const auto end = l.layers.size();
  return {end, conv(0).data_banks, conv(end - 2).data_banks, conv(end - 1).data_banks,
          conv(end - 1).weight_reuse && conv(end - 2).skip_weight_release};
}

}  // namespace

// With 4 banks line 5 lies across the end: entry 38 of it, which an output has together with 37.
static_assert(settle(4) == settled{4, 1, 5, 5, true});
static_assert(settle(5) == settled{4, 1, 5, 5, true});

TEST_CASE("programs without such images stay as they are") {
  auto layers = lower::lower<nv_small>(example::network(), "example");
  const auto before = layers.layers;
  plan::settle_data_ring(nv_small::spec, layers);
  REQUIRE(layers.layers.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) CHECK(layers.layers[i].what == before[i].what);
}
