// SPDX-License-Identifier: Apache-2.0
// A pipeline of the user's own in place of the standard one. At night it is compiled with the
// headers alone, too.
#include <doctest/doctest.h>

#include <string_view>
#include <variant>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/product_definitions.hpp>

namespace {

int runs = 0;

// Counts the graphs that it sees.
struct look {
  static constexpr std::string_view name = "look";
  static constexpr std::string_view description = "counts the graphs";
  static void run(auto&) { ++runs; }
};
struct with_look : decltype(nvdlac::pass::standard{} | nvdlac::pass::pipeline<look>{}) {};
static_assert(nvdlac::pass::runs_over<with_look, nvdlac::net::graph>);
static_assert(!nvdlac::pass::runs_over<look, nvdlac::net::graph>);  // one pass is no pipeline

}  // namespace

TEST_CASE("compile takes a pipeline of the user's own") {
  using nvdlac::nv_small;
  const std::filesystem::path digits = NVDLAC_SOURCE_DIR "/examples/digits";
  const auto model = nvdlac::read(digits / "digits.onnx");
  const nvdlac::pictures calibration(digits / "calibration.idx");
  runs = 0;
  const auto chip = nvdlac::compile<nv_small, with_look>(model, calibration);
  CHECK(runs == 1);
  // A pass that changes nothing gives the standard program; and a graph takes it as well.
  const auto options = nvdlac::compile_options{
      .network = "digits", .preprocessing = nvdlac::net::preprocessing{}};
  const auto program =
      nvdlac::compile<nv_small, with_look>(model->graph, chip.network().scales, options);
  CHECK(runs == 2);
  const auto bytes = nvdlac::emit::loadable(program);
  CHECK(bytes == nvdlac::emit::loadable(chip.program()));
  CHECK(bytes ==
        nvdlac::emit::loadable(nvdlac::compile<nv_small>(model, calibration).program()));
  CHECK(runs == 2);
  const auto notes = nvdlac::emit::read_loadable(chip.loadable()).notes;
  REQUIRE(notes.made_from.options.size() == 2);
  CHECK(notes.made_from.options[1] == "own passes with_look");
  // A name that only this pipeline has.
  nvdlac::compile_options without;
  without.without = {"look"};
  nvdlac::compile<nv_small, with_look>(model, calibration, without);
  CHECK(runs == 2);
  CHECK_THROWS_WITH_AS(nvdlac::compile<nv_small>(model, calibration, without),
                       doctest::Contains("there is no pass 'look'"), nvdlac::error);
}
