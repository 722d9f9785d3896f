// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs have the names, the shapes and the order of elements of the user's file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/import/caffe.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <shared.hpp>

#include "files.hpp"
#include "in_file.hpp"
#include "onnx_model.hpp"
#include "onnx_testdata.hpp"
#include "tflite_model.hpp"

using namespace nvdlac;
using onnx_testdata::array;

namespace {

using file_value = in_file::value;

// One picture of a network's inputs as the file has them: each takes the first of its values.
std::vector<net::float_tensor> cubes_of(const net::graph& g, const std::vector<file_value>& given) {
  std::vector<net::float_tensor> cubes;
  for (const auto n : net::input_nodes(g)) {
    const auto& form = g[n].in_file.at(0);
    const auto found = std::ranges::find(given, std::string(form.name), &file_value::name);
    REQUIRE(found != given.end());
    REQUIRE(found->values.size() >= g[n].shape.size());
    cubes.push_back(
        {g[n].shape, form.to_cube(std::span(found->values).first(g[n].shape.size()))});
  }
  return cubes;
}

// The outputs of a network in the order, the shapes and the order of elements of its file.
std::vector<file_value> outputs_of(const net::graph& g, const std::vector<file_value>& given) {
  const auto cubes = cubes_of(g, given);
  return in_file::outputs(g, std::span<const net::float_tensor>(cubes));
}

std::vector<float> reals(const array& a) {
  std::vector<float> v;
  for (std::size_t i = 0; i < a.size(); ++i) v.push_back(static_cast<float>(a.number(i)));
  return v;
}

// As the names of a file's graph and the tensors beside it say.
struct stored_model {
  std::string content{};
  std::vector<file_value> inputs{}, outputs{};
  bool real = true;  // all of them are real numbers
};
std::optional<stored_model> stored(const onnx_testdata::fs::path& directory) {
  stored_model m{.content = import::read_file(directory / "model.onnx")};
  const auto document = onnx_testdata::parse("ModelProto", m.content);
  const auto graph = document.root().child("graph");
  for (const auto* kind : {"input", "output"}) {
    std::vector<std::string> names;
    for (const auto& v : graph.children(kind)) {
      names.push_back(v.string("name"));
      const auto type = v.child("type").child("tensor_type").integer("elem_type", 0);
      m.real = m.real && (type == 1 || type == 10 || type == 11);  // of 32, 16 and 64 bits
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto file = onnx_testdata::tensor_file(directory, kind, i);
      if (!onnx_testdata::fs::exists(file)) continue;  // an initialiser, or no tensor
      try {
        const auto a = onnx_testdata::read_tensor(file);
        (kind == std::string("input") ? m.inputs : m.outputs).push_back({names[i], a.shape,
                                                                         reals(a)});
      } catch (const error&) {
        return std::nullopt;  // of a type that no network has
      }
    }
  }
  return m;
}

// The network of a model; where it is refused as it stands, with all inputs but the first as
// constants.
std::optional<import::network> read_stored(const onnx_testdata::fs::path& directory,
                                           const stored_model& m) {
  auto content = m.content;
  for (const bool constants : {false, true}) try {
      for (std::size_t i = 1; constants && i < m.inputs.size(); ++i)
        content = onnx_testdata::with_constant(content, m.inputs[i].name,
                                               onnx_testdata::tensor_file(directory, "input", i));
      return import::onnx_network_from(content, directory.filename().string(), directory);
    } catch (const error&) {
    }
  return std::nullopt;
}

double distance(const std::vector<float>& found, const float* expected) {
  double most = 1e-6, far = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) continue;
    most = std::max(most, std::fabs(double{expected[i]}));
    far = std::max(far, std::fabs(double{found[i]} - double{expected[i]}));
  }
  return far / most;
}

// A picture's part of a batch, which stands in front; everything else is as it is.
void check_shape(const file_value& found, const file_value& expected, std::int64_t batch) {
  auto shape = expected.shape;
  if (batch > 1 && !shape.empty()) shape[0] /= batch;
  CHECK(found.shape == shape);
}

net::graph passed(net::graph g) {
  net::infer_shapes(g);
  pass::standard::run(g, {});
  return g;
}

}  // namespace

TEST_CASE("every output of every model of ONNX's tests is as in the file") {
  const auto all = onnx_testdata::tests();
  if (all.empty()) {
    MESSAGE("libonnx-testdata is not installed: its models are not read");
    return;
  }
  std::size_t models = 0, outputs = 0, wrong = 0;
  std::string rest;
  for (const auto& directory : all) {
    const auto m = stored(directory);
    if (!m || m->outputs.empty()) continue;
    const auto network = read_stored(directory, *m);
    if (!network) continue;
    INFO(directory.string());
    const auto found = outputs_of(passed(network->graph), m->inputs);
    ++models;
    REQUIRE(found.size() == m->outputs.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].name == m->outputs[i].name);
      check_shape(found[i], m->outputs[i], network->batch);
      ++outputs;
      REQUIRE(found[i].values.size() <= m->outputs[i].values.size());
      if (!m->real) continue;
      const auto off = distance(found[i].values, m->outputs[i].values.data());
      if (!(off < 1e-3)) {
        rest += text("\n  ", directory.filename().string(), ": ", off);
        ++wrong;
      }
    }
  }
  MESSAGE(outputs << " outputs of " << models << " models; other values have " << wrong << rest);
  CHECK(models >= 500);
  CHECK(wrong == 0);
}

TEST_CASE("the shared networks' inputs and outputs are called as in their files") {
  for (const char* file :
       {"onnx/FastestDet.onnx", "onnx/coral_mobilenet_v1_0.25_128_quant_fromtfl.onnx",
        "onnx/linzaer_version-RFB-320_simplified.onnx",
        "onnx/mlperf_kws_ref_model_float32_fromtfl.onnx",
        "onnx/mlperf_pretrainedResnet_fromtfl.onnx", "onnx/mnist_cntk_op8.onnx",
        "onnx/qonnx_espcn_nn_resize_float_model.onnx", "onnx/resnet20_cifar10_akamaster.onnx",
        "onnx/super_resolution_10.onnx", "onnx/tengine_mnist.onnx",
        "onnx/tflm_person_detect_fromtfl.onnx", "onnx/wonnx_opt-mnist.onnx",
        "light/light_densenet121.onnx", "light/light_inception_v1.onnx",
        "light/light_resnet50.onnx", "light/light_shufflenet.onnx",
        "light/light_squeezenet.onnx"}) {
    const auto path = shared_path("nets/" + std::string(file));
    if (!path) continue;
    INFO(file);
    const auto content = import::read_file(*path);
    const auto document = onnx_testdata::parse("ModelProto", content);
    const auto graph = document.root().child("graph");
    const auto g = passed(import::without_scales(import::onnx_network(*path)));
    const auto found = in_file::forms(g);
    const auto same = [](const import::proto::view& v, const net::file_tensor& t) {
      CHECK(t.name == v.string("name"));
      const auto dims = v.child("type").child("tensor_type").child("shape").children("dim");
      if (dims.empty()) return;
      REQUIRE(t.shape.size() == dims.size());
      for (std::size_t i = 1; i < dims.size(); ++i)
        if (dims[i].integer("dim_value", 0) > 0) CHECK(t.shape[i] == dims[i].integer("dim_value"));
    };
    const auto outputs = graph.children("output");
    REQUIRE(found.size() == outputs.size());
    for (std::size_t i = 0; i < found.size(); ++i) same(outputs[i], found[i].form);
    for (const auto n : net::input_nodes(g))
      for (const auto& v : graph.children("input"))
        if (v.string("name") == g[n].in_file.at(0).name) same(v, g[n].in_file[0]);
  }
}

TEST_CASE("topologies with stored outputs give them in the file's order") {
  for (const std::string name : {"squeezenet", "shufflenet"}) {
    const auto model = shared_path("nets/light/light_" + name + ".onnx");
    const auto expected = shared_path("nets/light/light_" + name + "_output_0.pb");
    if (!model || !expected) continue;
    const auto g = passed(import::without_scales(import::onnx_network(*model)));
    const auto& in = g[net::input_nodes(g).at(0)].in_file.at(0);
    const auto found =
        outputs_of(g, {{std::string(in.name), {}, std::vector<float>(3 * 224 * 224, 1)}});
    const auto y = onnx_testdata::read_tensor(*expected);
    CHECK(found.at(0).shape == y.shape);
    CHECK(distance(found[0].values, y.reals.data()) < 1e-4);
  }
}

TEST_CASE("what only changes the order of elements is left to the reader, and said") {
  using namespace onnx_model;
  const std::vector<std::int64_t> shape{1, 2, 3, 4};
  const auto transposed = node("Transpose", "x", "y", ints("perm", {0, 2, 3, 1}));
  const auto check = [&](const std::string& body, const std::vector<std::int64_t>& to,
                         auto expected) {
    const auto g = passed(read(x_to_y(shape, body)));
    for (net::graph::id n = 0; n < g.size(); ++n)
      CHECK_FALSE(std::holds_alternative<net::move>(g[n].op));
    const auto x = onnx_model::count(net::shape{2, 3, 4});
    const auto y = in_file::outputs(g, x).at(0);
    CHECK(y.name == "y");
    CHECK(y.shape == to);
    REQUIRE(y.values.size() == 24);
    std::size_t next = 0;
    for (std::int32_t h = 0; h < 3; ++h)
      for (std::int32_t w = 0; w < 4; ++w)
        for (std::int32_t c = 0; c < 2; ++c) CHECK(y.values[next++] == expected(x.at(c, h, w)));
  };
  const auto same = [](float v) { return v; };
  const auto halved = [](float v) { return v / 2; };
  check(transposed, {1, 3, 4, 2}, same);
  const auto before = node("Transpose", "x", "t", ints("perm", {0, 2, 3, 1}));
  check(before + node("Relu", "t", "y"), {1, 3, 4, 2}, same);
  check(before + "initializer { name: 'k' data_type: 1 float_data: 0.5 } node { op_type: 'Mul' "
                 "input: 't' input: 'k' output: 'y' }",
        {1, 3, 4, 2}, halved);
  check(before + node("Flatten", "t", "y"), {1, 24}, same);
  check(before + integers("s", {1, 6, 2, 2}) +
            "node { op_type: 'Reshape' input: 't' input: 's' output: 'y' }",
        {1, 6, 2, 2}, same);
}

TEST_CASE("outputs that are reshapes of one tensor are outputs of their own") {
  using namespace onnx_model;
  const auto g = passed(read(model(
      "input " + value_info("x", {1, 2, 3, 4}) + "output " + value_info("flat", {1, 24}) +
      "output " + value_info("r", {1, 2, 3, 4}) + "output " + value_info("last", {1, 3, 4, 2}) +
      "output " + value_info("x", {1, 2, 3, 4}) +
      node("Relu", "x", "r") + node("Flatten", "r", "flat") +
      node("Transpose", "r", "last", ints("perm", {0, 2, 3, 1})))));
  const auto x = onnx_model::count(net::shape{2, 3, 4});
  const auto y = in_file::outputs(g, x);
  REQUIRE(y.size() == 4);
  CHECK(g.outputs().size() == 2);
  CHECK(y[0].name == "flat");
  CHECK(y[0].shape == std::vector<std::int64_t>{1, 24});
  CHECK(y[0].values == x.values);
  CHECK(y[1].name == "r");
  CHECK(y[1].shape == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(y[2].name == "last");
  CHECK(y[2].values.at(1) == x.at(1, 0, 0));
  CHECK(y[3].name == "x");
  CHECK(y[3].values == x.values);
}

TEST_CASE("TFLite's pictures have channels last, as in the file") {
  using namespace tflite_model;
  builder b;
  const auto x = b.tensor("picture", {1, 3, 4, 2}), t = b.tensor("hidden", {1, 3, 4, 2}),
             y = b.tensor("kept", {1, 3, 4, 2}), flat = b.tensor("flat", {1, 24});
  b.op(19, {x}, {t});  // RELU
  b.op(19, {t}, {y});
  b.op(22, {t, b.integers("s", {1, 24})}, {flat});  // RESHAPE
  const auto g = passed(read(b.file({x}, {flat, y})).graph);
  const auto& in = g[net::input_nodes(g).at(0)].in_file.at(0);
  CHECK(in.name == "picture");
  CHECK(in.shape == std::vector<std::int32_t>{1, 3, 4, 2});
  std::vector<float> v(24);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i);
  const auto found = outputs_of(g, {{"picture", {1, 3, 4, 2}, v}});
  REQUIRE(found.size() == 2);
  CHECK(found[0].name == "flat");
  CHECK(found[0].shape == std::vector<std::int64_t>{1, 24});
  CHECK(found[0].values == v);
  CHECK(found[1].name == "kept");
  CHECK(found[1].shape == std::vector<std::int64_t>{1, 3, 4, 2});
  CHECK(found[1].values == v);
}

TEST_CASE("Caffe's outputs are its blobs") {
  const scratch directory;
  const auto prototxt = directory.write(
      "n.prototxt",
      "layer { name: 'in' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 2 dim: 3 "
      "dim: 4 } } }"
      "layer { name: 'scaled' type: 'Power' bottom: 'data' top: 'half' power_param { scale: 0.5 } }"
      "layer { name: 'rectified' type: 'ReLU' bottom: 'half' top: 'half' }"
      "layer { name: 'flattened' type: 'Flatten' bottom: 'half' top: 'a' }"
      "layer { name: 'squashed' type: 'Sigmoid' bottom: 'half' top: 'b' }");
  const auto g = passed(import::caffe(prototxt, import::random_weights{1}));
  CHECK(g[net::input_nodes(g).at(0)].in_file.at(0).name == "data");
  const auto y = in_file::outputs(g, onnx_model::count(net::shape{2, 3, 4}));
  REQUIRE(y.size() == 2);
  CHECK(y[0].name == "a");
  CHECK(y[0].shape == std::vector<std::int64_t>{1, 24});
  CHECK(y[1].name == "b");
  CHECK(y[1].shape == std::vector<std::int64_t>{1, 2, 3, 4});
}

TEST_CASE("a walk is found for every order of axes, and for nothing else") {
  const std::vector<std::int64_t> shape{2, 1, 3, 4};
  const net::shape cube{2, 3, 4};
  std::vector<std::int64_t> perm{0, 1, 2, 3};
  do {
    const auto m = import::onnx_format::transpose(
        shape, perm, import::onnx_format::element_ceiling{budget{}});
    const auto walk = net::find_walk(*m.from, cube);
    REQUIRE(walk.has_value());
    const net::file_tensor t{.shape = {24}, .walk = *walk};
    CHECK(t.fits(cube));
    std::vector<std::int32_t> numbers(24);
    std::iota(numbers.begin(), numbers.end(), 0);
    CHECK(t.from_cube(std::span<const std::int32_t>(numbers)) == *m.from);
    CHECK(t.to_cube(std::span<const std::int32_t>(*m.from)) == numbers);
  } while (std::ranges::next_permutation(perm).found);
  std::vector<std::int32_t> from(24);
  std::iota(from.begin(), from.end(), 0);
  CHECK(net::find_walk(from, cube)->empty());
  std::swap(from[3], from[17]);
  CHECK_FALSE(net::find_walk(from, cube));
  CHECK_FALSE(net::find_walk(std::vector<std::int32_t>(24, 0), cube));
  CHECK_FALSE(net::find_walk(std::vector<std::int32_t>{0, 2, 4}, cube));
  std::ranges::reverse(from);
  CHECK_FALSE(net::find_walk(from, cube));
  for (const auto& wrong : {net::file_tensor{.shape = {25}}, net::file_tensor{.shape = {-24}},
                            net::file_tensor{.shape = {24}, .walk = {{24, 2}}},
                            net::file_tensor{.shape = {24}, .walk = {{6, 4}, {4, 2}}},
                            net::file_tensor{.shape = {24}, .walk = {{0, 1}}},
                            net::file_tensor{.shape = {24}, .walk = {{-4, 1}, {-6, 4}}}})
    CHECK_FALSE(wrong.fits(cube));
}
