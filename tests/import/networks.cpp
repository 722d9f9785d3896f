// SPDX-License-Identifier: Apache-2.0
// Trained networks of others: what they compute, and why some are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/data/file.hpp>
#include <nvdlac/data/picture.hpp>
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/caffe/schema.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "../shared.hpp"
#include "files.hpp"

using namespace nvdlac;

namespace {

std::optional<net::graph> read(const std::string& name) {
  const auto path = shared_path("nets/" + name);
  if (!path) return std::nullopt;
  auto weights = *path;
  weights.replace_extension(".caffemodel");
  auto g = path->extension() == ".prototxt" ? import::model(*path, weights)
                                            : import::without_scales(import::any_network(*path));
  for (const auto& p : net::verify(g)) FAIL_CHECK(to_string(p));
  return g;
}

std::string refused(const std::string& name) {
  return complaints([&] { (void)read(name); });
}

std::size_t best(const net::float_tensor& t) {
  return static_cast<std::size_t>(std::max_element(t.values.begin(), t.values.end()) -
                                  t.values.begin());
}

// The part of the first digits that a network names rightly.
double digits(const std::string& name, std::size_t wanted,
              const std::function<float(float)>& from_byte) {
  const auto images = shared_path("images/mnist/images-idx3-ubyte"),
             labels = shared_path("images/mnist/labels-idx1-ubyte");
  const auto g = read(name);
  if (!g || !images || !labels) return 1;
  const auto pixels = data::read_idx(*images), truth = data::read_idx(*labels);
  std::size_t right = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    net::float_tensor x{{1, 28, 28}};
    for (std::size_t p = 0; p < 784; ++p)
      x.values[p] = from_byte(static_cast<float>(pixels.values[i * 784 + p]));
    right += best(net::evaluate(*g, x).at(0)) == truth.values[i];
  }
  const double part = static_cast<double>(right) / static_cast<double>(wanted);
  MESSAGE(name << ": " << 100 * part << " % of " << wanted << " digits");
  return part;
}

// The accuracy on pictures, rows of images.png, channels last; from_byte(value, channel, position).
double pictures(const std::string& name, std::size_t wanted,
                const std::function<float(float, std::size_t, std::size_t)>& from_byte) {
  const auto images = shared_path("images/cifar10/images.png"),
             labels = shared_path("images/cifar10/labels.txt");
  const auto g = read(name);
  if (!g || !images || !labels) return 1;
  const auto all = data::read_picture(*images);
  std::ifstream truth(*labels);
  std::size_t right = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    net::float_tensor x{{3, 32, 32}};
    for (std::size_t p = 0; p < 1024; ++p)
      for (std::size_t c = 0; c < 3; ++c)
        x.values[c * 1024 + p] =
            from_byte(static_cast<float>(all.pixels[(i * 1024 + p) * 3 + c]), c, p);
    std::size_t label = 0;
    truth >> label;
    right += best(net::evaluate(*g, x).at(0)) == label;
  }
  const double part = static_cast<double>(right) / static_cast<double>(wanted);
  MESSAGE(name << ": " << 100 * part << " % of " << wanted << " pictures");
  return part;
}

}  // namespace

TEST_CASE("digits are named as well as by other engines") {
  CHECK(digits("caffe/lenet.prototxt", 300, [](float v) { return v / 256; }) >= 0.98);
  CHECK(digits("onnx/mnist_cntk_op8.onnx", 300, [](float v) { return v; }) >= 0.975);
  CHECK(digits("onnx/wonnx_opt-mnist.onnx", 300, [](float v) { return v; }) >= 0.975);
  CHECK(digits("onnx/tengine_mnist.onnx", 300,
               [](float v) { return (v / 255 - 0.1307F) / 0.3081F; }) >= 0.97);
}

TEST_CASE("pictures are named as well as by other engines") {
  CHECK(pictures("onnx/mlperf_pretrainedResnet_fromtfl.onnx", 100,
                 [](float v, std::size_t, std::size_t) { return v; }) >= 0.80);
  const float mean[] = {0.485F, 0.456F, 0.406F}, deviation[] = {0.229F, 0.224F, 0.225F};
  CHECK(pictures("onnx/resnet20_cifar10_akamaster.onnx", 60,
                 [&](float v, std::size_t c, std::size_t) {
                   return (v / 255 - mean[c]) / deviation[c];
                 }) >= 0.85);
  // The mean of the training set is close to these constants.
  const float centre[] = {125.3F, 123.0F, 113.9F};
  CHECK(pictures("caffe/cifar10_quick.prototxt", 100, [&](float v, std::size_t c, std::size_t) {
          return v - centre[c];
        }) >= 0.65);
}

TEST_CASE("zoo topologies with constant weights give the expected output") {
  for (const std::string name : {"squeezenet", "shufflenet"}) {
    const auto expected = shared_path("nets/light/light_" + name + "_output_0.pb");
    const auto g = read("light/light_" + name + ".onnx");
    if (!g || !expected) return;
    namespace format = import::onnx_format;
    const auto content = import::read_file(*expected);
    const auto tensor = import::proto::parse_binary(format::schema(), "TensorProto", "", content,
                                                    budget{}.fields);
    const auto y = format::to_array(tensor.root(), {});
    net::float_tensor x{net::shape{3, 224, 224}};
    std::fill(x.values.begin(), x.values.end(), 1.0F);
    const auto found = net::evaluate(*g, x).at(0);
    REQUIRE(found.values.size() == y.size());
    for (std::size_t i = 0; i < y.size(); ++i)
      CHECK(found.values[i] == doctest::Approx(y.reals[i]).epsilon(1e-5));
  }
  for (const std::string name : {"resnet50", "densenet121", "inception_v1", "inception_v2"})
    if (const auto g = read("light/light_" + name + ".onnx"))
      CHECK((*g)[g->outputs().at(0)].shape == net::shape{1000, 1, 1});
}

TEST_CASE("networks with PReLU are read") {
  for (const char* name : {"mtcnn_det1", "mtcnn_det2", "mtcnn_det3"})
    if (const auto g = read(text("caffe/", name, ".prototxt")))
      CHECK(g->outputs().size() >= 2);
}

TEST_CASE("networks that NVDLA cannot run are refused with all reasons") {
  if (!shared_path("nets")) return;
  const auto candy = refused("refuse/fns-candy.onnx");
  for (const char* part :
       {"layer 'activation11': the operator Affine is not supported (1 node)",
        "the operator Crop is not supported (7 nodes)"})
    CHECK(mentions(candy, part));
  CHECK(mentions(refused("refuse/tiny_gpt2_beamsearch.onnx"),
                 "layer 'BeamSearch_gpt2': the operator com.microsoft:BeamSearch is not"));
  CHECK(mentions(refused("refuse/tract_byte_sb_bidi_lstm.onnx"),
                 "layer 'input': dimension 1 of the input is not fixed"));
}

TEST_CASE("files of the wrong kind are named") {
  const scratch directory;
  const auto with = [&](const std::string& content) {
    return complaints([&] { (void)import::model(directory.write("file", content)); });
  };
  CHECK(mentions(complaints([&] { (void)import::model("no/such/file"); }),
                 "no/such/file: there is no such file"));
  CHECK(mentions(complaints([&] { (void)import::model(directory.write("x", "y").parent_path()); }),
                 "this is a directory"));
  CHECK(mentions(with(""), "the file is empty"));
  CHECK(mentions(with("\xff\xd8\xff\xe0 and so on"), "this is a JPEG picture"));
  CHECK(mentions(with("\x89PNG\r\n\x1a\n"), "this is a PNG picture"));
  CHECK(mentions(with(std::string("\x1c\0\0\0TFL3", 8)), "its FlatBuffers encoding is broken"));
  CHECK(mentions(with(std::string("\x1c\0\0\0NVDA", 8)), "this is an NVDLA loadable"));
  CHECK(mentions(with("\x89HDF\r\n"), "HDF5"));
  CHECK(mentions(with("PK\x03\x04"), "ZIP"));
  CHECK(mentions(with("Dear reader,\n"), "a text file without a network"));
  CHECK(mentions(with("{ \"layers\": 3 }"), "a JSON file"));
  CHECK(mentions(with("<html>layer</html>"), "HTML"));
  CHECK(mentions(with(std::string("\x01\x02\x03\xff\0\0", 6)), "no kind of file that is known"));
  CHECK(mentions(with("layer { name: 'x' }"), "give its caffemodel, or random weights"));
  const auto caffemodel =
      encode(import::caffe_format::schema(), "NetParameter",
             "name: 'n' layer { name: 'a' blobs { shape { dim: 1 } data: 1 } }");
  CHECK(mentions(with(caffemodel), "this is a caffemodel (give the prototxt first"));
  const auto prototxt = directory.write("net.prototxt", "layer { name: 'x' }");
  const auto weights = directory.write("net.caffemodel", caffemodel);
  CHECK(mentions(complaints([&] { (void)import::model(weights, prototxt); }),
                 "give the prototxt first"));
  CHECK(mentions(complaints([&] { (void)import::caffe(weights, prototxt); }),
                 "give the prototxt first"));
  CHECK(mentions(complaints([&] { (void)import::onnx(weights); }),
                 "this is a caffemodel, not an ONNX file"));
  CHECK(mentions(
      complaints([&] { (void)import::caffe(prototxt, directory.write("p", "\x89PNG\r\n")); }),
      "this is a PNG picture, not a caffemodel"));
  const auto onnx = directory.write("net.onnx", "ir_version: 7");
  CHECK(mentions(complaints([&] { (void)import::model(onnx, weights); }),
                 "holds its weights itself"));
  CHECK(mentions(complaints([&] { (void)import::model(onnx); }), "holds no graph"));
}
