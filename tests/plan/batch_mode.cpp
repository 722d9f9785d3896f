// SPDX-License-Identifier: Apache-2.0
// Each rule of batch mode, broken once in a program: the checker finds it without running the
// program, and the simulator by running it where a run can show it.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/plan/validate.hpp>
#include <nvdlac/plan/verify.hpp>

#include "../sim/run_program.hpp"
#include "example.hpp"

using namespace nvdlac;

namespace {

constexpr int pictures_of_example = 5;

// input -> a -> b -> c of five pictures, of which b runs in batch mode; its lines of 7 atoms are
// not whole pairs.
plan::program<nv_full> batch_program() {
  quantised::graph g;
  const net::window same{.kernel_h = 3, .kernel_w = 3, .pad_top = 1, .pad_left = 1,
                         .pad_bottom = 1, .pad_right = 1};
  const auto in = g.add("input", quantised::input{{40, 6, 7}}, {});
  const auto a = g.add("a", example::convolution(40, 48, {}), {in});
  const auto b = g.add("b", example::convolution(48, 72, same), {a});
  g[g.add("c", example::convolution(72, 16, {}), {b})].output = true;
  net::infer_shapes(g);
  return plan::make_program<nv_full>(lower::lower<nv_full>(
      g, "batch", {}, {pictures_of_example, false, lower::batch_mode_use::forced}));
}

// The simulator's error in a run; empty if there is none.
std::string said_of_batch(const plan::program<nv_full>& p) {
  const std::vector<quantised::feed> values(pictures_of_example,
                                            quantised::feed(net::int8_tensor{{40, 6, 7}}));
  try {
    program_run<nv_full> run(p, 1);
    run.run(values);
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

struct batch_mutation {
  const char* checked;
  std::function<void(layer::convolution&, layer::sdp&)> harm;
  bool is_refused = true;  // by the simulator
};

struct without_batch {
  static constexpr hw::spec spec = [] {
    auto s = nv_full::spec;
    s.batch = false;
    return s;
  }();
};

}  // namespace

TEST_CASE("a convolution in batch mode has lines of whole pairs of atoms") {
  auto p = batch_program();
  CHECK(plan::verify(p).empty());
  CHECK(plan::validate(p).empty());
  CHECK(said_of_batch(p).empty());
  const auto& conv = example::layer<layer::convolution>(p, "b");
  const auto& sdp = example::layer<layer::sdp>(p, "b/sdp");
  CHECK(conv.input.pictures == pictures_of_example);
  CHECK(sdp.output.pictures == pictures_of_example);
  CHECK(sdp.output.line_stride == 8 * 32);
  CHECK(sdp.output.picture_stride == 3 * 6 * 8 * 32);
  CHECK(sdp.output.at.offset % hw::pair_of_atoms == 0);
  CHECK(example::buffer(p, sdp.output).offset % hw::pair_of_atoms == 0);
}

TEST_CASE("checker and simulator find each mutation of batch mode") {
  const auto good = batch_program();
  for (const auto& m : std::initializer_list<batch_mutation>{
           {"number of pictures is 33", [](auto& c, auto&) { c.input.pictures = 33; }},
           {"batch mode is none of Winograd's", [](auto& c, auto&) { c.winograd = true; }},
           {"batch mode reads no pixels",
            [](auto& c, auto&) { c.format = layer::pixel_format::a8b8g8r8; }},
           {"entries of the CBUF, more than",
            [](auto& c, auto&) { c.entries_per_slice = 820; }},
           {"data of several pictures do not stay",
            [](auto& c, auto&) { c.skip_data_release = true; }, false},
           {"do not fit 0 banks", [](auto& c, auto&) { c.data_banks = 0; }},
           {"the input has pictures 3088 bytes apart",
            [](auto& c, auto&) { c.input.picture_stride = 3088; }},
           {"the input has pictures 2048 bytes apart, but each takes",
            [](auto& c, auto&) { c.input.picture_stride = 2048; }, false},
           {"gives those of", [](auto& c, auto&) { c.input.pictures = 4; }},
           {"it takes 5 pictures and writes 4", [](auto&, auto& s) { s.output.pictures = 4; }},
           {"it takes several pictures in Winograd's order",
            [](auto&, auto& s) { s.winograd = true; }},
           {"changes the data type of several pictures",
            [](auto&, auto& s) { s.output.precision = hw::precision::int16; }},
           {"the same operands for each element",
            [](auto&, auto& s) {
              s.x2 = {.alu = true, .mode = layer::sdp_mode::per_point, .operand_bytes = 1,
                      .operands = s.output};
            },
            false},
           {"it hands several pictures on to PDP", [](auto&, auto& s) { s.output.at = {}; }},
           {"the output's start is at", [](auto&, auto& s) { s.output.at.offset += 32; }},
           {"the output has pictures 4640 bytes apart",
            [](auto&, auto& s) { s.output.picture_stride = 4640; }, false},
           {"the output of several pictures has strides of 224",
            [](auto&, auto& s) { s.output.line_stride = 224; }},
           {"the output of several pictures has strides of 256 and 1568",
            [](auto&, auto& s) { s.output.surface_stride = 1568; }},
       }) {
    CAPTURE(m.checked);
    auto broken = good;
    m.harm(example::layer<layer::convolution>(broken, "b"),
           example::layer<layer::sdp>(broken, "b/sdp"));
    const auto found = plan::verify(broken);
    std::string texts;
    for (const auto& p : found) texts += to_string(p) + "\n";
    CAPTURE(texts);
    CHECK(example::reported(found, m.checked));
    const auto refused = said_of_batch(broken);
    CAPTURE(refused);
    CHECK((!m.is_refused || !refused.empty()));
  }
}

TEST_CASE("the checker finds what SDP cannot do with several pictures from memory") {
  auto p = batch_program();
  auto& s = example::layer<layer::sdp>(p, "b/sdp");
  s.input = s.output;
  CHECK(example::reported(plan::verify(p), "it takes several pictures from memory"));
}

TEST_CASE("the checker finds batch mode where it is not") {
  const plan::program_data p = batch_program();
  CHECK(example::reported(plan::verify(plan::program<without_batch>{p}),
                          "the configuration has no batch mode"));
}

TEST_CASE("the checker of memory follows every picture") {
  auto p = batch_program();
  auto& s = example::layer<layer::sdp>(p, "b/sdp");
  s.output.picture_stride += 64;  // the last picture ends beyond the buffer
  CHECK(!plan::validate(p).empty());
}
