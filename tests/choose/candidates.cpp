// SPDX-License-Identifier: Apache-2.0
// The candidates that each choice lists, and which of them is taken.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/choose/batch.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/pass_weights.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/lower/options.hpp>

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
  CHECK(listed(choose::with_batch(nv_small::spec, {}, options)) == "3" + code(off) + " 3m" + code(off));
  CHECK(listed(choose::with_batch(nv_full::spec, {}, options)) ==
        "3" + code(off) + " 3m" + code(off) + " 3" + code(predicted) + " 3m" + code(predicted) +
            " 3" + code(forced) + " 3m" + code(forced));
  options.batch_mode = forced;
  CHECK(listed(choose::with_batch(nv_full::spec, {}, options)) ==
        "3" + code(forced) + " 3m" + code(forced));
  options.without.insert(std::string(lower::batch_mode::name));
  CHECK(listed(choose::with_batch(nv_full::spec, {}, options)) == "3" + code(off) + " 3m" + code(off));
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
