// SPDX-License-Identifier: Apache-2.0
// Operators that a reader knows and a configuration does not compute: the refusal names the nodes
// to end at, as the options call them in each format, and the part that ends there runs.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/prepare.hpp>

#include "caffe2_model.hpp"
#include "coreml_model.hpp"
#include "darknet_model.hpp"
#include "files.hpp"
#include "keras_model.hpp"
#include "mxnet_model.hpp"
#include "onnx_model.hpp"
#include "pytorch_model.hpp"
#include "tensorflow_model.hpp"
#include "tflite_model.hpp"

namespace {

using namespace nvdlac;

using reading = std::function<import::network(const import::part&)>;

// The problems that nv_small, which has no tables, has with a network.
std::vector<problem> refused_by_nv_small(const net::graph& of) {
  auto g = of;
  for (const auto& p : net::verify(g)) FAIL_CHECK(to_string(p));
  net::infer_shapes(g);
  const auto found = lower::check_by(lower::standard_judge{nv_small::spec, "nv_small"}, g, {},
                                     budget{}.layers);
  return detail::of_own_layers(detail::names_of_layers(of), found);
}

// The refusal of a network on nv_small, as a compilation tells it.
std::string refusal(const import::network& n) {
  const error refused(refused_by_nv_small(n.graph));
  return import::with_cut(refused, import::cut_around(n.nodes, refused)).what();
}

// A network whose last but one layer has a function of a table: the proposal ends before it.
void check_end(const reading& read, const std::string& end) {
  const auto message = refusal(read({}));
  CHECK_MESSAGE(mentions(message, "read the part before: --to " + end), message);
  const auto left = read({.to = {end}});
  CHECK(left.graph.outputs().size() == 1);
  CHECK(refused_by_nv_small(left.graph).empty());
}

}  // namespace

TEST_CASE("ONNX: a refusal of NVDLA's names the nodes to end at") {
  using namespace onnx_model;
  const auto text = "ir_version: 7 opset_import { version: 13 } graph {\ninput " +
                    value_info("x", {1, 2, 4, 4}) + "output " + value_info("y", {1, 2, 4, 4}) +
                    node("Abs", "x", "a") + node("Relu", "a", "left") + node("Neg", "a", "right") +
                    node("Sin", "left", "s") + node("Add", "s right", "y") + "}\n";
  const reading read = [&](const import::part& wanted) {
    return import::onnx_network_from(text, "net.onnx", {}, wanted);
  };
  CHECK_MESSAGE(mentions(refusal(read({})),
                         "read the part before: --to Relu_left --to Neg_right"),
                refusal(read({})));
  CHECK(read({.to = {"Relu_left", "Neg_right"}}).graph.outputs().size() == 2);
}

TEST_CASE("TFLite: a refusal of NVDLA's names the tensors to end at") {
  tflite_model::builder b;
  const auto x = b.tensor("x", {1, 4, 4, 2}), r = b.tensor("r", {1, 4, 4, 2}),
             t = b.tensor("t", {1, 4, 4, 2}), y = b.tensor("y", {1, 4, 4, 2});
  b.op(19, {x}, {r});
  b.op(28, {r}, {t});
  b.op(101, {t}, {y});
  const auto file = b.file({x}, {y});
  check_end([&](const import::part& wanted) {
    return import::tflite_network_from(file, "net.tflite", wanted);
  }, "r");
}

TEST_CASE("TensorFlow: a refusal of NVDLA's names the nodes to end at") {
  using namespace tensorflow_model;
  const auto real = type("T", "DT_FLOAT");
  const auto graph = placeholder("x", {1, 4, 4, 2}) + node("Relu", "block/r", "x", real) +
                     node("Tanh", "block/t", "block/r", real) + node("Abs", "y", "block/t", real);
  check_end([&](const import::part& wanted) {
    return import::tensorflow_network_from(graph, "net.pbtxt", wanted);
  }, "block/r");
}

#ifdef NVDLAC_KERAS
TEST_CASE("Keras: a refusal of NVDLA's names the layers to end at") {
  const std::string layers =
      R"({"class_name": "Sequential", "config": {"name": "net", "layers": [
      {"class_name": "InputLayer", "config": {"name": "in", "batch_input_shape": [null, 4, 4, 2],
       "dtype": "float32", "sparse": false}},
      {"class_name": "ReLU", "config": {"name": "r"}},
      {"class_name": "Activation", "config": {"name": "t", "activation": "tanh"}},
      {"class_name": "ReLU", "config": {"name": "y"}}]}})";
  const auto file = keras_model::hdf5(layers, {});
  check_end([&](const import::part& wanted) {
    return import::keras_network_from(file, "net.h5", wanted);
  }, "r");
}
#endif

TEST_CASE("Caffe: a refusal of NVDLA's names the layers to end at") {
  const std::string layers =
      "input: 'data' input_dim: 1 input_dim: 2 input_dim: 4 input_dim: 4 "
      "layer { name: 'a' type: 'AbsVal' bottom: 'data' top: 'a' } "
      "layer { name: 'r' type: 'ReLU' bottom: 'a' top: 'a' } "
      "layer { name: 't' type: 'TanH' bottom: 'a' top: 't' } "
      "layer { name: 'y' type: 'AbsVal' bottom: 't' top: 'y' }";
  check_end([&](const import::part& wanted) {
    return import::caffe_format::read(
        {"net.prototxt", layers},
        import::caffe_format::weights(import::random_weights{1}, budget{}.weights), wanted);
  }, "r");
}

namespace {

const std::string convolution = "[convolutional]\nfilters=2\nsize=1\nactivation=";

import::network darknet_part(const std::string& layers, const import::part& wanted) {
  return import::darknet_format::read(
      {"net.cfg", darknet_model::cfg({2, 4, 4}, layers)},
      import::darknet_format::weights(import::random_weights{1}, budget{}.weights), {}, wanted);
}

}  // namespace

TEST_CASE("Darknet: a refusal of NVDLA's names the layers to end at") {
  const auto layers = convolution + "leaky\n" + convolution + "logistic\n[maxpool]\nsize=2\n" +
                      "stride=2\n";
  check_end([&](const import::part& wanted) { return darknet_part(layers, wanted); },
            "convolutional_0");
}

TEST_CASE("Darknet: the refusal of a section proposes the part before it") {
  const auto heads = convolution + "leaky\n[maxpool]\nsize=2\nstride=2\n" +
                     "[route]\nlayers=0\n[strange]\n" + convolution + "linear\n[shortcut]\n" +
                     "from=-4\nactivation=linear\n";
  const auto message = complaints([&] { (void)darknet_part(heads, {}); });
  CHECK_MESSAGE(mentions(message, "read the part before: --to maxpool_1 --to route_2"), message);
  CHECK(darknet_part(heads, {.to = {"maxpool_1", "route_2"}}).graph.outputs().size() == 2);
  // Nothing is left before the first section.
  CHECK_FALSE(mentions(complaints([&] { (void)darknet_part("[strange]\n" + convolution +
                                                           "linear\n", {}); }), "--to"));
}

TEST_CASE("MXNet: a refusal of NVDLA's names the layers to end at") {
  const std::string symbol =
      R"({"nodes": [{"op": "null", "name": "data", "inputs": []},
      {"op": "Activation", "name": "r", "attrs": {"act_type": "relu"}, "inputs": [[0, 0, 0]]},
      {"op": "Activation", "name": "t", "attrs": {"act_type": "tanh"}, "inputs": [[1, 0, 0]]},
      {"op": "Activation", "name": "y", "attrs": {"act_type": "relu"}, "inputs": [[2, 0, 0]]}],
      "arg_nodes": [0], "heads": [[3, 0, 0]]})";
  check_end([&](import::part wanted) {
    wanted.shapes = {{"data", {1, 2, 4, 4}}};
    return import::mxnet_network_from({"net.json", symbol},
                                      {"net.params", mxnet_model::params_of({})}, wanted);
  }, "r");
}

TEST_CASE("Caffe2: a refusal of NVDLA's names the blobs to end at") {
  using namespace caffe2_model;
  const auto net = ends + op("Relu", "input: 'x'", "", "output: 'r'") +
                   op("Tanh", "input: 'r'", "", "output: 't'") + op("Relu", "input: 't'", "");
  check_end([&](import::part wanted) {
    wanted.shapes = {{"x", {1, 2, 4, 4}}};
    return import::caffe2_network_from({"predict.pb", net_def(net)},
                                       {"init.pb", net_def(fill("k", {1}, {1}))}, wanted);
  }, "r");
}

TEST_CASE("Core ML: a refusal of NVDLA's names the layers to end at") {
  using namespace coreml_model;
  const auto layer = [](const char* name, const char* in, const char* function) {
    return std::string("layers { name: '") + name + "' input: '" + in + "' output: '" + name +
           "' activation { " + function + " { } } } ";
  };
  const auto file = model_of(network_text(layer("r", "x", "ReLU") + layer("t", "r", "tanh") +
                                              layer("y", "t", "ReLU"),
                                          array_input({2, 4, 4})));
  check_end([&](const import::part& wanted) {
    return import::coreml_network_from({"net.mlmodel", file}, wanted);
  }, "r");
}

#ifdef NVDLAC_PYTORCH
TEST_CASE("PyTorch: a refusal of NVDLA's names the tensors to end at") {
  using namespace pytorch_model;
  const auto file = archive_of({.nodes = node("relu.default", tensor("self", "x"), {"r"}) + ',' +
                                         node("tanh.default", tensor("self", "r"), {"t"}) + ',' +
                                         node("abs.default", tensor("self", "t"))});
  check_end([&](const import::part& wanted) {
    return import::pytorch_network_from(file, "net.pt2", wanted);
  }, "r");
}
#endif
