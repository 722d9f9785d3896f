// SPDX-License-Identifier: Apache-2.0
// Recurrent layers whose states are inputs and outputs: run step after step, they give what they
// give of the whole sequence.
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/import/model.hpp>
#include <nvdlac/import/onnx.hpp>

#include "onnx_model.hpp"
#include "stepper.hpp"

using namespace nvdlac;
using namespace onnx_model;

namespace {

constexpr std::int64_t inputs = 2, hidden = 2;

std::vector<float> waves(std::size_t n, float first) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(first + 1.7F * static_cast<float>(i));
  return v;
}

// A recurrent layer of ONNX over so many steps.
std::string onnx_file(const std::string& type, std::int64_t gates, std::int64_t steps,
                      const std::string& more = {}, const std::string& inputs_of = "x w r b") {
  const auto rows = gates * hidden;
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  return model("input " + value_info("x", {steps, 1, inputs}) + "output " + value_info("y", {1}) +
                   floats("w", {1, rows, inputs}, waves(size(rows * inputs), 0.3F)) +
                   floats("r", {1, rows, hidden}, waves(size(rows * hidden), 1.1F)) +
                   floats("b", {1, 2 * rows}, waves(size(2 * rows), 2.3F)) +
                   floats("h", {1, 1, hidden}, {0, 1}) +
                   node(type, inputs_of, "y", integer("hidden_size", hidden) + more),
               14);
}
import::network read_onnx(const std::string& file, bool states) {
  return import::onnx_network_from(file, "net.onnx", {}, {.states = states});
}

}  // namespace

TEST_CASE("LSTM, GRU and RNN of one step give what they give of the whole sequence") {
  const auto x = waves(6, 0.9F);
  const std::map<std::string, std::int64_t> gates{{"LSTM", 4}, {"GRU", 3}, {"RNN", 1}};
  for (const auto& [type, n] : gates) {
    CAPTURE(type);
    const auto whole = read_onnx(onnx_file(type, n, 3), false);
    const auto shape = whole.graph[net::input_nodes(whole.graph)[0]];
    net::float_tensor all{shape.shape, x};
    if (!shape.in_file.empty())
      all.values = shape.in_file[0].to_cube(std::span<const float>(x));
    const auto expected = in_file::outputs(whole.graph, all).at(0).values;
    const auto one = read_onnx(onnx_file(type, n, 1), true);
    stepper steps(one);
    const std::string name = type + "_y";
    CHECK(steps.states() == (type == "LSTM"
                                 ? std::vector{name + "/state", name + "/cell"}
                                 : std::vector{name + "/state"}));
    REQUIRE(one.notes.size() == steps.states().size());
    CHECK(mentions(to_string(one.notes[0]), "this input is a state, and the output '" + name +
                                                "/state/next' what it is behind the run"));
    std::vector<float> given;
    for (std::size_t t = 0; t < 3; ++t)
      for (const float v : steps.run({x[2 * t], x[2 * t + 1]})) given.push_back(v);
    check_close(given, expected);
    // Without it each run begins with zeros.
    CHECK(net::input_nodes(read_onnx(onnx_file(type, n, 1), false).graph).size() == 1);
  }
}

TEST_CASE("states that cannot be taken are told") {
  const auto refused_with = [](const std::string& file) {
    return complaints([&] { (void)read_onnx(file, true); });
  };
  CHECK(mentions(refused_with(onnx_file("RNN", 1, 2, word("direction", "reverse"))),
                 "it reads its sequence backwards"));
  CHECK(mentions(refused_with(onnx_file("RNN", 1, 1, "", "x w r b - h")),
                 "its initial_h is constant and not 0"));
  CHECK(mentions(refused_with(x_to_y({1, 2, 3}, node("Relu", "x", "y"))),
                 "no layer of the network begins with a state of its own (leave out --state step"));
  const scratch directory;
  const auto net = directory.write("net.prototxt",
                                   R"(layer { name: "data" type: "Input" top: "data"
                                      input_param { shape { dim: 1 dim: 3 dim: 8 dim: 8 } } })");
  CHECK(mentions(complaints([&] { (void)import::any_network(net, {}, {.states = true}); }),
                 "of whose layers no state is taken (leave out --state step"));
}
