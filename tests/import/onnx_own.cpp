// SPDX-License-Identifier: Apache-2.0
// Operators of a user's own in ONNX files.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include <nvdlac/import/model.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/quant/rules.hpp>

#include "onnx_model.hpp"

using namespace onnx_model;

namespace onnx_own {

// Read by its fields.
struct amplify {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view onnx = "my.company:Amplify";

  float by = 2;
  std::int8_t steps = 1;
  bool twice = false;
  std::array<double, 2> of_channels{1, 1};
  std::vector<std::int32_t> marks{};
  static constexpr void fields(auto&& field) {
    field("by", &amplify::by);
    field("steps", &amplify::steps);
    field("twice", &amplify::twice);
    field("of_channels", &amplify::of_channels);
    field("marks", &amplify::marks);
  }

  net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    auto y = *in[0];
    for (float& v : y.values) v *= by;
    return y;
  }
};

// Reads itself: an attribute of another name, and trained weights.
struct weigh {
  static constexpr net::arity inputs{2, 2};
  static constexpr std::string_view onnx = "my.company:Weigh";

  std::vector<float> weights{};
  float bias = 0;

  static weigh from_onnx(const auto& node) {
    weigh w{.weights = node.reals(1, "weights"), .bias = node.attributes().number("b", 0)};
    if (w.weights.size() != 2) throw error("it weighs two tensors");
    return w;
  }
  net::shape infer(std::span<const net::shape> in) const {
    if (in[0] != in[1]) throw error("its inputs differ");
    return in[0];
  }
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const {
    auto y = *in[0];
    for (std::size_t i = 0; i < y.values.size(); ++i)
      y.values[i] = weights[0] * y.values[i] + weights[1] * in[1]->values[i] + bias;
    return y;
  }
};

// Known operators in other words.
struct halve {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::string_view onnx = "my.company:Halve";
  net::shape infer(std::span<const net::shape> in) const {
    if (in[0].c % 2 != 0) throw error("it halves pairs of channels");
    return in[0];
  }
};

// Never in files.
struct unnamed : amplify {
  static constexpr int onnx = 0;
};

// Called as an operator that nvdlac knows.
struct taken : amplify {
  static constexpr std::string_view onnx = "com.microsoft:QLinearAdd";
};

}  // namespace onnx_own

template <>
struct nvdlac::quant::rule<onnx_own::amplify> : usual_rule {};
template <>
struct nvdlac::quant::rule<onnx_own::weigh> : usual_rule {};
template <>
struct nvdlac::quant::rule<onnx_own::unnamed> : usual_rule {};

template <>
struct nvdlac::net::expansion<onnx_own::halve> {
  static scale run(const onnx_own::halve&, std::span<const shape> in) {
    return {.factor = std::vector(static_cast<std::size_t>(in[0].c), 0.5F)};
  }
};

namespace {

using onnx_own::amplify, onnx_own::halve, onnx_own::weigh;
using own = type_list<amplify, weigh, halve, onnx_own::unnamed>;

static_assert(std::is_same_v<import::graph_of<type_list<>>, net::graph>);
static_assert(std::is_same_v<import::graph_of<own>,
                             net::graph_with<amplify, weigh, onnx_own::unnamed>>);

std::string of_company(std::string node) {
  return node.insert(node.find("op_type"), "domain: 'my.company' ");
}
std::string numbers_called(const std::string& name, const std::vector<float>& v) {
  std::string s = "attribute { name: '" + name + "' type: FLOATS";
  for (const float x : v) s += text(" floats: ", x);
  return s + " } ";
}
std::string own_model(const std::string& body,
                      const std::vector<std::int64_t>& shape = {1, 2, 3, 3}) {
  return "opset_import { domain: 'my.company' version: 3 } " + x_to_y(shape, body);
}
auto read_own(const std::string& content) { return import::onnx_from<own>(content, "own.onnx"); }
std::string refused_own(const std::string& content) {
  return complaints([&] { (void)read_own(content); });
}
template <class Graph>
std::vector<float> run_own(const Graph& g) {
  CHECK(net::verify(g).empty());
  return net::evaluate(g, ramp(g[net::input_nodes(g).at(0)].shape)).at(0).values;
}

}  // namespace

TEST_CASE("an operator of one's own is read by its fields") {
  const auto content = own_model(of_company(
      node("Amplify", "x", "a", number("by", 3) + integer("steps", -4) + integer("twice", 1) +
                                    numbers_called("of_channels", {0.5F, 4}) +
                                    ints("marks", {7, 8, 9}))) + node("Relu", "a", "y"));
  const auto check = [](const auto& g) {
    REQUIRE(g.size() == 3);
    CHECK(g[1].name == "Amplify_a");
    CHECK(g[1].shape == net::shape{2, 3, 3});
    const auto& op = std::get<amplify>(g[1].op);
    CHECK(op.by == 3);
    CHECK(op.steps == -4);
    CHECK(op.twice);
    CHECK(op.of_channels == std::array{0.5, 4.0});
    CHECK(op.marks == std::vector{7, 8, 9});
    std::vector<float> expected;
    for (const float v : ramp({2, 3, 3}).values) expected.push_back(std::max(3 * v, 0.0F));
    check_close(run_own(g), expected);
  };
  check(read_own(content));
  check(read_own(encode(import::onnx_format::schema(), "ModelProto", content)));
  const scratch dir;
  check(import::any_network<own>(dir.write("own.onnx", content)).graph);
  // Fields that the file does not give are as in a fresh struct.
  const auto g = read_own(own_model(of_company(node("Amplify", "x", "y"))));
  const auto& op = std::get<amplify>(g[1].op);
  CHECK(op.by == 2);
  CHECK(op.steps == 1);
  CHECK(op.of_channels == std::array{1.0, 1.0});
  CHECK(g[1].output);
}

TEST_CASE("an operator of one's own reads itself, or becomes known ones") {
  const auto weights = floats("w", {2}, {2, -3});
  const auto g = read_own(own_model(
      weights + node("Relu", "x", "r") +
      of_company(node("Weigh", "x w r", "s", number("b", 0.5F))) +
      of_company(node("Halve", "s", "y"))));
  std::vector<float> expected;
  for (const float v : ramp({2, 3, 3}).values)
    expected.push_back((2 * v - 3 * std::max(v, 0.0F) + 0.5F) / 2);
  check_close(run_own(g), expected);
  CHECK(std::holds_alternative<net::scale>(g[3].op));
  // Nodes that no output needs go, and the operators stay with theirs.
  const auto some = read_own(own_model(
      weights + of_company(node("Halve", "x", "unread")) +
      of_company(node("Amplify", "unread", "z")) +
      of_company(node("Weigh", "x w x", "y"))));
  REQUIRE(some.size() == 2);
  CHECK(std::get<weigh>(some[1].op).weights == std::vector<float>{2, -3});
  // A tensor has as many dimensions as before, so that what follows reads it as it did.
  const auto row = read_own(own_model(floats("m", {6, 2}, std::vector<float>(12, 1)) +
                                      of_company(node("Amplify", "x", "a")) +
                                      node("MatMul", "a m", "y"), {1, 6}));
  CHECK(row[row.outputs()[0]].shape == net::shape{2, 1, 1});
}

TEST_CASE("what is wrong with an operator of one's own is said as of nvdlac's") {
  const auto amplified = [](const std::string& attributes) {
    return refused_own(own_model(of_company(node("Amplify", "x", "y", attributes))));
  };
  const std::string where = "own.onnx: layer 'Amplify_y': ";
  CHECK(mentions(amplified(integer("bye", 2)),
                 where + "attribute 'bye' of my.company:Amplify is not understood (understood are "
                         "by, marks, of_channels, steps, twice)"));
  CHECK(mentions(amplified(integer("by", 2)),
                 where + "attribute 'by' is of type INT instead of FLOAT"));
  CHECK(mentions(amplified(integer("steps", 200)), where + "attribute 'steps' is 200"));
  CHECK(mentions(amplified(integer("twice", 2)), where + "attribute 'twice' is 2, not 0 or 1"));
  CHECK(mentions(amplified(ints("marks", {1LL << 40})), where + "attribute 'marks' holds 1099"));
  CHECK(mentions(amplified(numbers_called("of_channels", {1})),
                 where + "attribute 'of_channels' has 1 value instead of 2"));
  CHECK(mentions(refused_own(own_model(floats("w", {1}, {2}) +
                                       of_company(node("Weigh", "x w x", "y")))),
                 "own.onnx: layer 'Weigh_y': it weighs two tensors"));
  CHECK(mentions(refused_own(own_model(of_company(node("Weigh", "x x x", "y")))),
                 "layer 'Weigh_y': its weights are not constant"));
  CHECK(mentions(refused_own(own_model(floats("w", {2}, {1, 1}) +
                                       of_company(node("Amplify", "x w", "y")))),
                 where + "its input 1 is constant, where it should be computed"));
  CHECK(mentions(refused_own(own_model(of_company(node("Amplify", "x x", "y")))),
                 where + "it has 2 inputs instead of 1"));
  CHECK(mentions(refused_own(own_model(of_company(node("Halve", "x x", "y")))),
                 "layer 'Halve_y': it has 2 inputs instead of 1"));
  CHECK(mentions(refused_own(own_model(of_company(node("Halve", "x", "y")), {1, 3, 2, 2})),
                 "layer 'Halve_y': it halves pairs of channels"));
}

TEST_CASE("an operator of no list is named with those that are known") {
  const auto unknown = own_model(of_company(node("Amplifly", "x", "y")));
  const auto what = refused_own(unknown);
  CHECK(mentions(what, "layer 'Amplifly_y': the operator my.company:Amplifly is not supported "
                       "(1 node) (supported are those of docs/formats.md, my.company:Amplify, "
                       "my.company:Halve, my.company:Weigh; perhaps 'my.company:Amplify' is "
                       "meant; "));
  CHECK(mentions(what, "import::network_with"));
  CHECK(mentions(refused(unknown), "the operator my.company:Amplifly is not supported"));
  CHECK(!mentions(refused(unknown), "my.company:Weigh"));
  // The file must say which version of the domain it means.
  CHECK(mentions(refused_own(x_to_y({1, 2, 3, 3}, of_company(node("Amplify", "x", "y")))),
                 "layer 'Amplify_y': it is my.company:Amplify, but the file names no version of "
                 "my.company (import it: opset_import { domain: \"my.company\" version: 1 })"));
  CHECK_THROWS_WITH_AS(import::onnx_format::operators_with(type_list<onnx_own::taken>{}),
                       "two operators are called com.microsoft:QLinearAdd", error);
  CHECK_THROWS_WITH_AS(import::onnx_format::operators_with(type_list<amplify, amplify>{}),
                       "two operators are called my.company:Amplify", error);
}

TEST_CASE("files of other formats give the graph of one's own operators too") {
  const scratch dir;
  const auto path = dir.write(
      "net.prototxt",
      "layer { name: 'a' type: 'Input' top: 'a'\n"
      "        input_param { shape { dim: 1 dim: 2 dim: 3 dim: 3 } } }\n"
      "layer { name: 'b' type: 'ReLU' bottom: 'a' top: 'b' }\n"
      "layer { name: 'c' type: 'Eltwise' bottom: 'b' bottom: 'a' top: 'c' }\n");
  const auto wide = import::any_network<own>(path, import::random_weights{1});
  const auto known = import::any_network(path, import::random_weights{1});
  REQUIRE(wide.graph.size() == known.graph.size());
  for (std::size_t n = 0; n < known.graph.size(); ++n) {
    CHECK(wide.graph[n].name == known.graph[n].name);
    CHECK(wide.graph[n].op.index() == known.graph[n].op.index());
    CHECK(wide.graph[n].in_file == known.graph[n].in_file);
    CHECK(std::ranges::equal(wide.graph.inputs(n), known.graph.inputs(n)));
  }
  check_close(run_own(wide.graph), run_own(known.graph));
}
