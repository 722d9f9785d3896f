// SPDX-License-Identifier: Apache-2.0
// Schedules as values: policies that choose them, what cannot be chosen, and the search.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>
#include <nvdlac/schedule/standard.hpp>

using namespace nvdlac;

namespace {

// Convolutions of 32 channels behind each other, with one beside them that reads the same as the
// second and which nothing needs.
plan::lowered two_ways(std::int32_t height) {
  constexpr bytes atom = nv_small::spec.atom();
  plan::lowered l;
  const auto cube = [&](std::int32_t buffer) {
    return layer::packed({32, height, 16}, atom, {buffer, 0});
  };
  for (std::int32_t b = 0; b < 5; ++b)
    l.buffers.push_back({.name = label("cube", b), .memory = plan::memory::features,
                         .size = cube(b).size});
  l.buffers.push_back({.name = "weights", .memory = plan::memory::weights, .size = 9216});
  const auto convolve = [&](std::string_view name, std::int32_t from, std::int32_t to) {
    layer::convolution c{.input = cube(from), .weights = {.at = {5, 0}, .size = 9216},
                         .output = {32, height, 16}};
    c.window = {.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1, .pad_bottom = 1,
                .pad_right = 1};
    c.entries_per_slice = 64;
    c.release = static_cast<std::uint16_t>(height);
    c.data_banks = 3;
    c.weight_banks = 3;
    l.layers.push_back({name, c});
    l.layers.push_back({label(name, "/sdp"), layer::sdp{.input = cube(-1), .output = cube(to)}});
  };
  convolve("first", 0, 1);
  convolve("second", 1, 2);
  convolve("third", 2, 3);
  convolve("beside", 1, 4);
  return l;
}

struct two_tiles {
  schedule::choices operator()(const schedule::draft& d) const {
    return d.tile(schedule::standard{}(d), "second", {3});
  }
};

std::string names(const plan::lowered& l) {
  std::string all;
  for (const auto& one : l.layers)
    if (const std::string name = one.name; name.find("/sdp") == name.npos) all += name + " ";
  return all;
}

std::string refusal(const schedule::draft& d, const schedule::choices& c) {
  try {
    (void)d.numbered(c, "s.json");
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("a policy of two lines forces a tile") {
  auto l = two_ways(16);
  schedule::order::run<two_tiles>(nv_small::spec, l);
  CHECK(says(names(l), "second/y0 "));
  CHECK(says(names(l), "second/y3 "));
  for (const auto& one : l.layers)
    if (one.name == "second/y0") CHECK(std::get<layer::convolution>(one.what).output.h == 3);
}

TEST_CASE("several tiles are the whole convolution") {
  const auto l = two_ways(16);
  const schedule::draft d(nv_small::spec, l);
  auto cut = l;
  schedule::order::apply(d, d.tile({}, "first", {2, 3, 11}), cut);
  std::int32_t row = 0;
  for (std::size_t i = 0; i < 8; i += 2) {
    const auto& s = std::get<layer::sdp>(cut.layers[i + 1].what);
    CHECK(s.output.at.offset == static_cast<std::uint64_t>(row) * s.output.line_stride);
    row += s.output.shape.h;
  }
  CHECK(row == 16);
  CHECK(cut.layers[8].name == "second");
}

TEST_CASE("what a policy orders is kept, as far as the layers depend on each other") {
  auto l = two_ways(16);
  const schedule::draft d(nv_small::spec, l);
  const auto early = d.order({}, "beside", "second");
  CHECK(early.order == std::vector<std::string>{"first", "beside", "second", "third"});
  CHECK(d.order({}, "third", "first").order ==
        std::vector<std::string>{"first", "second", "third", "beside"});
  auto now = l;
  schedule::order::apply(d, early, now);
  CHECK(names(now) == "first beside second third ");
  // A tile that the order did not know stands where its stage was.
  CHECK(d.tile(early, "second", {8}).order ==
        std::vector<std::string>{"first", "beside", "second/y0", "second/y8", "third"});
}

TEST_CASE("neighbours share what is not apart") {
  auto l = two_ways(4);
  const schedule::draft d(nv_small::spec, l);
  const auto shared = [&](const schedule::choices& c) {
    auto now = l;
    schedule::order::apply(d, c, now);
    return std::get<layer::convolution>(now.layers[2].what).weight_reuse;
  };
  CHECK(shared(d.keep({})));
  CHECK_FALSE(shared(d.keep({}, {"second"})));
  CHECK_FALSE(shared({}));
}

TEST_CASE("what does not fit the network is refused with its name and the reason") {
  const auto l = two_ways(16);
  const schedule::draft d(nv_small::spec, l);
  CHECK(refusal(d, {}).empty());
  const auto of_tiles = [&](std::vector<schedule::cut> tiles) {
    return refusal(d, {.tiles = std::move(tiles)});
  };
  for (const auto& rows : {std::vector<std::int32_t>{0}, {16}, {8, 8}, {8, 4}, {-1}}) {
    const auto given = of_tiles({{"first", rows}});
    CHECK(says(given, "s.json: layer 'first': has not these tiles"));
  }
  CHECK(says(of_tiles({{"fourth", {8}}}), "layer 'fourth': is no stage"));
  CHECK(says(of_tiles({{"first", {8}}, {"first", {4}}}), "is cut twice"));
  CHECK(says(of_tiles({{"fourth", {8}}, {"first", {20}}}), "layer 'first'"));  // both are told
  CHECK(says(refusal(d, {.apart = {"first/y0"}}), "layer 'first/y0': is no stage"));
  CHECK(says(refusal(d, {.apart = {"first", "first"}}), "is listed twice"));
  CHECK(says(refusal(d, {.order = {"first", "second", "third"}}),
             "layer 'beside': has no place in the order"));
  CHECK(says(refusal(d, {.order = {"second", "first", "third", "beside"}}),
             "layer 'second': stands in the order before what it needs"));
  auto large = two_ways(16);
  std::get<layer::convolution>(large.layers[0].what).entries_per_slice = 2000;
  CHECK(says(refusal(schedule::draft(nv_small::spec, large), {.tiles = {{"first", {8}}}}),
             "layer 'first': has no room for them"));
}

TEST_CASE("the search finds the same better schedule with any number of threads") {
  const auto l = two_ways(16);
  const schedule::draft d(nv_small::spec, l);
  const auto from = schedule::standard{}(d);
  const auto one = schedule::search(d, from, {.trials = 150, .threads = 1});
  CHECK(one.before == d.price(from));
  CHECK(one.after == d.price(one.choices));
  CHECK(one.after.cycles < one.before.cycles);
  std::size_t given = 0;
  for (const std::size_t threads : {2u, 4u}) {
    const auto tell = [&](std::size_t done, std::size_t all) {
      CHECK(all == 150);
      given = done;
    };
    const auto again =
        schedule::search(d, from, {.trials = 150, .threads = threads, .progress = tell});
    CHECK(again.choices == one.choices);
    CHECK(again.after == one.after);
  }
  CHECK(given == 150);
}

TEST_CASE("the search changes layers where there are some that can be, and none where not") {
  plan::lowered relu;
  for (const auto m : {plan::memory::input, plan::memory::output})
    relu.buffers.push_back({.name = "cube", .memory = m, .size = 512});
  const auto cube = [](std::int32_t buffer) {
    return layer::packed({8, 8, 8}, nv_small::spec.atom(), {buffer, 0});
  };
  relu.layers.push_back({"relu", layer::sdp{.input = cube(0), .output = cube(1)}});
  // Neither says of a convolution that it has passes: so it is with Winograd's, and with fully
  // connected layers of a batch.
  for (const auto& l : {relu, two_ways(16)}) {
    int made = 0;
    const schedule::draft d(nv_small::spec, l, cost::memory_of(nv_small::spec),
                            [&](const plan::lowering_choices&) {
                              ++made;
                              return l;
                            });
    const auto from = schedule::standard{}(d);
    const auto found = schedule::search(d, from, {.trials = 150, .layers = true});
    CHECK(found.after.cycles <= found.before.cycles);
    CHECK(made == 0);
  }
  auto pooled = two_ways(16);
  pooled.fused.push_back("pool");
  int made = 0;
  const schedule::draft d(nv_small::spec, pooled, cost::memory_of(nv_small::spec),
                          [&](const plan::lowering_choices&) {
                            ++made;
                            return pooled;
                          });
  (void)schedule::search(d, schedule::standard{}(d), {.trials = 150, .layers = true});
  CHECK(made > 0);
}

TEST_CASE("the search tries again on other layers only what means the same there") {
  // Without the pooling on the fly there are fewer layers, and no convolution is the first.
  auto pooled = two_ways(16);
  pooled.fused.push_back("pool");
  auto fewer = two_ways(16);
  fewer.layers.resize(4);
  auto& first = std::get<layer::sdp>(fewer.layers[1].what);
  first.input = first.output;
  fewer.layers.erase(fewer.layers.begin());
  const schedule::draft d(nv_small::spec, pooled, cost::memory_of(nv_small::spec),
                          [&](const plan::lowering_choices& given) {
                            return given.unfused.empty() ? pooled : fewer;
                          });
  for (int trials = 20; trials < 200; trials += 20) {
    schedule::search_result found;
    REQUIRE_NOTHROW(found = schedule::search(d, schedule::standard{}(d),
                                             {.trials = static_cast<std::size_t>(trials),
                                              .layers = true}));
    CHECK(found.after.cycles < found.before.cycles);
  }
}
