// SPDX-License-Identifier: Apache-2.0
// TensorFlow graphs: what stands in files beside operators, and why some are refused.
#include "tensorflow_model.hpp"

#include <string>
#include <vector>

#include <nvdlac/import/model.hpp>

using namespace tensorflow_model;

namespace {

const std::string conv =
    node("Conv2D", "y", "x w",
         list("strides", {1, 1, 1, 1}) + word("padding", "VALID") + type("T", "DT_FLOAT"));

floats run(const std::string& graph, const floats& in, const import::part& wanted = {}) {
  const auto g = read(graph, wanted);
  const auto n = net::input_nodes(g).at(0);
  net::float_tensor x{g[n].shape};
  x.values = g[n].in_file.at(0).to_cube(std::span<const float>(in));
  return in_file::outputs(g, x).at(0).values;
}

}  // namespace

TEST_CASE("TensorFlow: names of inputs, control inputs, and nodes in any order") {
  const auto graph = node("Add", "y", "^n c:0 r ^x", type("T", "DT_FLOAT")) +
                     node("Relu", "r", "x:0", type("T", "DT_FLOAT")) + constant("c", {2}, {3, 4}) +
                     node("NoOp", "n", "^r") + placeholder("x", {-1, 2}) +
                     node("Assert", "dead", "x missing");
  CHECK(run(graph, {-1, 5}) == floats{3, 9});
  CHECK(read(graph)[net::input_nodes(read(graph)).at(0)].name == "x");
  CHECK(mentions(refused(placeholder("x", {1, 2}) + node("Add", "y", "x z")),
                 "layer 'y': nothing produces its input 'z'"));
  CHECK(mentions(refused(placeholder("x", {1, 2}) + placeholder("x", {1, 2})), "given twice"));
}

TEST_CASE("TensorFlow: constants are completed with their last value") {
  const auto x = placeholder("x", {1, 3});
  const auto add = node("Add", "y", "x c", type("T", "DT_FLOAT"));
  CHECK(run(x + constant("c", {3}, {1, 2}) + add, {0, 0, 0}) == floats{1, 2, 2});
  CHECK(run(x + constant("c", {3}, {}) + add, {1, 2, 3}) == floats{1, 2, 3});
  CHECK(mentions(refused(x + constant("c", {3}, {1, 2, 3, 4}) + add),
                 "it lists 4 values instead of 3"));
}

TEST_CASE("TensorFlow: shapes that the file leaves open") {
  const auto relu = node("Relu", "y", "x", type("T", "DT_FLOAT"));
  const auto open = placeholder("x", {-1, -1, -1, 2}) + relu;
  CHECK(mentions(refused(open), "give its shape: --shape x=1,224,224,2"));
  CHECK(read(open, {.shapes = {{"x", {1, 3, 4, 2}}}})[0].shape == net::shape{2, 3, 4});
  CHECK(mentions(refused(open, {.shapes = {{"x", {1, 3, 4, 3}}}}), "but the file has"));
  CHECK(mentions(refused(open, {.shapes = {{"z", {1, 3, 4, 2}}}}), "but it is no input"));
  CHECK(mentions(refused(node("Placeholder", "x", "", type("dtype", "DT_FLOAT")) + relu),
                 "--shape x=1,224,224,3"));
}

TEST_CASE("TensorFlow: a part of a network by its layers' names") {
  const auto graph = placeholder("wav", {}, "DT_STRING") + node("DecodeWav", "d", "wav") +
                     integers("s", {-1, 2, 1, 1}) + node("Reshape", "r", "d s") +
                     constant("w", {1, 1, 1, 2}, {1, -1}) +
                     node("Conv2D", "c", "r w", list("strides", {1, 1, 1, 1}) +
                                                    word("padding", "VALID")) +
                     node("Relu", "y", "c") + node("TopK", "k", "y");
  const auto what = refused(graph);
  CHECK(mentions(what, "(read the part between: --from d --to y)"));
  CHECK(!mentions(what, "wav"));
  CHECK(mentions(what, "layer 'd': the operator DecodeWav is not supported (1 node)"));
  CHECK(mentions(what, "layer 'k': the operator TopK is not supported (1 node)"));
  CHECK(run(graph, {2, 3}, {.from = {"r"}, .to = {"y"}}) == floats{2, 0, 3, 0});
  CHECK(run(graph, {2, 3}, {.from = {"c:0"}, .to = {"y"}, .shapes = {{"c:0", {1, 1, 1, 2}}}}) ==
        floats{2, 3});
  CHECK(mentions(refused(graph, {.from = {"c"}, .to = {"y"}}), "--shape c=1,224,224,3"));
  CHECK(mentions(refused(graph, {.to = {"q"}}), "layer 'q': the file has no such layer"));
}

TEST_CASE("TensorFlow: shapes are computed, and what training left is passed through") {
  const auto graph =
      placeholder("x", {-1, 2, 2, 2}) + node("Shape", "s", "x") + integers("b", {0}) +
      integers("e", {1}) + integers("p", {1}) + integers("m", {}, {-1}) +
      node("StridedSlice", "n", "s b e p", integer("shrink_axis_mask", 1)) +
      node("Pack", "t", "n m", integer("N", 2)) + node("StopGradient", "i", "x") +
      node("CheckNumerics", "j", "i", word("message", "!")) + node("Reshape", "f", "j t") +
      node("PlaceholderWithDefault", "keep", "one", type("dtype", "DT_FLOAT")) +
      constant("one", {}, {2}) + node("Mul", "y", "f keep");
  CHECK(run(graph, {1, 2, 3, 4, 5, 6, 7, 8}) == floats{2, 4, 6, 8, 10, 12, 14, 16});
}

TEST_CASE("TensorFlow: channels first and last give the same network") {
  const auto relu = node("Relu", "y", "c");
  const auto w = constant("w", {3, 3, 2, 3}, floats(54, 0.5F));
  const auto last = read(placeholder("x", {1, 5, 5, 2}) + w +
                         node("Conv2D", "c", "x w", list("strides", {1, 2, 2, 1}) +
                                                        word("padding", "SAME")) + relu);
  const auto first = read(placeholder("x", {1, 2, 5, 5}) + w +
                          node("Conv2D", "c", "x w", list("strides", {1, 1, 2, 2}) +
                                                         word("padding", "SAME") +
                                                         word("data_format", "NCHW")) + relu);
  REQUIRE(last.size() == 3);
  CHECK(first.size() == 3);
  const net::float_tensor x{{2, 5, 5}, floats(50, 0.25F)};
  CHECK(net::evaluate(last, x).at(0).values == net::evaluate(first, x).at(0).values);
}

TEST_CASE("TensorFlow: a convolution between SpaceToBatchND and BatchToSpaceND is dilated") {
  const auto graph = placeholder("x", {1, 5, 5, 1}) + integers("b", {2, 2}) +
                     integers("p", {2, 2}, {2, 3, 2, 3}) + integers("q", {2, 2}, {0, 1, 0, 1}) +
                     constant("w", {3, 3, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}) +
                     node("SpaceToBatchND", "s", "x b p") +
                     node("Conv2D", "c", "s w", list("strides", {1, 1, 1, 1}) +
                                                    word("padding", "VALID")) +
                     node("BatchToSpaceND", "y", "c b q");
  const auto plain = placeholder("x", {1, 5, 5, 1}) +
                     constant("w", {3, 3, 1, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}) +
                     node("Conv2D", "y", "x w", list("strides", {1, 1, 1, 1}) +
                                                    word("padding", "SAME") +
                                                    list("dilations", {1, 2, 2, 1}));
  CHECK(read(graph).size() == 2);
  CHECK(outcome_for(graph).same_result(outcome_for(plain)));
  CHECK(mentions(refused(placeholder("x", {1, 4, 4, 1}) + integers("b", {2, 2}) +
                         integers("p", {2, 2}, {0, 0, 0, 0}) +
                         node("SpaceToBatchND", "s", "x b p") + node("Tanh", "y", "s") +
                         node("Softmax", "z", "y")),
                 "SpaceToBatchND"));
}

TEST_CASE("TensorFlow: FakeQuant gives a tensor its scale") {
  const auto n = import::tensorflow_network_from(
      placeholder("x", {1, 4}) + node("Relu", "r", "x") +
          node("FakeQuantWithMinMaxArgs", "q", "r", number("min", 0) + number("max", 6)) +
          node("Neg", "y", "q"),
      "test");
  REQUIRE(!n.scales.entries.empty());
  CHECK(n.scales.find("r").value_or(n.scales.find("q").value_or(0)) ==
        doctest::Approx(6.0 / 127).epsilon(0.02));
}

TEST_CASE("TensorFlow files are recognised by their content") {
  const scratch directory;
  const auto graph = placeholder("x", {1, 1, 1, 2}) + constant("w", {1, 1, 2, 1}, {1, 2}) + conv;
  const auto binary = encode(import::tensorflow_format::schema(), "GraphDef", graph);
  CHECK(import::model(directory.write("net.onnx", binary)).size() == 2);
  CHECK(import::model(directory.write("net.txt", "# a graph\n" + graph)).size() == 2);
  CHECK(mentions(complaints([&] {
                   (void)import::tensorflow(directory.write("o", "ir_version: 7"));
                 }),
                 "this is an ONNX text file, not a TensorFlow graph"));
  CHECK(mentions(complaints([&] { (void)import::model(directory.path); }),
                 "this is a directory, but no SavedModel"));
  CHECK(mentions(refused("node { name: \"x\" op: \"Placeholder\" strange: 1 }"),
                 "the field strange of NodeDef is not understood"));
}
