// SPDX-License-Identifier: Apache-2.0
// ONNX's own tests of single operators, from the file to nv_full: the outputs are the expected
// ones, or the message tells why the operator does not run.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/import/onnx.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/numbers.hpp>

#include "compiled.hpp"
#include "onnx_testdata.hpp"

using namespace nvdlac;
using onnx_testdata::array;

namespace {

struct node_test {
  std::string name{}, type{};
  std::string model{};  // with its weights
  std::map<std::string, array> inputs{};
  std::vector<array> outputs{};
};

// Inputs that are parameters: they get their values in the model.
bool is_parameter(std::string_view type, std::size_t input) {
  static const std::set<std::string_view> all_but_first = {
      "BatchNormalization", "Conv", "ConvTranspose", "GRU", "Gemm", "GridSample",
      "InstanceNormalization", "LSTM", "LayerNormalization", "MatMul", "Mod", "PRelu", "Pow", "RNN",
      "Resize", "Upsample"};
  return input > 0 && all_but_first.contains(type);
}

// A test of one node whose inputs and outputs are tensors of 32-bit floating point with 1 to 4
// dimensions, and pictures are single.
std::optional<node_test> read(const onnx_testdata::fs::path& directory) {
  node_test t{.name = directory.filename().string(),
              .model = import::read_file(directory / "model.onnx")};
  const auto document = onnx_testdata::parse("ModelProto", t.model);
  const auto graph = document.root().child("graph");
  const auto nodes = graph.children("node"), inputs = graph.children("input"),
             outputs = graph.children("output");
  const auto fits = [](const auto& value, bool picture) {
    const auto type = value.child("type");
    if (!type.has("tensor_type")) return false;
    const auto tensor = type.child("tensor_type");
    const auto dims = tensor.child("shape").children("dim");
    return tensor.integer("elem_type") == 1 && !dims.empty() && dims.size() <= 4 &&
           (!picture || dims.size() < 4 || dims[0].integer("dim_value") == 1);
  };
  if (nodes.size() != 1 || inputs.empty()) return std::nullopt;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!fits(inputs[i], i == 0)) return std::nullopt;
  for (const auto& o : outputs)
    if (!fits(o, true)) return std::nullopt;

  t.type = nodes[0].string("op_type");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto file = onnx_testdata::tensor_file(directory, "input", i);
    const auto name = inputs[i].string("name");
    if (is_parameter(t.type, i)) t.model = onnx_testdata::with_constant(t.model, name, file);
    else t.inputs[name] = onnx_testdata::read_tensor(file);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    t.outputs.push_back(
        onnx_testdata::read_tensor(onnx_testdata::tensor_file(directory, "output", i)));
  return t;
}

// The inputs, picture by picture where the rows of a matrix count as pictures.
std::vector<sample> pictures(const node_test& t, const net::graph& network) {
  std::size_t count = 1;
  for (const auto n : net::input_nodes(network))
    count = std::max(count, t.inputs.at(network[n].name).size() / network[n].shape.size());
  std::vector<sample> all(count);
  for (const auto n : net::input_nodes(network)) {
    const auto& values = t.inputs.at(network[n].name).reals;
    const std::size_t size = network[n].shape.size();
    REQUIRE(values.size() == count * size);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const float> picture(values.data() + i * size, size);
      const auto& forms = network[n].in_file;
      net::float_tensor x{network[n].shape};
      if (forms.empty()) std::ranges::copy(picture, x.values.begin());
      else x.values = forms.front().to_cube(picture);
      all[i].push_back(std::move(x));
    }
  }
  return all;
}

// int8: the largest error in parts of the range of the output, 0 included. fp16: the largest error
// in parts of the value itself, or of a hundredth of the range where that is larger.
double error_of(const std::vector<float>& found, const std::vector<float>& expected,
                hw::precision p) {
  REQUIRE(found.size() == expected.size());
  const auto [low, high] = std::minmax_element(expected.begin(), expected.end());
  const double range = std::max(0.0, double{*high}) - std::min(0.0, double{*low});
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = std::fabs(double{found[i]} - double{expected[i]});
    const double unit = p == hw::precision::fp16
                            ? std::max(std::fabs(double{expected[i]}), range / 100)
                            : range;
    if (off > 0) worst = std::max(worst, off / unit);
    if (std::isnan(off)) return INFINITY;
  }
  return worst;
}

// The values that the simulated nv_full gives for each output, picture after picture. Throws
// `error` where the network is refused.
std::vector<std::vector<float>> outputs(const node_test& t, hw::precision p) {
  const auto network = import::without_scales(import::onnx_network_from(t.model, t.name));
  const auto samples = pictures(t, network);
  compile_options options;
  options.precision = p;
  options.host = host::choice::all();
  const auto prepared = prepare(
      network, std::span(samples), options, pass::verify{},
      [&](net::graph& g, std::vector<problem> refused) {
        for (auto& why : lower::check<nv_full>(g, p)) refused.push_back(std::move(why));
        const auto left = host::partition(g, options.host, refused);
        if (!left.empty()) throw error(left);
      });
  compiled chip(hardware<nv_full>(), prepared.integers, options);
  std::vector<std::vector<float>> all(t.outputs.size());
  for (const auto& picture : samples) {
    std::vector<quantised::feed> feeds;
    for (std::size_t i = 0; i < picture.size(); ++i) {
      const auto& in = chip.program().inputs[i];
      feeds.push_back(quantised::feed_of(
          quantised::numbers_of(picture[i], in.scale, in.surface.precision, in.gain)));
    }
    const auto found = chip.infer_any(feeds);
    CHECK((found == quantised::evaluate_any(prepared.integers,
                                               std::span<const quantised::feed>(feeds))));
    const auto forms = net::outputs_of_file(chip.program().outputs);
    REQUIRE(forms.size() == all.size());
    for (std::size_t o = 0; o < forms.size(); ++o) {
      const auto values = forms[o].gathered<float>([&](std::size_t tensor) {
        return quantised::real_of(found[tensor], chip.program().outputs[tensor].scale).values;
      });
      all[o].insert(all[o].end(), values.begin(), values.end());
    }
  }
  return all;
}

// Empty where the outputs are the expected ones, or why they are not.
std::string failure(const node_test& t, hw::precision p) try {
  const auto found = outputs(t, p);
  double worst = 0;
  for (std::size_t o = 0; o < found.size(); ++o)
    worst = std::max(worst, error_of(found[o], t.outputs[o].reals, p));
  const double bound = p == hw::precision::fp16 ? 0.01 : 0.02;
  return worst <= bound ? "" : text("its error is ", worst);
} catch (const error& e) {
  for (const auto& refusal : e.problems()) CHECK_FALSE(refusal.reason.empty());
  const auto& first = e.problems().at(0);
  return text(first.layer.empty() ? "the file" : first.layer, ": ", first.reason);
}

}  // namespace

TEST_CASE("single operators of ONNX give the expected outputs on nv_full") {
  std::size_t all = 0, right_in_int8 = 0, right_in_fp16 = 0, right = 0;
  std::string rest;
  for (const auto& directory : onnx_testdata::tests("node")) {
    const auto t = read(directory);
    if (!t) continue;
    INFO(t->name);
    ++all;
    const auto in_int8 = failure(*t, hw::precision::int8),
               in_fp16 = failure(*t, hw::precision::fp16);
    right_in_int8 += in_int8.empty();
    right_in_fp16 += in_fp16.empty();
    right += in_int8.empty() || in_fp16.empty();
    if (!in_int8.empty())
      rest += text("\n  ", t->name, ": ", in_int8, in_fp16.empty() ? " (right in fp16)" : "");
  }
  if (all == 0) return;
  MESSAGE(right << " of " << all << " tests of operators are right on nv_full, " << right_in_int8
                << " in int8 and " << right_in_fp16 << " in fp16; not in int8 are" << rest);
  CHECK(all == 313);
  CHECK(right_in_int8 >= 285);
  CHECK(right_in_fp16 >= 272);
}
