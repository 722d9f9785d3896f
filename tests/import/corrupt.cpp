// SPDX-License-Identifier: Apache-2.0
// Damaged files are read or refused; they neither crash nor hang the readers.
#include "onnx_model.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/model.hpp>

#include "../shared.hpp"
#include "damage.hpp"
#include "darknet_model.hpp"
#include "tensorflow_model.hpp"
#include "tflite_model.hpp"

using namespace onnx_model;

namespace {

net::graph read_onnx(const std::string& content) {
  return import::without_scales(import::onnx_network_from(content, "damaged"));
}
net::graph read_tflite(const std::string& content) {
  return import::without_scales(import::tflite_network_from(content, "damaged"));
}

net::graph read_tensorflow(const std::string& content) {
  return import::without_scales(import::tensorflow_network_from(content, "damaged"));
}

// The operators of small_model in TensorFlow, and what exporters write around them.
std::string small_tensorflow() {
  namespace t = tensorflow_model;
  return t::placeholder("x", {-1, 6, 6, 2}) + t::constant("w", {3, 3, 2, 2}, {0.25F}) +
         t::constant("c", {2}, {1, 2}) +
         t::node("Conv2D", "conv", "x w",
                 t::list("strides", {1, 2, 2, 1}) + t::word("padding", "SAME")) +
         t::node("BiasAdd", "bias", "conv c") +
         t::node("FusedBatchNormV3", "norm", "bias c c c c", t::flag("is_training", false)) +
         t::node("Relu6", "relu", "norm") +
         t::node("MaxPool", "pool", "relu",
                 t::list("ksize", {1, 2, 2, 1}) + t::list("strides", {1, 1, 1, 1}) +
                     t::word("padding", "SAME")) +
         t::node("Shape", "shape", "pool") + t::integers("0", {0}) + t::integers("1", {1}) +
         t::node("StridedSlice", "n", "shape 0 1 1", t::integer("shrink_axis_mask", 1)) +
         t::integers("rest", {}, {-1}) + t::node("Pack", "to", "n rest", t::integer("N", 2)) +
         t::node("Reshape", "flat", "pool to") + t::constant("v", {18, 3}, {0.5F}) +
         t::node("MatMul", "product", "flat v") + t::node("Softmax", "y", "product");
}

// Convolution, pooling, reshape, fully connected and softmax, quantised.
std::string small_tflite() {
  namespace t = tflite_model;
  t::builder b;
  const t::grid g{{0.5F}, {-128}}, each{{0.25F, 0.5F}, {0, 0}};
  const auto x = b.tensor("x", {1, 6, 6, 2}, t::int8, g);
  const auto w = b.constant("w", {2, 3, 3, 2}, std::vector<std::int8_t>(36, 3), t::int8, each);
  const auto k = b.constant("b", {2}, t::ints{4, 5}, t::int32, {{0.125F, 0.25F}, {0, 0}});
  const auto c = b.tensor("c", {1, 3, 3, 2}, t::int8, g);
  const auto p = b.tensor("p", {1, 2, 2, 2}, t::int8, g);
  const auto s = b.integers("s", {-1, 8});
  const auto f = b.tensor("f", {1, 8}, t::int8, g);
  const auto v = b.constant("v", {3, 8}, std::vector<std::int8_t>(24, 1), t::int8, {{0.25F}, {0}});
  const auto h = b.tensor("h", {1, 3}, t::int8, {{0.5F}, {7}}), y = b.tensor("y", {1, 3});
  b.op(3, {x, w, k}, {c}, 1,
       {t::byte(0, 0), t::integer(1, 2), t::integer(2, 2), t::byte(3, 3), t::integer(4, 1),
        t::integer(5, 1)});
  b.op(17, {c}, {p}, 5,
       {t::byte(0, 0), t::integer(1, 2), t::integer(2, 2), t::integer(3, 2), t::integer(4, 2)});
  b.op(22, {p, s}, {f}, 17, {t::list(0, {1, 8})});
  b.op(9, {f, v, -1}, {h}, 8, {t::byte(0, 0)});
  b.op(25, {h}, {y}, 9, {t::number(0, 1)});
  return b.file({x}, {y});
}

const std::string small_model = x_to_y(
    {1, 2, 6, 6},
    floats("w", {4, 2, 3, 3}, std::vector<float>(72, 0.25F)) + floats("b", {4}, {1, 2, 3, 4}) +
        floats("s", {4}, {1, 1, 1, 1}) +
        node("Conv", "x w b", "c", ints("pads", {1, 1, 1, 1}) + ints("strides", {2, 2})) +
        node("BatchNormalization", "c s b b s", "n") + node("Relu", "n", "r") +
        node("MaxPool", "r", "p", ints("kernel_shape", {2, 2}) + integer("ceil_mode", 1)) +
        node("Shape", "p", "ps") + integers("zero", {0}) + integers("rest", {-1}) +
        node("Gather", "ps zero", "pn") + node("Concat", "pn rest", "pt", integer("axis", 0)) +
        node("Transpose", "p", "q", ints("perm", {0, 2, 3, 1})) + node("Reshape", "q pt", "f") +
        floats("g", {16, 3}, std::vector<float>(48, 0.5F)) + node("Gemm", "f g", "h") +
        node("Softmax", "h", "y"));

const std::string prototxt = R"(name: "small"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 1 dim: 6 dim: 6 } } }
layer { name: "c" type: "Convolution" bottom: "data" top: "c"
  convolution_param { num_output: 2 kernel_size: 3 pad: 1 stride: 2 } }
layer { name: "bn" type: "BatchNorm" bottom: "c" top: "c" }
layer { name: "s" type: "Scale" bottom: "c" top: "c" scale_param { bias_term: true } }
layer { name: "r" type: "ReLU" bottom: "c" top: "c" }
layer { name: "p" type: "Pooling" bottom: "c" top: "p" pooling_param { pool: AVE kernel_size: 2 stride: 2 } }
layer { name: "e" type: "Eltwise" bottom: "p" bottom: "p" top: "e" eltwise_param { coeff: 1 coeff: -2 } }
layer { name: "f" type: "InnerProduct" bottom: "e" top: "f" inner_product_param { num_output: 2 } }
layer { name: "prob" type: "Softmax" bottom: "f" top: "prob" }
)";
const std::string trained = R"(name: "small"
layer { name: "c" blobs { shape { dim: 2 dim: 1 dim: 3 dim: 3 } data: [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9] }
  blobs { shape { dim: 2 } data: [1, 2] } }
layer { name: "bn" blobs { shape { dim: 2 } data: [1, 2] } blobs { shape { dim: 2 } data: [3, 4] } blobs { shape { dim: 1 } data: 1 } }
layer { name: "s" blobs { shape { dim: 2 } data: [1, 2] } blobs { shape { dim: 2 } data: [3, 4] } }
layer { name: "f" blobs { num: 1 channels: 1 height: 2 width: 8 data: [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8] }
  blobs { shape { dim: 2 } data: [1, 2] } }
)";

}  // namespace

TEST_CASE("damaged ONNX files, binary and text") {
  CHECK(read_onnx(small_model).size() == 7);
  damage("binary", encode(import::onnx_format::schema(), "ModelProto", small_model), 1, read_onnx);
  damage("text", small_model, 2, read_onnx);
}

TEST_CASE("damaged TensorFlow files, binary and text") {
  const auto small = small_tensorflow();
  CHECK(read_tensorflow(small).size() >= 7);
  damage("text", small, 6, read_tensorflow);
  damage("binary", encode(import::tensorflow_format::schema(), "GraphDef", small), 7,
         read_tensorflow);
}

TEST_CASE("damaged TensorFlow Lite files") {
  const auto small = small_tflite();
  CHECK(read_tflite(small).size() == 7);  // with the clip of a range that is not even about 0
  damage("tflite", small, 5, read_tflite);
  for (const char* name : {"nets/tflite/mlperf_kws_ref_model.tflite"}) {
    const auto path = shared_path(name);
    if (!path) continue;
    damage(name, import::read_file(*path), 6, read_tflite);
  }
}

TEST_CASE("damaged prototxt and caffemodel") {
  const auto weights = encode(import::caffe_format::schema(), "NetParameter", trained);
  CHECK(import::caffe_from({"n", prototxt}, {"w", weights}).size() == 9);
  damage("prototxt", prototxt, 3, [&](const std::string& content) {
    return import::caffe_from({"n", content}, {"w", weights});
  });
  damage("caffemodel", weights, 4, [&](const std::string& content) {
    return import::caffe_from({"n", prototxt}, {"w", content});
  });
}

TEST_CASE("damaged Darknet cfg and weights") {
  const std::string cfg = darknet_model::cfg(
      {2, 6, 6}, R"([convolutional]
filters=4
size=3
stride=2
pad=1
groups=2
batch_normalize=1
activation=leaky
[maxpool]
size=2
stride=1
[route]
layers=-1,0
groups=2
group_id=1
[shortcut]
from=-2
[reorg3d]
stride=3
[upsample]
stride=2
[connected]
output=8
activation=linear
[yolo]
num=1
classes=3
)");
  const auto weights = darknet_model::weights(darknet_model::floats(16 + 36 + 8 + 8 * 144, 0.25F));
  const auto read = [&](const std::string& n, const std::string& w) {
    return import::darknet_from({"n", n}, {"w", w});
  };
  CHECK(read(cfg, weights).size() > 9);
  damage("cfg", cfg, 30, [&](const std::string& content) { return read(content, weights); });
  damage("weights", weights, 31, [&](const std::string& content) { return read(cfg, content); });
  const auto noise = [&](const std::string& content) {
    return import::darknet_format::read({"n", content},
                                        import::darknet_format::weights(
                                            import::random_weights{1}, budget{}.weights),
                                        {}).graph;
  };
  damage("cfg without weights", cfg, 32, noise);
  const auto face = shared_path("nets/darknet/yoloface-50k.cfg");
  const auto face_weights = shared_path("nets/darknet/yoloface-50k.weights");
  if (!face || !face_weights) return;
  const auto values = import::read_file(*face_weights);
  damage("yoloface-50k.cfg", import::read_file(*face), 33,
         [&](const std::string& content) { return read(content, values); });
}

TEST_CASE("damaged files of trained networks") {
  std::uint32_t seed = 10;
  for (const char* name : {"nets/onnx/mnist_cntk_op8.onnx", "nets/onnx/wonnx_opt-mnist.onnx",
                           "nets/light/light_squeezenet.onnx"}) {
    const auto path = shared_path(name);
    if (!path) continue;
    damage(name, import::read_file(*path), seed++, read_onnx);
  }
  const auto digits = shared_path("nets/caffe/lenet.prototxt");
  const auto digits_weights = shared_path("nets/caffe/lenet.caffemodel");
  if (!digits || !digits_weights) return;
  const auto weights = import::read_file(*digits_weights);
  damage("lenet.prototxt", import::read_file(*digits), seed, [&](const std::string& content) {
    return import::caffe_from({"n", content}, {"w", weights});
  });
}

TEST_CASE("damaged files of the project's own digit classifier") {
  const std::filesystem::path examples =
      std::filesystem::path(NVDLAC_SOURCE_DIR) / "examples" / "digits";
  const auto description = import::read_file(examples / "digits.prototxt");
  const auto weights = import::read_file(examples / "digits.caffemodel");
  damage("digits.onnx", import::read_file(examples / "digits.onnx"), 20, read_onnx);
  damage("digits.prototxt", description, 21, [&](const std::string& content) {
    return import::caffe_from({"n", content}, {"w", weights});
  });
  damage("digits.caffemodel", weights, 22, [&](const std::string& content) {
    return import::caffe_from({"n", description}, {"w", content});
  });
}

TEST_CASE("names that cannot be printed") {
  for (const std::string name : {"\\377", "\\340\\200\\200", "\\355\\240\\200", "a\\001"}) {
    const auto relu = [&](const std::string& node, const std::string& output) {
      return complaints([&] {
        (void)read(model("input " + value_info("x", {1, 1}) + "output { name: '" + output + "' } " +
                         "node { op_type: 'Relu' name: '" + node + "' input: 'x' output: '" +
                         output + "' }"));
      });
    };
    CHECK(mentions(relu(name, "y"), "no printable UTF-8 text"));
    CHECK(mentions(relu("n", name), "no printable UTF-8 text"));
  }
  CHECK(read(x_to_y({1, 1}, "node { op_type: 'Relu' name: 'Schön ✓' input: 'x' output: 'y' }"))[1]
            .name == "Schön ✓");
}

TEST_CASE("files made to exhaust a reader") {
  const scratch directory;
  const auto with = [&](const std::string& content) {
    return complaints([&] {
      (void)import::model(directory.write("file", content), directory.write("w", trained));
    });
  };
  const auto repeat = [](const std::string& s, int n) {
    std::string all;
    for (int i = 0; i < n; ++i) all += s;
    return all;
  };
  CHECK(!with(repeat("layer { ", 100000)).empty());
  CHECK(!with("layer { " + repeat("unknown { ", 100000)).empty());
  CHECK(!with("layer { unknown: " + repeat("[ ", 100000)).empty());
  CHECK(!with("layer { name: 'a' type: 'Input' top: 'a' input_param { shape { dim: 1 dim: 8192 "
              "dim: 8192 dim: 8192 } } }")
             .empty());
  // Deeply nested groups and length-delimited fields of a binary.
  std::string nested;
  for (int i = 0; i < 20000; ++i) nested = std::string("\x3a", 1) + nested.substr(0, 60);
  CHECK(!complaints([&] {
           (void)import::model(directory.write("n", std::string("\x08\x07", 2) + nested));
         }).empty());
  CHECK(!complaints([&] {
           (void)import::model(
               directory.write("g", std::string("\x08\x07", 2) + repeat("\x4b", 100000)));
         }).empty());
  // A constant that a small file can describe but no network needs.
  CHECK(mentions(
      refused(x_to_y({1, 1}, integers("big", {1 << 14, 1 << 14}) +
                                 node("ConstantOfShape", "big", "k") + node("Add", "x k", "y"))),
      "too many elements"));
}
