// SPDX-License-Identifier: Apache-2.0
// Caffe2's NetDefs.
#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/import/caffe2/net.hpp>
#include <nvdlac/import/caffe2/schema.hpp>
#include <nvdlac/import/model.hpp>

#include "../shared.hpp"
#include "caffe2_model.hpp"
#include "files.hpp"
#include "tensorflow_files.hpp"

using namespace caffe2_model;

namespace {

// For an input of 0, 1, 2, ..
floats result_of(const std::string& operators, const shape& input, const std::string& init = {}) {
  const auto n = network_of(ends + operators, init.empty() ? fill("none", {1}, {0}) : init, input);
  floats x(static_cast<std::size_t>(import::onnx_format::count(input)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  const auto found = tensorflow_files::run(n, {{"x", x}});
  return found.size() == 1 ? found.begin()->second : floats{};
}
bool near(const floats& found, const floats& expected) {
  return tensorflow_files::error_of(found, expected) < 1e-5;
}
std::string refused(const std::string& operators, const std::string& init = {}) {
  return complaints([&] { (void)result_of(operators, {1, 2, 2, 2}, init); });
}

}  // namespace

TEST_CASE("a trained Caffe2 network gives the stored outputs") {
  const auto root = shared_path("nets/caffe2");
  if (!root) return;
  const auto n = import::any_network(*root / "superres_predict_net.pb",
                                     *root / "superres_init_net.pb");
  CHECK(n.notes.size() == 2);  // the shapes that Reshape gives
  const auto values = [&](const std::string& end) {
    return tensorflow_files::values_of(*root / ("superres." + end + ".npy"));
  };
  const auto found = tensorflow_files::run(n, {{"1", values("input_1")}});
  const auto expected = values("output_1.rows_0_16_32_to_656");
  REQUIRE(found.contains("27"));
  REQUIRE(found.at("27").size() == 672 * 672);
  floats rows;
  for (std::size_t row = 0; row < 672; row += 16)
    rows.insert(rows.end(), found.at("27").begin() + static_cast<std::ptrdiff_t>(row * 672),
                found.at("27").begin() + static_cast<std::ptrdiff_t>((row + 1) * 672));
  CHECK(tensorflow_files::error_of(rows, expected) <= 1e-4);
}

TEST_CASE("Caffe2's operators") {
  const auto weights = fill("w", {1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}) + fill("b", {1}, {0.5F});
  CHECK(near(result_of(op("Conv", "input: 'x' input: 'w' input: 'b'",
                          "arg { name: 'kernel' i: 2 } arg { name: 'order' s: 'NCHW' }"),
                       {1, 2, 2, 2}, weights),
             {28.5F}));
  CHECK(near(result_of(op("Conv", "input: 'x' input: 'w'",
                          "arg { name: 'kernels' ints: 2 ints: 2 } arg { name: 'pads' ints: 1 "
                          "ints: 0 ints: 0 ints: 1 }"),
                       {1, 2, 2, 2}, weights),
             {10, 6, 28, 16}));
  CHECK(near(result_of(op("FC", "input: 'x' input: 'v' input: 'c'", ""), {1, 2, 1, 2},
                       fill("v", {2, 4}, {1, 0, 0, 0, 0, 0, 0, 2}) + fill("c", {2}, {1, 2})),
             {1, 8}));
  const auto norm = fill("s", {2}, {2, 3}) + fill("o", {2}, {1, 0}) + fill("m", {2}, {0, 2}) +
                    fill("v", {2}, {1 - 1e-5F, 1 - 1e-5F});
  const std::string of_norm = "input: 'x' input: 's' input: 'o' input: 'm' input: 'v'";
  CHECK(near(result_of(op("SpatialBN", of_norm, "arg { name: 'is_test' i: 1 }"), {1, 2, 1, 2},
                       norm),
             {1, 3, 0, 3}));
  CHECK(mentions(refused(op("SpatialBN", of_norm, ""), norm), "in training"));
  const auto pool = std::string("arg { name: 'kernel' i: 2 } arg { name: 'stride' i: 2 }");
  CHECK(near(result_of(op("MaxPool", one_input, pool), {1, 1, 3, 3}), {4}));
  CHECK(near(result_of(op("MaxPool", one_input, pool + "arg { name: 'legacy_pad' i: 3 }"),
                       {1, 1, 3, 3}),
             {4, 5, 7, 8}));
  CHECK(near(result_of(op("AveragePool", one_input, "arg { name: 'global_pooling' i: 1 }"),
                       {1, 1, 3, 3}),
             {4}));
  CHECK(near(result_of(op("Add", "input: 'x' input: 'a'",
                          "arg { name: 'broadcast' i: 1 } arg { name: 'axis' i: 1 }"),
                       {1, 2, 1, 2}, fill("a", {2}, {10, 20})),
             {10, 11, 22, 23}));
  CHECK(near(result_of(op("Softmax", one_input, ""), {1, 2, 1, 1}),
             {1 / (1 + std::exp(1.0F)), 1 / (1 + std::exp(-1.0F))}));
  CHECK(near(result_of(op("Concat", "input: 'x' input: 'x'", "arg { name: 'axis' i: 1 }",
                          "output: 'y' output: 'sizes'"),
                       {1, 1, 1, 2}),
             {0, 1, 0, 1}));
  CHECK(near(result_of(op("ResizeNearest", one_input,
                          "arg { name: 'width_scale' f: 2 } arg { name: 'height_scale' f: 1 }"),
                       {1, 1, 1, 2}),
             {0, 0, 1, 1}));
  CHECK(near(result_of(op("Dropout", one_input, "arg { name: 'is_test' i: 1 }"), {1, 2}), {0, 1}));
}

TEST_CASE("blobs of Caffe2 that are overwritten") {
  const auto shift = fill("two", {1}, {2});
  CHECK(near(result_of(op("Sub", "input: 'x' input: 'two'", "") +
                           op("Relu", "input: 'y'", ""),
                       {1, 1, 1, 4}, shift),
             {0, 0, 0, 1}));
  CHECK(near(result_of(op("Sub", "input: 'x' input: 'two'", "", "output: 'x'") +
                           op("Relu", "input: 'x'", ""),
                       {1, 1, 1, 4}, shift),
             {0, 0, 0, 1}));
}

TEST_CASE("what is not understood of Caffe2's files is refused by name") {
  const auto all = refused(op("Mystery", one_input, "", "output: 'a'") +
                           op("Relu", one_input, "arg { name: 'odd' i: 1 }", "output: 'b'") +
                           op("Sum", "input: 'a' input: 'b'", ""));
  CHECK(mentions(all, "the operator Mystery is not supported (1 layer)"));
  CHECK(mentions(all, "argument odd"));
  CHECK(mentions(refused(op("Relu", one_input, "arg { name: 'order' s: 'NHWC' }")), "NCHW"));
  const auto untrained = std::string("op { output: 'w' type: 'XavierFill' arg { name: 'shape' ints:"
                                     " 1 ints: 2 ints: 1 ints: 1 } } ");
  CHECK(mentions(refused(op("Conv", "input: 'x' input: 'w'", "arg { name: 'kernel' i: 1 }"),
                         untrained),
                 "XavierFill"));
  CHECK(mentions(refused(op("Add", "input: 'x' input: 'w'", ""), fill("w", {3}, {1, 2})),
                 "2 values"));
  CHECK(mentions(complaints([] {
          (void)network_of(fill("x", {1}, {1}), fill("x", {1}, {1}), {1});
        }),
        "give predict_net first"));
  CHECK(mentions(complaints([] {
          const auto predict = net_def(ends + op("Relu", one_input, ""));
          (void)import::caffe2_network_from({"predict.pb", predict},
                                            {"init.pb", net_def(fill("w", {1}, {1}))});
        }),
        "--shape x="));
}

TEST_CASE("many outputs and inputs of a Caffe2 network are found at once") {
  std::string many = ends;
  for (int i = 0; i < 30000; ++i)
    many += text(op("Relu", one_input, "", text("output: 'r", i, "'")), "external_output: 'r", i,
                 "' external_output: 'none", i, "' external_input: 'free", i, "' ");
  const auto predict = encode(import::caffe2_format::schema(), "NetDef", many);
  const auto net = import::caffe2_format::parsed({"predict.pb", predict}, budget{}.fields);
  const auto init = import::caffe2_format::parsed({"init.pb", net_def(fill("w", {1}, {1}))},
                                                 budget{}.fields);
  const auto start = std::chrono::steady_clock::now();
  const import::caffe2_format::network_graph g(net.root(), init.root(), {});
  CHECK(g.graph().outputs.size() == 30000);
  CHECK(g.graph().inputs.size() == 30001);
  CHECK(g.notes().size() == 30001);  // y, too
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("damaged files of Caffe2") {
  const auto predict = net_def(ends + op("Conv", "input: 'x' input: 'w'",
                                         "arg { name: 'kernel' i: 1 }"));
  const auto init = net_def(fill("w", {1, 2, 1, 1}, {1, 2}));
  const auto read = [](const std::string& p, const std::string& i) {
    try {
      (void)import::caffe2_network_from({"p", p}, {"i", i}, {.shapes = {{"x", {1, 2, 2, 2}}}});
    } catch (const error& e) {
      for (const auto& k : e.problems()) CHECK(k.file != "");
    }
  };
  std::mt19937 random(5);
  for (std::size_t n = 0; n < predict.size(); ++n) read(predict.substr(0, n), init);
  for (std::size_t n = 0; n < init.size(); ++n) read(predict, init.substr(0, n));
  for (int k = 0; k < 4000; ++k) {
    auto p = predict, i = init;
    auto& damaged = k % 2 == 0 ? p : i;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    read(p, i);
  }
}

TEST_CASE("the page of Caffe2 lists its operators") {
  CHECK(missing_in("caffe2.md", import::caffe2_format::operators()) == "");
}
