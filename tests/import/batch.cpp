// SPDX-License-Identifier: Apache-2.0
// Several pictures: what mixes them is refused, and what is read of ONNX's own tests gives the
// expected outputs, picture by picture.
#include "onnx_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../onnx_testdata.hpp"

using namespace onnx_model;

namespace {

// Compares all outputs of each picture with the tensors of the test.
void check_pictures(const onnx_testdata::fs::path& test, const net::graph& g, std::size_t batch,
                    const std::vector<std::string>& inputs) {
  std::vector<onnx_testdata::array> given;
  for (const auto n : net::input_nodes(g)) {
    const auto at = std::find(inputs.begin(), inputs.end(), g[n].name) - inputs.begin();
    given.push_back(onnx_testdata::read_tensor(
        onnx_testdata::tensor_file(test, "input", static_cast<std::size_t>(at))));
  }
  std::vector<std::vector<float>> found(in_file::forms(g).size());
  for (std::size_t picture = 0; picture < batch; ++picture) {
    std::vector<net::float_tensor> in;
    for (std::size_t i = 0; i < given.size(); ++i) {
      net::float_tensor t{g[net::input_nodes(g)[i]].shape};
      REQUIRE(given[i].size() == batch * t.values.size());
      for (std::size_t k = 0; k < t.values.size(); ++k)
        t.values[k] = static_cast<float>(given[i].number(picture * t.values.size() + k));
      in.push_back(std::move(t));
    }
    const auto out = in_file::outputs(g, in);
    for (std::size_t o = 0; o < out.size(); ++o)
      found[o].insert(found[o].end(), out[o].values.begin(), out[o].values.end());
  }
  for (std::size_t o = 0; o < found.size(); ++o) {
    const auto expected =
        onnx_testdata::read_tensor(onnx_testdata::tensor_file(test, "output", o));
    REQUIRE(found[o].size() == expected.size());
    for (std::size_t i = 0; i < found[o].size(); ++i)
      CHECK(double{found[o][i]} == doctest::Approx(expected.number(i)).epsilon(1e-3));
  }
}

}  // namespace

TEST_CASE("ONNX's tests of operators with a batch are right or refused") {
  std::size_t right = 0;
  for (const auto& directory : onnx_testdata::tests("node")) {
    INFO(directory.filename().string());
    const auto document = onnx_testdata::parse(
        "ModelProto", import::read_file(directory / "model.onnx"));
    const auto graph = document.root().child("graph");
    const auto is_real = [](const auto& value) {
      return value.child("type").child("tensor_type").integer("elem_type", 0) == 1;
    };
    const auto outputs = graph.children("output");
    if (graph.children("node").size() != 1 || !std::all_of(outputs.begin(), outputs.end(), is_real))
      continue;
    const auto content = onnx_testdata::readable(directory);
    if (content.empty()) continue;
    const auto network = import::onnx_network_from(content, "");
    if (network.batch <= 1) continue;
    std::vector<std::string> inputs;
    for (const auto& i : graph.children("input")) inputs.push_back(i.string("name"));
    if (!is_real(graph.children("input").at(0))) continue;
    check_pictures(directory, network.graph, static_cast<std::size_t>(network.batch), inputs);
    ++right;
  }
  MESSAGE(right << " tests with a batch are right");
  if (onnx_testdata::tests("node").empty())
    MESSAGE("libonnx-testdata is not installed: its operators are not tested");
  else CHECK(right >= 40);
}

TEST_CASE("batches count as one cube") {
  const auto g = read(x_to_y({8, 2, 3, 3}, integers("s", {8, 18}) + node("Reshape", "x s", "y")));
  CHECK(g[0].shape == net::shape{2, 3, 3});
  CHECK(mentions(refused(x_to_y({1, 2, -1, 3}, node("Relu", "x", "y"))),
                 "dimension 2 of the input is not fixed"));
  CHECK(mentions(refused(x_to_y({8, 2, 3, 3}, node("Concat", "x x", "y", integer("axis", 0)))),
                 "batch"));
}

TEST_CASE("what mixes the pictures of a batch is refused by name") {
  const auto mixes = [](const std::string& body, const char* layer) {
    const auto what = refused(x_to_y({4, 2, 3, 3}, body));
    INFO(what);
    return mentions(what, layer) && mentions(what, "which mixes the 4 pictures of the batch");
  };
  for (const auto& shape : {integers("s", {1, -1}), integers("s", {2, 36})})
    CHECK(mixes(shape + node("Reshape", "x s", "y"), "layer 'Reshape_y': it reshapes axis 0"));
  CHECK(mixes(node("Softmax", "x", "y", integer("axis", 0)), "layer 'Softmax_y': it works along"));
  CHECK(mixes(node("Softmax", "x", "y", integer("axis", -4)), "layer 'Softmax_y': it works along"));
  CHECK(mixes(node("Concat", "x x", "y", integer("axis", 0)), "layer 'Concat_y': it works along"));
  CHECK(mixes(node("Flatten", "x", "y", integer("axis", 0)), "layer 'Flatten_y': it works along"));
  CHECK(mixes(node("Transpose", "x", "y"), "layer 'Transpose_y': it moves axis 0"));
  // Each operator along axis 0, or with an axis before it.
  const auto along = integer("axis", 0), backwards = integer("axis", -4);
  for (const auto& [body, layer] : std::vector<std::pair<std::string, const char*>>{
           {node("MeanVarianceNormalization", "x", "y"), "MeanVarianceNormalization_y"},
           {node("MeanVarianceNormalization", "x", "y", ints("axes", {0, 2})),
            "MeanVarianceNormalization_y"},
           {node("LpNormalization", "x", "y", along), "LpNormalization_y"},
           {node("LpNormalization", "x", "y", backwards), "LpNormalization_y"},
           {floats("g", {4, 2, 3, 3}, numbers(72, 1)) +
                node("LayerNormalization", "x g", "y", along), "LayerNormalization_y"},
           {node("Hardmax", "x", "y", along), "Hardmax_y"},
           {node("LogSoftmax", "x", "y", backwards), "LogSoftmax_y"},
           {node("ArgMax", "x", "y"), "ArgMax_y"},
           {node("Split", "x", "y z", along) + node("Relu", "z", "w"), "Split_y z"},
           {integers("i", {0}) + node("Gather", "x i", "y"), "Gather_y"},
           {floats("k", {1, 2, 3, 3}, numbers(18, 1)) + node("Concat", "k x", "y", along),
            "Concat_y"},
           {floats("k", {1, 2, 3, 3}, numbers(18, 1)) + node("Concat", "x k", "y", along),
            "Concat_y"},
           {node("ReduceMean", "x", "y"), "ReduceMean_y"},
           {node("ReduceMax", "x", "y", ints("axes", {-4})), "ReduceMax_y"},
           {integers("a", {}) + node("ReduceSum", "x a", "y"), "ReduceSum_y"},
           {integers("a", {0}) + node("Unsqueeze", "x a", "y"), "Unsqueeze_y"},
           {integers("a", {-5}) + node("Unsqueeze", "x a", "y"), "Unsqueeze_y"},
           {integers("s", {0}) + integers("e", {2}) + node("Slice", "x s e s", "y"), "Slice_y"},
           {integers("p", {1, 0, 0, 0, -1, 0, 0, 0}) + node("Pad", "x p", "y"), "Pad_y"},
           {integers("r", {2, 1, 1, 1}) + node("Tile", "x r", "y"), "Tile_y"},
           {floats("s", {4}, {2, 1, 1, 1}) + node("Upsample", "x s", "y"), "Upsample_y"},
           {floats("s", {4}, {2, 1, 1, 1}) + node("Resize", "x - s", "y"), "Resize_y"},
           {integers("s", {1, 4, 2, 3, 3}) + node("Expand", "x s", "y"), "Expand_y"},
           {floats("k", {1, 1, 1, 1, 1}, {1}) + node("Add", "x k", "y"), "Add_y"},
           {integers("s", {4, -1}) + node("Reshape", "x s", "f") + node("Add", "x f", "y"),
            "Add_y"},
           {integers("s", {-1, 9}) + node("Reshape", "x s", "y"), "Reshape_y"},
           {node("Flatten", "x", "y", integer("axis", 2)), "Flatten_y"},
           {node("Flatten", "x", "f") + floats("w", {4, 2}, numbers(8, 1)) +
                node("Gemm", "f w", "y", integer("transA", 1)), "Gemm_y"},
           {node("Flatten", "x", "f") + floats("w", {2, 4}, numbers(8, 1)) +
                node("MatMul", "w f", "y"), "MatMul_y"},
           {node("Flatten", "x", "f") + floats("w", {18, 4}, numbers(72, 1)) +
                node("MatMul", "f w", "g") + node("MatMul", "g g", "y"), "MatMul_y"}}) {
    CAPTURE(body);
    const int opset = body.find("Upsample") != body.npos ? 9 : 17;
    const auto what = refused(x_to_y({4, 2, 3, 3}, body, opset));
    INFO(what);
    CHECK(mentions(what, text("layer '", layer, "': ")));
    CHECK(mentions(what, "the 4 pictures of the batch"));
  }
  CHECK(mentions(refused(model("input " + value_info("x", {4, 2, 3, 3}) + "input " +
                               value_info("z", {2, 3, 3}) + "output " + value_info("y", {1}) +
                               node("Add", "x z", "y"))),
                 "layer 'z': the input [2, 3, 3] is no batch of 4 pictures"));
  for (const auto& kept :
       {integers("s", {4, -1}) + node("Reshape", "x s", "y"),
        integers("i", {0}) + integers("r", {-1}) + node("Shape", "x", "d") +
            node("Gather", "d i", "n") + node("Concat", "n r", "s", integer("axis", 0)) +
            node("Reshape", "x s", "y"),
        integers("s", {0, 18}) + node("Reshape", "x s", "y"),
        integers("s", {-1, 18}) + node("Reshape", "x s", "y"),
        node("Softmax", "x", "y", integer("axis", 1)), node("Flatten", "x", "y"),
        node("LpNormalization", "x", "y", integer("axis", 1)),
        node("MeanVarianceNormalization", "x", "y", ints("axes", {2, 3})),
        integers("a", {-4}) + node("Unsqueeze", "x a", "y"),
        floats("k", {2, 3, 3}, numbers(18, 1)) + node("Mul", "k x", "y"),
        node("Concat", "x x", "y", integer("axis", 1))})
    CHECK_NOTHROW(read(x_to_y({4, 2, 3, 3}, kept)));
}
