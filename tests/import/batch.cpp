// SPDX-License-Identifier: Apache-2.0
// ONNX's own tests of operators for several pictures: what is read gives the expected outputs,
// picture by picture.
#include "onnx_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "../onnx_testdata.hpp"

using namespace onnx_model;

namespace {

// Of each picture, all outputs; compared with the tensors of the test.
void check_pictures(const onnx_testdata::fs::path& test, const net::graph& g, std::size_t batch,
                    const std::vector<std::string>& inputs) {
  std::vector<onnx_testdata::array> given;
  for (const auto n : net::input_nodes(g)) {
    const auto at = std::find(inputs.begin(), inputs.end(), g[n].name) - inputs.begin();
    given.push_back(onnx_testdata::read_tensor(
        onnx_testdata::tensor_file(test, "input", static_cast<std::size_t>(at))));
  }
  std::vector<std::vector<float>> found(in_file::forms(g).size());
  for (std::size_t picture = 0; picture < batch; ++picture) {
    std::vector<net::float_tensor> in;
    for (std::size_t i = 0; i < given.size(); ++i) {
      net::float_tensor t{g[net::input_nodes(g)[i]].shape};
      REQUIRE(given[i].size() == batch * t.values.size());
      for (std::size_t k = 0; k < t.values.size(); ++k)
        t.values[k] = static_cast<float>(given[i].number(picture * t.values.size() + k));
      in.push_back(std::move(t));
    }
    const auto out = in_file::outputs(g, in);
    for (std::size_t o = 0; o < out.size(); ++o)
      found[o].insert(found[o].end(), out[o].values.begin(), out[o].values.end());
  }
  for (std::size_t o = 0; o < found.size(); ++o) {
    const auto expected =
        onnx_testdata::read_tensor(onnx_testdata::tensor_file(test, "output", o));
    REQUIRE(found[o].size() == expected.size());
    for (std::size_t i = 0; i < found[o].size(); ++i)
      CHECK(double{found[o][i]} == doctest::Approx(expected.number(i)).epsilon(1e-3));
  }
}

}  // namespace

TEST_CASE("ONNX's tests of operators with a batch are right or refused") {
  std::size_t right = 0;
  for (const auto& directory : onnx_testdata::tests("node")) {
    INFO(directory.filename().string());
    const auto document = onnx_testdata::parse(
        "ModelProto", import::read_file(directory / "model.onnx"));
    const auto graph = document.root().child("graph");
    const auto is_real = [](const auto& value) {
      return value.child("type").child("tensor_type").integer("elem_type", 0) == 1;
    };
    const auto outputs = graph.children("output");
    if (graph.children("node").size() != 1 || !std::all_of(outputs.begin(), outputs.end(), is_real))
      continue;
    const auto content = onnx_testdata::readable(directory);
    if (content.empty()) continue;
    const auto network = import::onnx_network_from(content, "");
    if (network.batch <= 1) continue;
    std::vector<std::string> inputs;
    for (const auto& i : graph.children("input")) inputs.push_back(i.string("name"));
    if (!is_real(graph.children("input").at(0))) continue;
    check_pictures(directory, network.graph, static_cast<std::size_t>(network.batch), inputs);
    ++right;
  }
  MESSAGE(right << " tests with a batch are right");
  if (onnx_testdata::tests("node").empty())
    MESSAGE("libonnx-testdata is not installed: its operators are not tested");
  else CHECK(right >= 40);
}
