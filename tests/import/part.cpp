// SPDX-License-Identifier: Apache-2.0
// A part of an ONNX file, by its layers' names, and sizes that it leaves open.
#include "onnx_model.hpp"

#include <string>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/darknet.hpp>
#include <nvdlac/net/verify.hpp>

#include "outcome.hpp"
#include "tflite_model.hpp"

using namespace onnx_model;

namespace {

net::graph part_of(const std::string& model, const import::part& wanted) {
  return import::onnx_from(model, "test", {}, wanted);
}
std::string refused_part(const std::string& model, const import::part& wanted) {
  return complaints([&] { (void)part_of(model, wanted); });
}

const std::string chain =
    x_to_y({1, 2, 4, 4}, node("Relu", "x", "a") + node("Abs", "a", "b") +
                             node("NonZero", "b", "n") + node("Neg", "b", "y"));

}  // namespace

TEST_CASE("ONNX: a part of a network by its layers' names") {
  const auto to = part_of(chain, {.to = {"b"}});
  CHECK(to.size() == 3);
  CHECK(to[to.outputs().at(0)].in_file.at(0).name == "b");
  const auto both =
      part_of(chain, {.from = {"a"}, .to = {"Neg_y"}, .shapes = {{"a", {1, 3, 5, 5}}}});
  CHECK(both.size() == 3);
  CHECK(both[net::input_nodes(both).at(0)].name == "a");
  CHECK(both[net::input_nodes(both).at(0)].shape == net::shape{3, 5, 5});
  CHECK(mentions(refused_part(chain, {.from = {"a"}}), "give it: --shape a="));
  CHECK(mentions(refused_part(chain, {.to = {"z"}}), "layer 'z': the file has no such layer"));
  CHECK(mentions(refused_part(chain, {.from = {"Neg_y"}, .to = {"a"}}),
                 "layer 'Neg_y': no output that is asked for depends on what this gives"));
}

TEST_CASE("ONNX: shapes that the file leaves open") {
  const auto open = x_to_y({-1, 2, -1, -1}, node("Relu", "x", "y"));
  CHECK(mentions(refused(open), "give its shape: --shape x=1,2,224,224"));
  CHECK(part_of(open, {.shapes = {{"x", {1, 2, 3, 4}}}})[0].shape == net::shape{2, 3, 4});
  CHECK(mentions(refused_part(open, {.shapes = {{"x", {1, 3, 3, 4}}}}), "but the file has"));
  CHECK(mentions(refused_part(open, {.shapes = {{"q", {1, 3, 3, 4}}}}), "but it is no input"));
}

TEST_CASE("ONNX: nodes by their numbers") {
  CHECK(part_of(chain, {.to = {"1"}}).size() == 3);
  CHECK(mentions(refused_part(chain, {.to = {"4"}}), "layer '4': the file has no such layer"));
}

namespace {

// x -> a -> (unknown) -> b -> y, all of the same shape.
std::string tflite_chain() {
  tflite_model::builder b;
  const tflite_model::ints shape{1, 2, 2, 3};
  const auto x = b.tensor("x", shape), a = b.tensor("a", shape), u = b.tensor("u", shape),
             c = b.tensor("b", shape), y = b.tensor("y", shape);
  b.op(19, {x}, {a});                              // RELU
  b.op(32, {a}, {u}, 0, {}, "Unknown_Operator");   // CUSTOM
  b.op(101, {u}, {c});                             // ABS
  b.op(59, {c}, {y});                              // NEG
  return b.file({x}, {y});
}
import::network tflite_part(const import::part& wanted) {
  auto n = import::tflite_network_from(tflite_chain(), "net.tflite", wanted);
  for (const auto& p : net::verify(n.graph)) FAIL_CHECK(to_string(p));
  return n;
}
std::string input_of(const net::graph& g) {
  return g[net::input_nodes(g).at(0)].in_file.at(0).name;
}
std::string output_of(const net::graph& g) { return g[g.outputs().at(0)].in_file.at(0).name; }

}  // namespace

TEST_CASE("TFLite: a part of a network by its tensors' names or numbers") {
  const auto before = tflite_part({.to = {"a"}}).graph;
  CHECK(before.size() == 2);
  CHECK(input_of(before) == "x");
  CHECK(output_of(before) == "a");
  for (const auto* name : {"u", "2"}) {
    const auto behind = tflite_part({.from = {name}}).graph;
    CHECK(input_of(behind) == "u");
    CHECK(output_of(behind) == "y");
    CHECK(behind[net::input_nodes(behind).at(0)].shape == net::shape{3, 2, 2});
  }
  const auto between = tflite_part({.from = {"u"}, .to = {"3"}}).graph;
  CHECK(output_of(between) == "b");
  CHECK(mentions(complaints([] { (void)tflite_part({.to = {"z", "5"}}); }),
                 "net.tflite: layer '5': the file has no such tensor"));
}

TEST_CASE("TFLite: a refusal proposes the larger part, which is read") {
  const auto what = complaints([] { (void)import::tflite_network_from(tflite_chain(), "n"); });
  CHECK_MESSAGE(mentions(what, "the operator 'Unknown_Operator' (CUSTOM) is not supported (1 node) "
                               "(read the part behind: --from u)"), what);
}

TEST_CASE("TFLite: operators on which no output depends do not matter") {
  tflite_model::builder b;
  const tflite_model::ints shape{1, 2, 2, 3};
  const auto x = b.tensor("x", shape), y = b.tensor("y", shape),
             dead = b.tensor("dead", shape, tflite_model::int8, {{0}, {0}}),
             last = b.tensor("last", shape);
  b.op(19, {x}, {y});
  b.op(32, {x}, {dead}, 0, {}, "Unknown_Operator");
  b.op(101, {dead}, {last});
  CHECK(import::tflite_network_from(b.file({x}, {y}), "n").graph.size() == 2);
  b.op(19, {x}, {y});  // what is wrong is told
  CHECK(mentions(complaints([&] { (void)import::tflite_network_from(b.file({x}, {y}), "n"); }),
                 "its output is already produced"));
}

TEST_CASE("TFLite: one of several outputs of an operator begins a part") {
  tflite_model::builder b;
  const auto axis = b.integers("axis", {3});
  const auto x = b.tensor("x", {1, 2, 2, 4}), l = b.tensor("l", {1, 2, 2, 2}),
             r = b.tensor("r", {1, 2, 2, 2}), y = b.tensor("y", {1, 2, 2, 2});
  b.op(49, {axis, x}, {l, r}, 35, {tflite_model::integer(0, 2)});
  b.op(0, {l, r}, {y}, 11);
  const auto n = import::tflite_network_from(b.file({x}, {y}), "n", {.from = {"r"}});
  CHECK(net::input_nodes(n.graph).size() == 2);
}

namespace {

const std::string caffe_chain = R"(
  layer { name: 'data' type: 'Input' top: 'data'
          input_param { shape { dim: 2 dim: 3 dim: 8 dim: 8 } } }
  layer { name: 'c1' type: 'Convolution' bottom: 'data' top: 'c1'
          convolution_param { num_output: 4 kernel_size: 3 } }
  layer { name: 'r1' type: 'ReLU' bottom: 'c1' top: 'c1' }
  layer { name: 's' type: 'Slice' bottom: 'c1' top: 'left' top: 'right' }
  layer { name: 'u' type: 'Unknown' bottom: 'left' top: 'u' }
  layer { name: 'e' type: 'Eltwise' bottom: 'u' bottom: 'right' top: 'e' }
  layer { name: 'y' type: 'AbsVal' bottom: 'e' top: 'y' })";
import::network caffe_part(const import::part& wanted, const std::string& net = caffe_chain) {
  auto n = import::caffe_format::read(
      {"net.prototxt", net},
      import::caffe_format::weights(import::random_weights{1}, budget{}.weights), wanted);
  for (const auto& p : net::verify(n.graph)) FAIL_CHECK(to_string(p));
  return n;
}
std::string refused_caffe_part(const import::part& wanted, const std::string& net = caffe_chain) {
  return complaints([&] { (void)caffe_part(wanted, net); });
}

}  // namespace

TEST_CASE("Caffe: a part of a network by layers, blobs or numbers") {
  // A layer is what it gives itself; a blob what the last layer in place gives.
  CHECK(caffe_part({.to = {"c1"}}).graph.size() == 2);
  for (const auto* name : {"r1", "2"}) {
    const auto n = caffe_part({.to = {name}});
    CHECK(n.graph.size() == 3);
    CHECK(output_of(n.graph) == "r1");
    CHECK(n.batch == 2);
  }
  // The layers before a part tell the shape of its input.
  const auto between = caffe_part({.from = {"r1"}, .to = {"right"}});
  CHECK(input_of(between.graph) == "r1");
  CHECK(output_of(between.graph) == "right");
  CHECK(between.graph[net::input_nodes(between.graph).at(0)].shape == net::shape{4, 6, 6});
  CHECK(between.batch == 2);
  // The top of one of several that a layer gives.
  const auto side = caffe_part({.from = {"left"}, .to = {"left", "right"}});
  CHECK(side.graph.outputs().size() == 2);
}

TEST_CASE("Caffe: behind a layer that is refused a shape is given") {
  CHECK(mentions(refused_caffe_part({.from = {"u"}}),
                 "layer 'u': the layers before it do not tell the shape of what it gives (give it: "
                 "--shape u=1,CHANNELS,HEIGHT,WIDTH)"));
  const auto behind = caffe_part({.from = {"u"}, .shapes = {{"u", {2, 2, 6, 6}}}});
  CHECK(net::input_nodes(behind.graph).size() == 2);
  CHECK(output_of(behind.graph) == "y");
  CHECK(mentions(refused_caffe_part({.from = {"r1"}, .to = {"right"},
                                     .shapes = {{"r1", {2, 5, 6, 6}}}}),
                 "its shape is given as 2x5x6x6, but the file has 2x4x6x6"));
  CHECK(mentions(refused_caffe_part({.to = {"c1"}, .shapes = {{"q", {1, 1, 1, 1}}}}),
                 "its shape is given, but it is no input (inputs are data)"));
  CHECK(mentions(refused_caffe_part({.to = {"z"}}), "layer 'z': the file has no layer"));
}

TEST_CASE("Caffe: the inputs that a part does not read are left out") {
  const std::string old = "input: 'a' input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 3 "
                          "input: 'b' input_dim: 1 input_dim: 2 input_dim: 3 input_dim: 3 "
                          "layer { name: 'n' type: 'AbsVal' bottom: 'b' top: 'n' } "
                          "layer { name: 'y' type: 'Eltwise' bottom: 'a' bottom: 'n' top: 'y' }";
  CHECK(input_of(caffe_part({.to = {"n"}}, old).graph) == "b");
  const auto n = caffe_part({.from = {"n"}}, old).graph;
  CHECK(net::input_nodes(n).size() == 2);
  CHECK(n.size() == 3);
}

TEST_CASE("Caffe: a refusal proposes a part, which is read") {
  const auto what = refused_caffe_part({});
  CHECK_MESSAGE(mentions(what, "layers of type Unknown are not supported (read the part before: "
                               "--to left --to right; supported are "), what);
  CHECK(caffe_part({.to = {"left", "right"}}).graph.outputs().size() == 2);
  // A file for training: what stands between the data and the loss.
  const std::string training =
      "layer { name: 'data' type: 'Data' top: 'data' top: 'label' } "
      "layer { name: 'fc' type: 'InnerProduct' bottom: 'data' top: 'fc' "
      "inner_product_param { num_output: 3 } } "
      "layer { name: 'loss' type: 'SoftmaxWithLoss' bottom: 'fc' bottom: 'label' top: 'loss' }";
  CHECK_MESSAGE(mentions(refused_caffe_part({}, training),
                         "has the shape of a picture; or read the part between: --from data --to "
                         "fc)"),
                refused_caffe_part({}, training));
  const auto n = caffe_part({.from = {"data"}, .to = {"fc"}, .shapes = {{"data", {1, 2, 4, 4}}}},
                            training);
  CHECK(n.graph.size() == 2);
}

TEST_CASE("Darknet: a part of a network by its layers' names or numbers") {
  const std::string cfg =
      "[net]\nwidth=4\nheight=4\nchannels=3\n[convolutional]\nfilters=3\nsize=1\n"
      "activation=leaky\n[maxpool]\nsize=2\nstride=2\n[convolutional]\nfilters=2\nsize=1\n"
      "activation=linear\n[avgpool]\n";
  const auto read = [&](const import::part& wanted) {
    auto n = import::darknet_format::read(
        {"net.cfg", cfg},
        import::darknet_format::weights(import::random_weights{1}, budget{}.weights), {}, wanted);
    for (const auto& p : net::verify(n.graph)) FAIL_CHECK(to_string(p));
    return n;
  };
  CHECK(output_of(read({.to = {"maxpool_1"}}).graph) == "maxpool_1");
  const auto behind = read({.from = {"1"}});
  CHECK(input_of(behind.graph) == "maxpool_1");
  CHECK(behind.graph[net::input_nodes(behind.graph).at(0)].shape == net::shape{3, 2, 2});
  CHECK(output_of(behind.graph) == "avgpool_3");
  CHECK_FALSE(behind.preprocessing);
  CHECK(read({.to = {"0"}}).preprocessing);
  CHECK(mentions(complaints([&] { (void)read({.to = {"conv_0"}}); }),
                 "layer 'conv_0': the file has no such layer"));
  CHECK(mentions(complaints([&] { (void)read({.from = {"2"}, .to = {"1"}}); }),
                 "layer 'convolutional_2': no output that is asked for depends on what this "
                 "gives"));
}
