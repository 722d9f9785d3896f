// SPDX-License-Identifier: Apache-2.0
#include "random_model.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>

#include "import/onnx_model.hpp"

using namespace nvdlac;
using namespace nvdlac::judge;

TEST_CASE("the same seed gives the same model, another seed another one") {
  std::set<std::string> all;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto bytes = encode(random_model(seed));
    CHECK(bytes == encode(random_model(seed)));
    all.insert(bytes);
  }
  CHECK(all.size() == 50);
}

TEST_CASE("random models are as people write them") {
  std::map<std::string, int> operators;
  std::set<std::size_t> dimensions;
  int several_inputs = 0, several_outputs = 0, of_the_middle = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const auto m = random_model(seed);
    REQUIRE(!m.outputs.empty());
    for (const auto& n : m.nodes) ++operators[n.type];
    for (const auto& i : m.inputs) dimensions.insert(i.shape.size());
    several_inputs += m.inputs.size() > 1;
    several_outputs += m.outputs.size() > 1;
    std::set<std::string> read;
    for (const auto& n : m.nodes) read.insert(n.inputs.begin(), n.inputs.end());
    for (const auto& o : m.outputs) of_the_middle += read.contains(o.name);
  }
  for (const char* type :
       {"Conv", "ConvTranspose", "Gemm", "MatMul", "MaxPool", "AveragePool", "LpPool",
        "GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool", "BatchNormalization", "LRN",
        "InstanceNormalization", "LpNormalization", "MeanVarianceNormalization", "Relu", "Clip",
        "LeakyRelu", "PRelu", "Sigmoid", "Tanh", "Elu", "HardSwish", "Softmax", "Add", "Sub",
        "Mul", "Div", "Max", "Min", "Sum", "Mean", "Pow", "Concat", "Split", "Slice", "Pad",
        "Reshape", "Transpose", "Flatten", "Unsqueeze", "Shape", "Gather", "Tile", "DepthToSpace",
        "SpaceToDepth", "Resize", "ReduceMean", "ReduceMax", "QuantizeLinear",
        "DequantizeLinear"}) {
    INFO(type);
    CHECK(operators[type] > 0);
  }
  CHECK(dimensions == std::set<std::size_t>{1, 2, 3, 4, 5});
  CHECK(several_inputs > 60);
  CHECK(several_outputs > 100);
  CHECK(of_the_middle > 30);
}

TEST_CASE("what is refused of random models is no defect") {
  int read = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) try {
      (void)onnx_model::read(encode(random_model(seed)), false);
      ++read;
    } catch (const error& e) {
      CHECK(e.problems().front().reason != "");
    }
  CHECK(read > 70);
}
