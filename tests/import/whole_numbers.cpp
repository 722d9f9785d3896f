// SPDX-License-Identifier: Apache-2.0
// Tensors of integers that stand for themselves: NVDLA's real numbers give what ONNX defines for
// them, or the model is refused.
#include "onnx_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/import/onnx/fold.hpp>

#include "../onnx_testdata.hpp"

using namespace onnx_model;

namespace {

// Inputs a and b of the type, and what becomes of them.
std::string of_type(int type, const std::string& body) {
  return model("input " + value_info("a", {1, 4}, type) + "input " + value_info("b", {1, 4}, type) +
               "output " + value_info("y", {1, 4}, type) + body);
}
std::string to_type(int type) { return integer("to", type); }
// Numbers of a type as constant k.
std::string constant(int type, const std::vector<std::int64_t>& values) {
  return text("initializer { name: 'k' data_type: ", type,
              list("dims", {static_cast<std::int64_t>(values.size())}), list("int32_data", values),
              " }\n");
}

constexpr int uint8 = 2, int8 = 3, int16 = 5, int32 = 6, int64 = 7;

// Opset 14 has Add and Relu of bytes.
std::string one(int type, const std::string& body) {
  return model(
      "input " + value_info("a", {1, 4}, type) + "output " + value_info("y", {1, 4}) + body, 14);
}

}  // namespace

TEST_CASE("a division of integers, which drops what is behind the point, is refused") {
  const auto why = refused(of_type(uint8, node("Div", "a b", "y")));
  CHECK(mentions(why, "layer 'Div_y': it computes with whole numbers of type UINT8"));
  CHECK(mentions(why, "drops what is behind the point"));
  CHECK(mentions(why, "Cast to FLOAT"));
  const auto real = node("Cast", "a", "c", to_type(1)) + node("Cast", "b", "d", to_type(1)) +
                    node("Div", "c d", "y");
  CHECK_NOTHROW(read(of_type(uint8, real)));
  CHECK(mentions(refused(one(uint8, constant(uint8, {11}) + node("Div", "a k", "y"))),
                 "drops what is behind the point"));
  CHECK(counted(one(uint8, constant(uint8, {1}) + node("Div", "a k", "y"))) ==
        numbers{0, 1, 2, 3});
}

TEST_CASE("what may leave the type of integers, or is rounded, is refused") {
  const struct { std::string body; const char* why; } all[] = {
      {constant(uint8, {250}) + node("Add", "a k", "y"), "results wrap around"},
      {constant(uint8, {1}) + node("Sub", "a k", "y"), "results wrap around"},
      {node("Mul", "a a", "y"), "results wrap around"},
      {node("Neg", "a", "y"), "results wrap around"},
      {node("ReduceSum", "a", "y"), "results wrap around"},
      {node("ReduceMean", "a", "y", ints("axes", {1})), "drops what is behind the point"},
      {floats("k", {}, {0.5F}) + node("Pow", "a k", "y"), "drops what is behind the point"},
      {node("Cast", "a", "y", to_type(int8)), "its whole numbers from 0 to 255 are not all INT8"},
      {node("ArgMax", "a", "n", integer("axis", 1)) +
           node("ReduceMean", "n", "y", ints("axes", {1})),
       "whole numbers of type INT64"}};
  for (const auto& one_body : all) {
    CAPTURE(one_body.body);
    CHECK(mentions(refused(one(uint8, one_body.body)), one_body.why));
  }
}

TEST_CASE("what stays within the type of integers, or is made real before, is read") {
  const std::string all[] = {
      node("Relu", "a", "y"), node("Max", "a a", "y"), node("Cast", "a", "y", to_type(int32)),
      node("Cast", "a", "c", to_type(int16)) + node("Add", "c c", "y"),
      node("Cast", "a", "c", to_type(int32)) + constant(int32, {-7}) + node("Mul", "c k", "y"),
      node("ArgMax", "a", "n", integer("axis", 1)) + node("Cast", "n", "y", to_type(int32)),
      node("Cast", "a", "c", to_type(1)) + node("Neg", "c", "y")};
  for (const auto& body : all) {
    CAPTURE(body);
    CHECK_NOTHROW(read(one(uint8, body)));
  }
  CHECK(counted(one(uint8, node("Cast", "a", "c", to_type(int32)) + constant(int32, {-7}) +
                               node("Mul", "c k", "y"))) == numbers{0, -7, -14, -21});
}

TEST_CASE("constants of integers are converted as ONNX converts them, and stay within their type") {
  namespace format = import::onnx_format;
  const auto of = [](std::int64_t v, std::int64_t from, std::int64_t to) {
    auto a = format::array::of_integers({1}, {v});
    a.stored = from;
    return format::fold_cast(a, to).integers.at(0);
  };
  CHECK(of(300, int32, uint8) == 44);
  CHECK(of(-1, int32, uint8) == 255);
  CHECK(of(200, uint8, int8) == -56);
  CHECK(of(9223372036854775807, int64, int32) == -1);
  CHECK(of(-5, int32, 9) == 1);
  const auto real = [](float v, std::int64_t to) {
    return format::fold_cast(format::array::of_reals({1}, {v}), to).integers.at(0);
  };
  CHECK(real(2.9F, int32) == 2);
  CHECK(real(-2.9F, int32) == -2);
  CHECK(mentions(complaints([&] { (void)real(300, uint8); }), "it converts 300 to UINT8"));
  const format::element_ceiling most{budget{}};
  auto a = format::array::of_integers({1}, {200});
  a.stored = uint8;
  CHECK(mentions(complaints([&] { (void)format::fold_binary("Add", a, a, most); }),
                 "its integers overflow: 400 is no UINT8"));
  CHECK(format::fold_binary("Div", a, format::array::of_integers({1}, {11}), most).integers.at(0) ==
        18);
}

TEST_CASE("an input of 16 bits takes real numbers, and the user is told which") {
  const scratch directory;
  const auto path = directory.write(
      "net.onnx",
      model("input " + value_info("x", {1, 4}, int16) + "output " + value_info("y", {1, 4}) +
            floats("s", {}, {0.25F}) + constant(int16, {-3}) +
            node("DequantizeLinear", "x s k", "r") + node("Relu", "r", "y"), 21));
  const auto found = import::onnx_network(path);
  REQUIRE(found.notes.size() == 1);
  CHECK(to_string(found.notes[0]) ==
        path.string() + ": layer 'x': the file takes this input as integers from -32768 to 32767; "
                        "it takes the real numbers that they stand for (real = 0.25 * (integer + "
                        "3))");
}

// ONNX's own tests of one operator whose inputs are bytes: the float network gives exactly the
// expected integers, or the model is refused.
TEST_CASE("ONNX's tests of operators on bytes give the expected integers or are refused") {
  const auto all = onnx_testdata::tests("node");
  if (all.empty()) {
    MESSAGE("libonnx-testdata is not installed: its models are not read");
    return;
  }
  std::size_t right = 0, refused_ones = 0;
  for (const auto& directory : all) {
    const auto document =
        onnx_testdata::parse("ModelProto", import::read_file(directory / "model.onnx"));
    const auto graph = document.root().child("graph");
    const auto inputs = graph.children("input"), outputs = graph.children("output");
    const auto type_of = [](const auto& v) {
      return v.child("type").child("tensor_type").integer("elem_type", 0);
    };
    const auto bytes = [&](const auto& v) { return type_of(v) == uint8 || type_of(v) == int8; };
    if (inputs.empty() || !std::ranges::all_of(inputs, bytes) || outputs.size() != 1) continue;
    const auto name = directory.filename().string();
    CAPTURE(name);
    std::optional<import::network> network;
    try {
      network = import::onnx_network(directory / "model.onnx");
    } catch (const error& e) {
      CHECK_FALSE(e.problems().front().reason.empty());
      ++refused_ones;
      continue;
    }
    std::vector<net::float_tensor> values;
    for (const auto n : net::input_nodes(network->graph)) {
      const auto& node_name = network->graph[n].name;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].string("name") == node_name) {
          const auto a =
              onnx_testdata::read_tensor(onnx_testdata::tensor_file(directory, "input", i));
          net::float_tensor t{network->graph[n].shape};
          REQUIRE(a.size() == t.values.size());
          for (std::size_t k = 0; k < a.size(); ++k)
            t.values[k] = static_cast<float>(a.number(k));
          values.push_back(std::move(t));
        }
    }
    const auto expected =
        onnx_testdata::read_tensor(onnx_testdata::tensor_file(directory, "output", 0));
    const auto found = net::evaluate(network->graph, values).at(0);
    REQUIRE(found.values.size() == expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k)
      CHECK(static_cast<double>(found.values[k]) == expected.number(k));
    ++right;
  }
  MESSAGE(right << " models are right, " << refused_ones << " are refused");
  CHECK(right + refused_ones > 10);
}
