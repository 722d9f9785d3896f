// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/emit/cpp.hpp>
#include <nvdlac/emit/cpp_names.hpp>

#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/net/network.hpp>
#include <nvdlac/quantised/operators.hpp>

using namespace nvdlac;

namespace {

using bytes_of = std::vector<std::int8_t>;
using words_of = std::vector<std::int16_t>;

quantised::graph network() {
  quantised::graph g;
  const auto data =
      g.add("the \"data\"", quantised::input{{1, 4, 4}, quantised::pixels{{3}, {0, 5, 6}}});
  const auto conv = g.add("conv/1",
                          quantised::convolution{.kernels = 2, .window = net::square{.kernel = 3},
                                               .weights = bytes_of(18, std::int8_t{-128}),
                                               .bias = words_of{1, -32768},
                                               .multiplier = words_of{100, 200},
                                               .shift = 9, .relu = true},
                          {data});
  const auto again = g.add("conv 1",
                           quantised::convolution{.kernels = 1, .window = {.kernel_h = 2},
                                                .weights = bytes_of{1, 2, 3, 4},
                                                .bias = net::only_size{1},
                                                .multiplier = words_of{7}},
                           {conv});
  const auto sum =
      g.add("s\xc3\xbcm", quantised::scale{.multiplier = {3}, .out = {0, 1, 1}}, {conv});
  g[conv].scale = 0.1;
  g[sum].scale = 2;
  g[conv].output = g[again].output = g[sum].output = true;
  return g;
}

bool has(const std::string& text, std::string_view part) {
  CAPTURE(text);
  CAPTURE(part);
  const bool found = text.find(part) != text.npos;
  CHECK(found);
  return found;
}

}  // namespace

TEST_CASE("a network as a header: sizes of weights, arrays of everything else") {
  const auto text = emit::write_cpp(
      network(), {.name_space = "a::digits", .source = "x\n.onnx",
                  .images = {{"nv_small", "digits.nv_small.weights.bin", 64}}});
  for (const char* part : {
           "// x\\x0a.onnx in the integers of NVDLA",
           "a_digits_nv_small_weights: .incbin \"digits.nv_small.weights.bin\"",
           "#pragma once\n",
           "namespace a::digits {\n",
           "std::array<std::int16_t, 2> conv_1_bias{\n    1, -32768};\n",
           "std::array<std::int16_t, 2> conv_1_multiplier{\n    100, 200};\n",
           "std::array<std::int16_t, 1> conv_1_multiplier_2{\n    7};\n",
           "inline constexpr nvdlac::net::network model{\n"
           "    node{\"the \\\"data\\\"\", quantised::input{.shape = {1, 4, 4},\n"
           "        .pixels = quantised::pixels{{3, 0, 0, 0}, {0, 5, 6}}}},\n",
           "    node{\"conv/1\", quantised::convolution{.kernels = 2, "
           ".window = square{.kernel = 3},\n"
           "        .weights = only_size{18}, .bias = conv_1_bias, "
           ".multiplier = conv_1_multiplier, .shift = 9,\n"
           "        .relu = true}, \"the \\\"data\\\"\"}.scaled(0.1).read_outside(),\n",
           "using nvdlac::net::only_size;\n",
           ".window = {.kernel_h = 2}",
           ".bias = only_size{1}",
           "node{\"s\\303\\274m\", quantised::scale{.multiplier = s_m_multiplier, "
           ".out = {0, 1, 1}},\n"
           "        \"conv/1\"}.scaled(2.0),\n",
           "extern \"C\" const std::uint8_t a_digits_nv_small_weights[64];",
           "}  // namespace a::digits\n",
       })
    has(text, part);
  has(text, "static_assert(nvdlac::version == \"" + std::string(version) + "\",");
}

TEST_CASE("weights are constants where they are wanted") {
  const auto text = emit::write_cpp(network(), {.constants = true});
  has(text, "std::array<std::int8_t, 18> conv_1_weights{\n    -128, -128, ");
  has(text, "std::array<std::int8_t, 4> conv_1_weights_2{\n    1, 2, 3, 4};\n");
  has(text, ".weights = conv_1_weights, .bias = conv_1_bias");
}

TEST_CASE("names become identifiers, and literals of the same bytes") {
  CHECK(emit::identifier("res2a/branch1 ") == "res2a_branch1");
  CHECK(emit::identifier("__7") == "n7");
  CHECK(emit::identifier("") == "n");
  CHECK(emit::identifier("while") == "while_1");
  CHECK(emit::literal("a\\\"\n\x7f??") == "\"a\\\\\\\"\\012\\177\\?\\?\"");
  CHECK(emit::literal({"\0" "1", 2}) == "std::string_view(\"\\0001\", 2)");
}

TEST_CASE("what no namespace can be called is refused") {
  static_assert(emit::is_namespace("a::b_2"));
  for (const char* wrong : {"", "2a", "a::", "::a", "a::std", "class", "a b", "a__b", "_a",
                            "a:b"}) {
    CAPTURE(wrong);
    CHECK(!emit::is_namespace(wrong));
    CHECK_THROWS_AS(emit::write_cpp(network(), {.name_space = wrong}), error);
  }
}

TEST_CASE("names that headers of C declare are no namespaces outside of others") {
  for (const char* taken : {"index", "div", "system", "read", "exit", "abs", "y1", "y1f", "sinl",
                            "int8_t", "time", "rindex", "index::a"}) {
    CAPTURE(taken);
    CHECK(emit::is_taken_globally(taken));
    CHECK_THROWS_AS(emit::write_cpp(network(), {.name_space = taken}), error);
  }
  for (const char* open : {"digits", "model", "cell", "convnext_t", "a::index", "sin2", "y", ""}) {
    CAPTURE(open);
    CHECK(!emit::is_taken_globally(open));
  }
  CHECK(emit::global_identifier("index") == "index_1");
  CHECK(emit::global_identifier("while") == "while_1");
  CHECK(emit::global_identifier("res/2") == "res_2");
}

TEST_CASE("a tensor that another node reads can be an output too") {
  static constexpr net::network two{
      net::node{"data", quantised::input{{1, 4, 4}}},
      net::node{"half", quantised::scale{.multiplier = {1}, .out = {0, 1, 1}}}.read_outside(),
      net::node{"quarter", quantised::scale{.multiplier = {1}, .out = {0, 1, 1}}, "half"}};
  static_assert(!two.is_output(0) && two.is_output(1) && two.is_output(2));
}
