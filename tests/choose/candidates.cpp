// SPDX-License-Identifier: Apache-2.0
// The candidates that each choice lists, and which of them is taken.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/base/label.hpp>
#include <nvdlac/choose/batch.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/folded.hpp>
#include <nvdlac/choose/lines.hpp>
#include <nvdlac/choose/paced.hpp>
#include <nvdlac/choose/pass_weights.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

using namespace nvdlac;

TEST_CASE("the first of the cheapest candidates is taken") {
  int asked = 0;
  const auto price = [&](int n) {
    ++asked;
    return n % 10;
  };
  CHECK(choose::best(std::vector{13, 22, 32, 5}, price) == 22);
  CHECK(asked == 4);
  CHECK(choose::best(std::vector{9}, price) == 9);
  CHECK(asked == 4);  // nothing to choose: nothing is priced
}

TEST_CASE("each choice is made with those before it") {
  const auto price = [](const choose::candidate& c) {
    return c.lowering.pass_weights + (c.batch.maps ? 0U : 100U);
  };
  const auto maps = [](choose::candidate c) {
    auto with = c;
    with.batch.maps = true;
    return std::vector{c, with};
  };
  const auto passes = [](choose::candidate c) {
    CHECK(c.batch.maps);
    auto fewer = c;
    c.lowering.pass_weights = 9;
    fewer.lowering.pass_weights = 4;
    return std::vector{c, fewer};
  };
  const auto chosen = choose::one_by_one({}, price, maps, passes);
  CHECK(chosen.batch.maps);
  CHECK(chosen.lowering.pass_weights == 4);
}

TEST_CASE("batches share layers as far as the configuration and the options allow") {
  const auto listed = [](const auto& all) {
    std::string words;
    for (const choose::candidate& c : all)
      words += (words.empty() ? "" : " ") + std::to_string(c.batch.pictures) +
               (c.batch.maps ? "m" : "") + std::to_string(static_cast<int>(c.batch.mode));
    return words;
  };
  using enum lower::batch_mode_use;
  const auto code = [](lower::batch_mode_use u) { return std::to_string(static_cast<int>(u)); };
  compile_options options;
  CHECK(choose::with_batch(nv_full::spec, {}, options).size() == 1);
  options.batch = 3;
  CHECK(listed(choose::with_batch(nv_small::spec, {}, options)) ==
        "3" + code(off) + " 3m" + code(off));
  CHECK(listed(choose::with_batch(nv_full::spec, {}, options)) ==
        "3" + code(off) + " 3m" + code(off) + " 3" + code(predicted) + " 3m" + code(predicted) +
            " 3" + code(forced) + " 3m" + code(forced));
  options.batch_mode = forced;
  CHECK(listed(choose::with_batch(nv_full::spec, {}, options)) ==
        "3" + code(forced) + " 3m" + code(forced));
  options.without.insert(std::string(lower::batch_mode::name));
  CHECK(listed(choose::with_batch(nv_full::spec, {}, options)) ==
        "3" + code(off) + " 3m" + code(off));
}

TEST_CASE("weights of a pass are parts of the secondary memory that has no room for all") {
  compile_options options;
  std::uint64_t weights = 1 << 20;
  bool asked = false;
  const auto sizes = [&] {
    std::vector<std::uint64_t> all;
    for (const auto& c : choose::with_pass_weights({}, options, [&] {
           asked = true;
           return weights;
         }))
      all.push_back(c.lowering.pass_weights);
    return all;
  };
  CHECK(sizes() == std::vector<std::uint64_t>{0});
  CHECK_FALSE(asked);  // no secondary memory: the network is not lowered for the answer
  options.cvsram.bytes = 1 << 18;
  options.cvsram.weights = true;
  CHECK(sizes() == std::vector<std::uint64_t>{0, 1 << 16, 1 << 15, 1 << 14});
  weights = 1 << 18;  // they all have room
  CHECK(sizes() == std::vector<std::uint64_t>{0});
  weights = std::uint64_t{33} << 16;  // 66 passes of an eighth
  CHECK(sizes() == std::vector<std::uint64_t>{0, 1 << 16});
  options.schedule.emplace();
  options.schedule->choices.lowering.pass_weights = 77;
  CHECK(sizes() == std::vector<std::uint64_t>{77});
}

namespace {

// A program maker's answers about the convolutions of a network.
struct passes_given {
  std::vector<plan::split_convolution> cut{};
  std::size_t most = 9;  // passes that are possible
  bool narrow = false;

  std::vector<plan::split_convolution> convolutions(const choose::candidate&) const { return cut; }
  bool is_possible(const choose::candidate& c) const { return c.lowering.passes.size() <= most; }
  bool is_narrow() const { return narrow; }
};

}  // namespace

TEST_CASE("other passes are those of layers that have several, or of all that would wait less") {
  const plan::passes two{.layer = "two", .rows = 2}, whole{.layer = "whole", .rows = 4};
  passes_given network{.cut = {{.now = {.rows = 6}, .results = {8, 12, 12}}}};
  const auto listed = [&](const compile_options& options = {}) {
    std::vector<std::size_t> all;
    for (const auto& c : choose::with_paced({}, options, network))
      all.push_back(c.lowering.passes.size());
    return all;
  };
  CHECK(listed() == std::vector<std::size_t>{0});
  network.cut.push_back({.now = {.rows = 6}, .results = {8, 12, 12}, .paced = two});
  network.cut.push_back(network.cut.back());  // of another picture
  CHECK(listed() == std::vector<std::size_t>{0, 1});
  network.cut.push_back({.now = {.rows = 12}, .results = {8, 12, 12}, .paced = whole});
  CHECK(listed() == std::vector<std::size_t>{0, 1, 2});
  network.cut.back().paced->kernels = 8;  // of a narrow memory alone
  CHECK(listed() == std::vector<std::size_t>{0, 1});
  network.narrow = true;
  CHECK(listed() == std::vector<std::size_t>{0, 1, 2});
  network.most = 1;  // the hardware does not run all of them
  CHECK(listed() == std::vector<std::size_t>{0, 1});
  compile_options given;
  given.schedule.emplace();
  CHECK(listed(given) == std::vector<std::size_t>{0});
  compile_options without;
  without.without.insert(std::string(lower::pace_passes::name));
  CHECK(listed(without) == std::vector<std::size_t>{0});
}

TEST_CASE("all lines are read as well where a kernel of one line steps over some") {
  const auto ways = [](const net::window& w, const compile_options& options = {}) {
    quantised::graph g;
    const auto in = g.add("in", quantised::input{{8, 12, 12}});
    g.add("conv", quantised::convolution{.kernels = 8, .window = w}, {in});
    return choose::with_lines({}, g, options).size();
  };
  CHECK(ways({.stride_h = 2, .stride_w = 2}) == 2);
  CHECK(ways({.kernel_h = 3, .stride_w = 2}) == 2);  // where maps are transposed
  CHECK(ways({.kernel_h = 3, .kernel_w = 3, .stride_h = 2, .stride_w = 2}) == 1);
  CHECK(ways({}) == 1);
  compile_options given;
  given.schedule.emplace();
  CHECK(ways({.stride_h = 2}, given) == 1);
}

namespace {

// A network of two convolutions that can be folded, which take so many cycles, and folded others.
struct folding_maker {
  std::vector<label> can{"one", "two"};
  std::array<std::uint64_t, 2> plain{10, 10}, folded{8, 12};

  std::vector<label> foldable(const choose::candidate&) const { return can; }
  std::vector<std::uint64_t> cycles_of(const choose::candidate& c, std::span<const label>) const {
    const auto& now = c.lowering.folded.empty() ? plain : folded;
    return {now.begin(), now.end()};
  }
};

}  // namespace

TEST_CASE("lines are as they are, or folded in all layers or in those that it makes faster") {
  folding_maker network;
  using names = std::vector<std::vector<label>>;
  const auto listed = [&](const compile_options& options = {}, std::size_t candidates = 1) {
    names all;
    const std::vector<choose::candidate> from(candidates);
    for (const auto& c : choose::with_folded(from, options, network))
      all.push_back(c.lowering.folded);
    return all;
  };
  CHECK(listed() == names{{}, {"one", "two"}, {"one"}});
  CHECK(listed({}, 2) == names{{}, {"one", "two"}, {"one"}, {}, {"one", "two"}, {"one"}});
  network.folded = {8, 9};
  CHECK(listed() == names{{}, {"one", "two"}});
  network.folded = {12, 12};
  CHECK(listed() == names{{}, {"one", "two"}});
  compile_options given;
  given.schedule.emplace();
  CHECK(listed(given) == names{{}});
  compile_options without;
  without.without.insert(std::string(lower::fold_lines::name));
  CHECK(listed(without) == names{{}});
  network.can.clear();
  CHECK(listed() == names{{}});
}
