// SPDX-License-Identifier: Apache-2.0
// Keras' models: calls of layers, models in models, orders of inputs and outputs, and where weights
// stand.
#include "keras_model.hpp"

#include <string>
#include <vector>

#include <nvdlac/import/keras.hpp>
#include <nvdlac/import/model.hpp>

#include "outcome.hpp"

using namespace nvdlac;

TEST_CASE("Keras' files are recognised by their content") {
  using import::file_kind;
  CHECK(import::recognise("\x89HDF\r\n\x1a\n").kind == file_kind::keras_hdf5);
  CHECK(import::recognise("PK\x03\x04 config.json model.weights.h5").kind ==
        file_kind::keras_archive);
  CHECK(import::recognise(R"({"class_name": "Model", "config": {}})").kind ==
        file_kind::keras_json);
  const auto torch = import::recognise("PK\x03\x04 archive/data.pkl");
  CHECK(torch.kind == file_kind::other);
  CHECK(mentions(torch.name, "PyTorch"));
  CHECK(mentions(torch.remedy, "torch.onnx.export"));
}

#ifdef NVDLAC_KERAS

namespace {

using keras_model::layer;

const std::string in_layer =
    R"({"class_name": "InputLayer", "name": "in", "inbound_nodes": [],
        "config": {"name": "in", "batch_input_shape": [null, 4, 4, 2]}})";
std::string conv(const std::string& name, const std::string& calls,
                 const std::string& further = "") {
  return R"({"class_name": "Conv2D", "name": ")" + name + R"(", "inbound_nodes": [)" + calls +
         R"(], "config": {"name": ")" + name +
         R"(", "filters": 2, "kernel_size": [1, 1], "use_bias": false)" + further + "}}";
}
std::string called(const std::string& from, int node = 0) {
  return "[[\"" + from + "\", " + std::to_string(node) + ", 0, {}]]";
}
std::string add(const std::string& name, const std::string& inputs) {
  return R"({"class_name": "Add", "name": ")" + name + R"(", "inbound_nodes": [[)" + inputs +
         R"(]], "config": {"name": ")" + name + R"("}})";
}
std::string functional(const std::string& layers, const std::string& outputs,
                       const std::string& name = "net", const std::string& calls = "") {
  return R"({"class_name": "Functional", "name": ")" + name + R"(", "inbound_nodes": [)" + calls +
         R"(], "config": {"name": ")" + name + R"(", "layers": [)" + layers +
         R"(], "input_layers": [["in", 0, 0]], "output_layers": [)" + outputs + "]}}";
}
layer kernel(const std::string& group, const std::string& name, float first) {
  return {group, {{name, {1, 1, 2, 2}, first}}};
}
outcome read(const std::string& config, const std::vector<layer>& layers,
             const import::part& wanted = {}) {
  const auto content = keras_model::hdf5(config, layers);
  return outcome_of([&] { return import::keras_from(content, "model.h5", wanted); });
}

}  // namespace

TEST_CASE("a Keras layer that is called twice computes twice with the same weights") {
  const auto shared = read(
      functional(in_layer + "," + conv("a", called("in") + "," + called("a")), R"(["a", 1, 0])"),
      {kernel("a", "a/kernel:0", 0.3F)});
  const auto apart = read(
      functional(in_layer + "," + conv("a", called("in")) + "," + conv("b", called("a")),
                 R"(["b", 0, 0])"),
      {kernel("a", "a/kernel:0", 0.3F), kernel("b", "b/kernel:0", 0.3F)});
  CHECK(shared.complaint == "");
  CHECK(shared.same_result(apart));
}

TEST_CASE("Keras models in models, whose calls are counted from 0 or from 1") {
  const auto flat = read(
      functional(in_layer + "," + conv("a", called("in")) + "," + conv("b", called("a")),
                 R"(["b", 0, 0])"),
      {kernel("a", "a/kernel:0", 0.3F), kernel("b", "b/kernel:0", 0.5F)});
  const auto inner = functional(in_layer + "," + conv("a", called("in")), R"(["a", 0, 0])", "inner",
                                called("in"));
  for (const int first : {0, 1}) {
    const auto nested = read(
        functional(in_layer + "," + inner + "," + conv("b", called("inner", first)),
                   R"(["b", 0, 0])"),
        {kernel("inner", "a/kernel:0", 0.3F), kernel("b", "b/kernel:0", 0.5F)});
    CHECK(nested.complaint == "");
    CHECK(nested.same_result(flat));
    CHECK(mentions(nested.graph, "inner/a"));
  }
  // A sequence that begins with a model, and whose weights do not tell whose they are.
  const auto sequence = R"({"class_name": "Sequential", "config": {"name": "s", "layers": [)" +
                        inner + "," + conv("b", "") + "]}}";
  CHECK(read(sequence, {kernel("inner", "a/kernel:0", 0.3F), kernel("b", "b/kernel:0", 0.5F)})
            .same_result(flat));
  const auto what =
      read(sequence, {kernel("inner", "kernel", 0.3F), kernel("b", "k", 0.5F)}).complaint;
  CHECK(mentions(what, "layer 'inner/a': Conv2D: the file has 0 weights of it instead of 1"));
}

TEST_CASE("outputs of a Keras model in the file's order, and parts of it") {
  const auto layers = in_layer + "," + conv("a", called("in")) + "," + conv("b", called("a"));
  const std::vector<layer> weights{kernel("a", "a/kernel:0", 0.3F),
                                   kernel("b", "b/kernel:0", 0.5F)};
  const auto two = read(functional(layers, R"(["b", 0, 0], ["a", 0, 0])"), weights);
  REQUIRE(two.in_file.size() == 2);
  CHECK(two.in_file[0].name == "b");
  CHECK(two.in_file[1].name == "a");
  const auto config = functional(layers, R"(["b", 0, 0])");
  const auto first = read(config, weights, {.to = {"a"}});
  REQUIRE(first.in_file.size() == 1);
  CHECK(first.in_file[0].name == "a");
  CHECK(first.in_file[0].values == two.in_file[1].values);
  CHECK(read(config, weights, {.from = {"a"}, .shapes = {{"a", {1, 4, 4, 2}}}}).complaint == "");
  CHECK(mentions(read(config, weights, {.from = {"a"}}).complaint, "--shape a="));
  CHECK(mentions(read(config, weights, {.to = {"x"}}).complaint, "the file has no such layer"));
  CHECK(mentions(read(config, weights, {.shapes = {{"b", {1, 2}}}}).complaint, "it is no input"));
}

TEST_CASE("sizes that a Keras model leaves open are asked for") {
  const auto config =
      keras_model::sequence("[null, null, null, 3]", "Activation", R"("activation": "relu6")");
  CHECK(mentions(read(config, {}).complaint, "--shape in=1,224,224,3"));
  const auto told = read(config, {}, {.shapes = {{"in", {1, 5, 6, 3}}}});
  CHECK(told.complaint == "");
  CHECK(told.in_file.at(0).shape == decltype(told.in_file.at(0).shape){1, 5, 6, 3});
}

TEST_CASE("all problems of a Keras model are told together, code is never run") {
  const auto what =
      read(functional(in_layer + R"(,{"class_name": "Lambda", "name": "mine", "config":
             {"name": "mine", "function": ["4wEAAA==", null, null]}, "inbound_nodes": [)" +
                          called("in") + "]}," + conv("b", called("in"), R"(, "odd": 1)") + "," +
                          add("sum", R"(["mine", 0, 0, {}], ["b", 0, 0, {}])") +
                          R"(,{"class_name": "ConvLSTM2D", "name": "r", "config": {"name": "r"},
                           "inbound_nodes": [)" + called("sum") + "]}",
                      R"(["r", 0, 0])"),
           {kernel("b", "b/kernel:0", 0.3F)})
          .complaint;
  CHECK(mentions(what, "layer 'mine': the class Lambda is not supported (1 layer) (it holds "
                       "Python code, which is never run)"));
  CHECK(mentions(what, "layer 'b': Conv2D: its odd (1) is not understood"));
  CHECK(mentions(what, "layer 'r': the class ConvLSTM2D is not supported (1 layer)"));
  CHECK(mentions(read(functional(in_layer + "," + conv("a", called("a")), R"(["a", 0, 0])"), {})
                     .complaint,
                 "wait for each other"));
  CHECK(mentions(read(functional(in_layer + "," + conv("a", called("x")), R"(["a", 0, 0])"), {})
                     .complaint,
                 "does not exist"));
  CHECK(mentions(read(functional(in_layer + "," +
                                     conv("a", R"([["in", 0, 0, {"training": true}]])"),
                                 R"(["a", 0, 0])"),
                      {kernel("a", "a/kernel:0", 0.3F)})
                     .complaint,
                 "it is called for training"));
}

TEST_CASE("kernels that Theano wrote are turned") {
  const auto config = keras_model::sequence(
      "[null, 4, 4, 2]", "Conv2D", R"("filters": 1, "kernel_size": [3, 3], "use_bias": false)");
  const std::vector<layer> weights{{"it", {{"it/kernel", {3, 3, 2, 1}}}}};
  const auto of = [&](const char* backend) {
    const auto content = keras_model::hdf5(config, weights, "2.1.6", backend);
    return outcome_of([&] { return import::keras_from(content, "model.h5"); });
  };
  CHECK(of("theano").accepted());
  CHECK_FALSE(of("theano").same_result(of("tensorflow")));
}

TEST_CASE("groups of Keras 3 are found by class and number, not by name") {
  const auto config = R"({"class_name": "Sequential", "config": {"name": "s", "layers": [)" +
                      in_layer + "," + conv("conv2d_7", "") + "," + conv("conv2d", "") + "]}}";
  const auto expected = read(config, {kernel("conv2d_7", "k", 0.3F), kernel("conv2d", "k", 0.5F)});
  const auto of = [&](const std::string& first, const std::string& second) {
    const auto content = keras_model::archive_of_3(
        config, keras_model::groups_of_3({kernel(first, "", 0.3F), kernel(second, "", 0.5F)}));
    return outcome_of([&] { return import::keras_from(content, "model.keras"); });
  };
  CHECK(of("layers/conv2d", "layers/conv2d_1").same_result(expected));
  CHECK(of("layers\\conv2d", "layers\\conv2d_1").same_result(expected));
  CHECK(of("_layer_checkpoint_dependencies/conv2d", "_layer_checkpoint_dependencies/conv2d_2")
            .same_result(expected));
  CHECK(mentions(of("layers/conv2d", "layers/dense").complaint, "the file has 0 weights of it"));
}

TEST_CASE("a product with a constant is a layer of Keras 3 and of TensorFlow") {
  const auto in_3 = functional(
      in_layer + R"(,{"module": "keras.src.ops.numpy", "class_name": "Multiply", "name": "m",
        "config": {"name": "m"}, "inbound_nodes": [{"args": [{"class_name": "__keras_tensor__",
        "config": {"keras_history": ["in", 0, 0]}}, 0.5], "kwargs": {}}]})",
      R"(["m", 0, 0])");
  const auto in_2 = functional(
      in_layer + R"(,{"class_name": "TFOpLambda", "name": "m", "config": {"name": "m",
        "function": "math.multiply"}, "inbound_nodes": [["in", 0, 0, {"y": 0.5, "name": null}]]})",
      R"(["m", 0, 0])");
  CHECK(read(in_3, {}).complaint == "");
  CHECK(read(in_2, {}).same_result(read(in_3, {})));
}

#else

TEST_CASE("without HDF5 a Keras file is refused with what to install") {
  CHECK(mentions(complaints([] { (void)import::keras_from("\x89HDF\r\n\x1a\n", "model.h5"); }),
                 "libhdf5-dev libarchive-dev"));
}

#endif
