// SPDX-License-Identifier: Apache-2.0
// A part of an ONNX file, by its layers' names, and sizes that it leaves open.
#include "onnx_model.hpp"

#include <string>

#include <nvdlac/import/model.hpp>

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
  const auto both = part_of(chain, {.from = {"a"}, .to = {"Neg_y"}, .shapes = {{"a", {1, 3, 5, 5}}}});
  CHECK(both.size() == 3);
  CHECK(both[net::input_nodes(both).at(0)].name == "a");
  CHECK(both[net::input_nodes(both).at(0)].shape == net::shape{3, 5, 5});
  CHECK(mentions(refused_part(chain, {.from = {"a"}}), "give it: --shape a="));
  CHECK(mentions(refused_part(chain, {.to = {"z"}}), "layer 'z': the file has no such layer"));
}

TEST_CASE("ONNX: shapes that the file leaves open") {
  const auto open = x_to_y({-1, 2, -1, -1}, node("Relu", "x", "y"));
  CHECK(mentions(refused(open), "give its shape: --shape x=1,2,224,224"));
  CHECK(part_of(open, {.shapes = {{"x", {1, 2, 3, 4}}}})[0].shape == net::shape{2, 3, 4});
  CHECK(mentions(refused_part(open, {.shapes = {{"x", {1, 3, 3, 4}}}}), "but the file has"));
  CHECK(mentions(refused_part(open, {.shapes = {{"q", {1, 3, 3, 4}}}}), "but it is no input"));
}

TEST_CASE("files of which no part can be named say so") {
  const scratch directory;
  const auto file = directory.write("n.tflite", tflite_model::one({1, 2, 2, 1}, {1, 2, 2, 1}, 19));
  CHECK(mentions(complaints([&] { (void)import::any_network(file, {}, {.to = {"y"}}); }),
                 "ONNX, TensorFlow, Keras, PyTorch, MXNet, Caffe2 and Core ML files can be cut"));
}
