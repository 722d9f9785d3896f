// SPDX-License-Identifier: Apache-2.0
// MXNet's symbols and parameters.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/model.hpp>
#include <nvdlac/import/mxnet.hpp>

#include "../shared.hpp"
#include "files.hpp"
#include "mxnet_model.hpp"
#include "tensorflow_files.hpp"

using namespace mxnet_model;

namespace {

// For an input of 0, 1, 2, ..
floats result_of(const std::string& op, const std::string& attributes, const shape& input,
                 const std::vector<parameter>& all = {}, layout as = layout::v2, float from = 0) {
  const auto n = network_of(symbol_of(op, attributes, all), all, input, as);
  floats x(static_cast<std::size_t>(import::onnx_format::count(input)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - from;
  return tensorflow_files::run(n, {{"data", x}}).at("y");
}
bool near(const floats& found, const floats& expected) {
  return tensorflow_files::error_of(found, expected) < 1e-5;
}
std::string refused(const std::string& op, const std::string& attributes,
                    const shape& input = {1, 1, 2, 2}) {
  return complaints([&] { (void)network_of(symbol_of(op, attributes, {}), {}, input); });
}

}  // namespace

TEST_CASE("a trained MXNet network gives the stored outputs, in both layouts of its arrays") {
  const auto root = shared_path("nets/mxnet");
  if (!root) return;
  for (const char* params : {"det1-0001.params", "det1-v2-0001.params"}) {
    const auto n = import::any_network(*root / "det1-symbol.json", *root / params,
                                       {.shapes = {{"data", {1, 3, 30, 40}}}});
    for (const std::string k : {"0", "1", "2", "3"}) {
      const auto values = [&](const std::string& end) {
        return tensorflow_files::values_of(*root / ("det1." + end + ".npy"));
      };
      const auto found = tensorflow_files::run(n, {{"data", values("input_" + k)}});
      REQUIRE(found.size() == 2);
      for (const std::string head : {"conv4_2", "prob1"})
        CHECK(tensorflow_files::error_of(found.at(head), values("output_" + k + '_' + head)) <=
              1e-4);
    }
  }
}

TEST_CASE("MXNet's operators with weights, in all layouts of arrays") {
  const std::vector<parameter> of_convolution{
      {"arg:y_weight", {1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}}, {"arg:y_bias", {1}, {0.5F}}};
  const auto convolution = R"-("kernel": "(2, 2)", "num_filter": "1", "stride": "(1,1)")-";
  for (const auto as : {layout::first, layout::v1, layout::v2, layout::v3})
    CHECK(near(result_of("Convolution", convolution, {1, 2, 2, 2}, of_convolution, as), {28.5F}));
  const std::vector<parameter> of_dense{{"arg:w", {2, 4}, {1, 0, 0, 0, 0, 0, 0, 2}},
                                        {"arg:b", {2}, {1, 2}}};
  CHECK(near(result_of("FullyConnected", R"-("num_hidden": "2")-", {1, 1, 2, 2}, of_dense),
             {1, 8}));
  const std::vector<parameter> of_norm{{"arg:g", {2}, {5, 5}}, {"arg:b", {2}, {0, 1}},
                                       {"aux:m", {2}, {0, 1}},
                                       {"aux:v", {2}, {0.25F - 1e-3F, 1 - 1e-3F}}};
  // gamma counts as 1 unless fix_gamma is False, and eps is 1e-3.
  CHECK(near(result_of("BatchNorm", "", {1, 2, 1, 2}, of_norm), {0, 2, 2, 3}));
  CHECK(near(result_of("BatchNorm", R"-("fix_gamma": "False", "eps": "0.001")-", {1, 2, 1, 2},
                       of_norm),
             {0, 10, 6, 11}));
  CHECK(near(result_of("LeakyReLU", R"-("act_type": "prelu")-", {1, 2, 1, 2},
                       {{"arg:s", {2}, {0.5F, 0.25F}}}, layout::v2, 3),
             {-1.5F, -1, -0.25F, 0}));
  CHECK(mentions(complaints([&] {
          (void)network_of(symbol_of("Convolution", R"-("kernel": "(2,2)", "num_filter": "3")-",
                                     of_convolution),
                           of_convolution, {1, 2, 2, 2});
        }),
        "do not fit its num_filter 3"));
}

TEST_CASE("MXNet's operators without weights") {
  const shape in{1, 1, 3, 3};
  CHECK(near(result_of("Pooling", R"-("kernel": "(2,2)", "stride": "(2,2)")-", in), {4}));
  CHECK(near(result_of("Pooling", R"-("kernel": "(2,2)", "stride": "(2,2)",
                                     "pooling_convention": "full")-", in),
             {4, 5, 7, 8}));
  CHECK(near(result_of("Pooling", R"-("kernel": "(2,2)", "pool_type": "avg")-", in), {2, 3, 5, 6}));
  CHECK(near(result_of("Pooling", R"-("kernel": "(1,1)", "pool_type": "avg",
                                     "global_pool": "True")-", in),
             {4}));
  CHECK(near(result_of("Activation", R"-("act_type": "relu")-", {1, 1, 1, 3}, {}, layout::v2, 1),
             {0, 0, 1}));
  CHECK(near(result_of("LeakyReLU", "", {1, 1, 1, 3}, {}, layout::v2, 2), {-0.5F, -0.25F, 0}));
  CHECK(near(result_of("Flatten", "", {1, 2, 1, 2}), {0, 1, 2, 3}));
  CHECK(near(result_of("Reshape", R"-("shape": "(0, -1)")-", {1, 2, 1, 2}), {0, 1, 2, 3}));
  CHECK(near(result_of("transpose", R"-("axes": "(0, 1, 3, 2)")-", {1, 1, 2, 2}), {0, 2, 1, 3}));
  CHECK(near(result_of("_minus_scalar", R"-("scalar": "1.5")-", {1, 1, 1, 2}), {-1.5F, -0.5F}));
  CHECK(near(result_of("_rminus_scalar", R"-("scalar": "1")-", {1, 1, 1, 2}), {1, 0}));
  CHECK(near(result_of("clip", R"-("a_min": "0.5", "a_max": "1e0")-", {1, 1, 1, 3}), {0.5F, 1, 1}));
  CHECK(near(result_of("UpSampling", R"-("scale": "2", "sample_type": "nearest")-", {1, 1, 1, 2}),
             {0, 0, 1, 1, 0, 0, 1, 1}));
  CHECK(near(result_of("Pad", R"-("mode": "constant", "pad_width": "(0,0,0,0,0,0,1,0)")-",
                       {1, 1, 1, 2}),
             {0, 0, 1}));
  CHECK(near(result_of("slice_axis", R"-("axis": "1", "begin": "1", "end": "None")-", {1, 2, 1, 1}),
             {1}));
  CHECK(near(result_of("mean", R"-("axis": "(2, 3)")-", {1, 1, 1, 3}), {1}));
  const auto soft = floats{1 / (1 + std::exp(1.0F)), 1 / (1 + std::exp(-1.0F))};
  CHECK(near(result_of("softmax", "", {1, 2}), soft));
  CHECK(near(result_of("SoftmaxActivation", R"-("mode": "channel")-", {1, 2, 1, 1}), soft));
}

TEST_CASE("labels of MXNet's output layers are no inputs, and outputs have numbers") {
  const auto symbol = R"({"nodes": [{"op": "null", "name": "data", "inputs": []},
    {"op": "SliceChannel", "name": "halves", "attr": {"num_outputs": "2"}, "inputs": [[0, 0]]},
    {"op": "_minus", "name": "less", "inputs": [[1, 1], [1, 0]]},
    {"op": "Flatten", "name": "flat", "inputs": [[2, 0]]},
    {"op": "null", "name": "softmax_label", "inputs": []},
    {"op": "SoftmaxOutput", "name": "softmax", "param": {"grad_scale": "1"},
     "inputs": [[3, 0], [4, 0]]}], "arg_nodes": [0, 4], "heads": [[5, 0]]})";
  const auto n = network_of(symbol, {}, {1, 4, 1, 1});
  CHECK(near(tensorflow_files::run(n, {{"data", {1, 2, 3, 4}}}).at("softmax"), {0.5F, 0.5F}));
}

TEST_CASE("what is not understood of MXNet's files is refused by name") {
  const auto both = complaints([] {
    (void)network_of(R"({"nodes": [{"op": "null", "name": "data", "inputs": []},
      {"op": "Custom", "name": "own", "inputs": [[0, 0]]},
      {"op": "relu", "name": "r", "attrs": {"odd": "3"}, "inputs": [[0, 0]]},
      {"op": "_plus", "name": "sum", "inputs": [[1, 0], [2, 0]]}],
      "arg_nodes": [0], "heads": [[3, 0]]})", {}, {1, 1, 2, 2});
  });
  CHECK(mentions(both, "the operator Custom is not supported (1 layer)"));
  CHECK(mentions(both, "layer 'r'"));
  CHECK(mentions(both, "attribute odd (3)"));
  CHECK(mentions(refused("Pooling", R"-("kernel": "(2,2)", "pool_type": "lp")-"),
                 "pool_type is lp"));
  CHECK(mentions(refused("Activation", R"-("act_type": "new")-"), "act_type is 'new'"));
  CHECK(mentions(refused("clip", R"-("a_min": "0")-"), "a_max is missing"));
  CHECK(mentions(complaints([] {
          (void)import::mxnet_network_from({"net.json", symbol_of("relu", "", {})},
                                           {"net.params", params_of({})});
        }),
        "--shape data="));
}

TEST_CASE("MXNet's poolings and dropouts that compute something else are refused") {
  const auto full = [](const std::string& more) {
    return refused("Pooling", R"-("kernel": "(2,2)", "pooling_convention": "full", )-" + more,
                   {1, 1, 6, 6});
  };
  CHECK(full(R"-("stride": "(2,2)")-") == "");
  CHECK(full(R"-("stride": "(1,1)", "pad": "(1,1)")-") == "");
  CHECK(mentions(full(R"-("stride": "(2,2)", "pad": "(1,1)")-"), "its stride 2 and pad 1"));
  CHECK(mentions(full(R"-("stride": "(2,3)")-"), "its stride 3 and pad 0"));
  const auto dropout = symbol_of("Dropout", R"-("p": "0.5", "mode": "always")-", {});
  CHECK(mentions(complaints([&] { (void)network_of(dropout, {}, {1, 2}); }),
                 "its mode is always"));
}

TEST_CASE("attributes of MXNet's training count for the operators that have them") {
  CHECK(near(result_of("Dropout", R"-("p": "0.5", "mode": "training", "axes": "()")-", {1, 2}),
             {0, 1}));
  CHECK(near(result_of("MakeLoss", R"-("grad_scale": "1", "valid_thresh": "0.0",
                                      "normalization": "null")-", {1, 2}),
             {0, 1}));
  CHECK(near(result_of("LinearRegressionOutput", R"-("grad_scale": "1")-", {1, 2}), {0, 1}));
  CHECK(mentions(refused("BlockGrad", R"-("p": "0.5")-"), "attribute p (0.5)"));
}

TEST_CASE("weights that MXNet's params file lacks") {
  const std::vector<parameter> both{{"arg:w", {1, 4}, {1, 2, 3, 4}}, {"arg:b", {1}, {0}}};
  const auto symbol = symbol_of("FullyConnected", R"-("num_hidden": "1")-", both);
  const auto found = complaints([&] { (void)network_of(symbol, {both[0]}, {1, 4}); });
  CHECK(mentions(found, "layer 'b': the shape of this input is not known, and the params file "
                        "does not hold it as a weight"));
}

TEST_CASE("outputs that MXNet's operators do not give are refused where they are read") {
  const auto found = complaints([] {
    (void)network_of(R"({"nodes": [{"op": "null", "name": "data", "inputs": []},
      {"op": "relu", "name": "r", "inputs": [[0, 0]]},
      {"op": "exp", "name": "e", "inputs": [[1, 2]]}],
      "arg_nodes": [0], "heads": [[1, 0], [2, 0]]})", {}, {1, 1, 2, 2});
  });
  CHECK(mentions(found, "layer 'e'"));
  CHECK(mentions(found, "the layer 'r' (relu) gives no output 2"));
}

TEST_CASE("damaged files of MXNet") {
  const std::vector<parameter> all{{"arg:w", {1, 4}, {1, 2, 3, 4}}, {"arg:b", {1}, {0}}};
  const auto symbol = symbol_of("FullyConnected", R"-("num_hidden": "1")-", all);
  const auto read = [](const std::string& s, const std::string& p) {
    try {
      (void)import::mxnet_network_from({"net.json", s}, {"net.params", p},
                                       {.shapes = {{"data", {1, 4}}}});
    } catch (const error& e) {
      for (const auto& i : e.problems()) CHECK(i.file != "");
    }
  };
  const auto params = params_of(all);
  std::mt19937 random(5);
  for (std::size_t n = 0; n < params.size(); ++n) read(symbol, params.substr(0, n));
  for (std::size_t n = 0; n < symbol.size(); n += 3) read(symbol.substr(0, n), params);
  for (int i = 0; i < 4000; ++i) {
    auto s = symbol, p = params;
    auto& damaged = i % 2 == 0 ? s : p;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    read(s, p);
  }
  std::string huge;
  put(huge, std::uint64_t{0x112});
  put(huge, std::uint64_t{0});
  put(huge, std::uint64_t{1} << 60);
  read(symbol, huge);
}

TEST_CASE("the page of MXNet lists its operators") {
  CHECK(missing_in("mxnet.md", import::mxnet_format::operators()) == "");
}
