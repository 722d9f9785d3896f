// SPDX-License-Identifier: Apache-2.0
// Operators whose inputs or outputs are missing, of every importer: an error names file and layer.
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/caffe.hpp>

#include "onnx_model.hpp"
#include "../onnx_testdata.hpp"
#include "tflite_model.hpp"

using namespace nvdlac;

namespace {

// Whether the file is read. If it is not, each problem names the file, and one of them the layer
// (or a part of it), or the tensor that has no reader then. Another exception than `error` fails
// the test, and so does a signal.
bool is_read(const std::string& layer, const std::function<net::graph()>& read,
             const std::string& tensor = {}) {
  try {
    for (const auto& p : net::verify(read())) FAIL_CHECK(to_string(p));
    return true;
  } catch (const error& e) {
    bool named = false;
    for (const auto& p : e.problems()) {
      CHECK(p.file == "file");
      named = named || p.layer == layer || p.layer.starts_with(layer + "/") ||
              (!tensor.empty() && p.layer == tensor);
    }
    CHECK_MESSAGE(named, std::string(e.what()));
  }
  return false;
}

namespace onnx {

using namespace onnx_model;

// Values of every kind that an operator may ask for: x, then the words of a pattern in turn.
const std::string values =
    floats("f", {4}, {1, 2, 3, 4}) + floats("s", {}, {0.5F}) + integers("i", {1}) +
    "initializer { name: 'z' data_type: 2 int32_data: 0 }\n"
    "initializer { name: 'k' data_type: 2 dims: 4 dims: 4 dims: 1 dims: 1" +
    list("int32_data", std::vector<std::int64_t>(16, 1)) + " }\n" +
    "initializer { name: 'e' data_type: 1 dims: 0 }\n" + floats("w", {4, 4, 1, 1}, numbers(16, 1)) +
    node("QuantizeLinear", "x s z", "q") + node("Identity", "x", "r");
const std::vector<std::vector<std::string>> patterns = {
    {"x"}, {"r", "w", "f"}, {"r", "i"}, {"f"}, {"q", "s", "z", "k", "s", "z", "s", "z"},
    {"s", "z", "q"}, {"q", "e"}};

net::graph graph_of(std::string_view type, const std::vector<std::string>& in,
                    const std::string& out = "y") {
  const auto colon = type.find(':');
  std::string n = "node { name: 'y' output: '" + out + "' op_type: '" +
                  std::string(colon == type.npos ? type : type.substr(colon + 1)) + "'";
  if (colon != type.npos) n += " domain: '" + std::string(type.substr(0, colon)) + "'";
  for (const auto& i : in) n += " input: '" + i + "'";
  // A Relu that reads x besides gives an output too, so that each problem is one of the layer.
  return import::without_scales(import::onnx_network_from(
      model("input " + value_info("x", {1, 4, 4, 4}) + "output " + value_info("y", {1}) +
                "output " + value_info("other", {1}) + values + node("Relu", "x", "other") + n +
                " }\n",
            20),
      "file"));
}

}  // namespace onnx

// Inputs that ONNX calls optional, by the type of the node; of others, all may be left out but one.
bool is_optional(const std::string& type, std::size_t input) {
  static const std::map<std::string, std::set<std::size_t>> all = {
      {"Clip", {1, 2}},  {"Conv", {2}},        {"ConvInteger", {2, 3}}, {"ConvTranspose", {2}},
      {"DFT", {1, 2}},   {"Dropout", {1, 2}},  {"Gemm", {2}},           {"LayerNormalization", {2}},
      {"Pad", {2, 3}},   {"Resize", {1, 2, 3}}, {"Slice", {3, 4}},      {"Split", {1}},
      {"Squeeze", {1}},  {"MatMulInteger", {2, 3}}, {"DequantizeLinear", {2}},
      {"QuantizeLinear", {2}}, {"NonMaxSuppression", {2, 3, 4}}};
  const auto found = all.find(type);
  return (found != all.end() && found->second.contains(input)) ||
         (type.starts_with("Reduce") && input == 1);
}

}  // namespace

TEST_CASE("ONNX: nodes of every type without some or all of their inputs") {
  for (const auto& [type, entry] : import::onnx_format::operators()) {
    CAPTURE(type);
    CHECK_FALSE(is_read("y", [&] { return onnx::graph_of(type, {}); }));
    CHECK_FALSE(is_read("y", [&] { return onnx::graph_of(type, {"x"}, ""); }));
    for (const auto& pattern : onnx::patterns)
      for (const std::size_t count : {1u, 2u, 3u, 5u, 8u}) {
        std::vector<std::string> in;
        for (std::size_t i = 0; i < count; ++i)
          in.push_back(pattern[i < pattern.size() ? i : pattern.size() - 1]);
        (void)is_read("y", [&] { return onnx::graph_of(type, in); });
        for (auto& left_out : in) {
          const auto name = std::exchange(left_out, "");
          (void)is_read("y", [&] { return onnx::graph_of(type, in); });
          left_out = name;
        }
      }
  }
}

TEST_CASE("ONNX: an input of each node of ONNX's own tests is missing") {
  namespace pb = google::protobuf;
  std::size_t tested = 0;
  for (const auto& directory : onnx_testdata::tests("node")) {
    const auto document =
        onnx_testdata::parse("ModelProto", import::read_file(directory / "model.onnx"));
    const auto graph = document.root().child("graph");
    if (graph.children("node").size() != 1) continue;
    const auto type = graph.children("node")[0].string("op_type");
    const auto inputs = graph.children("node")[0].strings("input");
    const auto outputs = graph.children("node")[0].strings("output");
    if (!import::onnx_format::operators().contains(type) || inputs.empty()) continue;
    const auto given = graph.children("node")[0].string("name");
    const auto name = given.empty() ? outputs[0] : given;
    const auto attempt = [&](const std::string& content, const std::string& tensor = {}) {
      const auto read = [&] {
        return import::without_scales(import::onnx_network_from(content, "file"));
      };
      return is_read(name, read, tensor);
    };
    const auto model = onnx_testdata::readable(directory);
    if (model.empty()) continue;
    ++tested;
    INFO(directory.filename().string());
    const auto changed = [&](const std::function<void(pb::Message&)>& change) {
      auto m = import::onnx_format::schema().make("ModelProto");
      REQUIRE(m->ParseFromString(model));
      const auto* g = m->GetDescriptor()->FindFieldByName("graph");
      auto* graph_message = m->GetReflection()->MutableMessage(m.get(), g);
      const auto* n = graph_message->GetDescriptor()->FindFieldByName("node");
      change(*graph_message->GetReflection()->MutableRepeatedMessage(graph_message, n, 0));
      return m->SerializeAsString();
    };
    const auto field = [](pb::Message& n, const char* field_name) {
      return n.GetDescriptor()->FindFieldByName(field_name);
    };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      CAPTURE(i);
      const bool accepted = attempt(changed([&](pb::Message& n) {
        n.GetReflection()->SetRepeatedString(&n, field(n, "input"), static_cast<int>(i), "");
      }), inputs[i]);
      // A list that is one shorter is another list.
      const bool variadic = i + 1 == inputs.size() && inputs.size() > 1 &&
                            (type == "Concat" || type == "Max" || type == "Min" || type == "Mean" ||
                             type == "Sum");
      if (!is_optional(type, i) && !variadic && !inputs[i].empty()) CHECK_FALSE(accepted);
    }
    CHECK_FALSE(attempt(changed([&](pb::Message& n) {
      n.GetReflection()->ClearField(&n, field(n, "input"));
    }), inputs[0]));
    CHECK_FALSE(attempt(changed([&](pb::Message& n) {
      n.GetReflection()->ClearField(&n, field(n, "output"));
    }), outputs[0]));
  }
  if (tested == 0) MESSAGE("libonnx-testdata is not installed: its operators are not tested");
  else CHECK(tested >= 300);
}

TEST_CASE("TensorFlow Lite: operators of every kind without some or all of their inputs") {
  namespace t = tflite_model;
  for (const auto& entry : import::tflite_format::operators) {
    CAPTURE(entry.code);
    for (int pattern = 0; pattern < 5; ++pattern)
      for (std::size_t count = 0; count <= 5; ++count)
        for (std::size_t missing = 0; missing <= count; ++missing)  // `count`: none
          for (const bool gives : {true, false}) {
            t::builder b;
            const auto x = b.tensor("x", {1, 4, 4, 4}), y = b.tensor("layer", {1, 4, 4, 4});
            const auto f = b.real("f", {4, 1, 1, 4}, t::floats(16, 1));
            const auto i = b.integers("i", {1});
            t::ints in;
            for (std::size_t k = 0; k < count; ++k)
              in.push_back(k == missing               ? -1
                           : pattern == 4             ? (k + 1 == count ? x : i)
                           : pattern == 0 || k == 0   ? (pattern == 3 ? i : x)
                           : pattern == 1             ? f
                                                      : i);
            b.op(entry.code, in, gives ? t::ints{y} : t::ints{});
            const auto z = b.tensor("other", {1, 4, 4, 4});
            b.op(19, {x}, {z});
            const auto file = b.file({x}, {y, z});
            const bool read = is_read("layer", [&] {
              return import::without_scales(import::tflite_network_from(file, "file"));
            });
            if (count == 0 || !gives) CHECK_FALSE(read);
          }
  }
}

TEST_CASE("Caffe: layers of every type without inputs or outputs, or with more of them") {
  const auto read = [](const std::string& layer) {
    return import::caffe_format::read(
               {"file", "input: 'x' input_shape { dim: 1 dim: 4 dim: 6 dim: 5 } layer { name: "
                        "'other' type: 'ReLU' bottom: 'x' top: 'other' } " + layer},
               import::caffe_format::weights(import::random_weights{1}, budget{}.weights)).graph;
  };
  const auto& types = import::caffe_format::layer_types();
  for (auto type = types.begin(); type != types.end(); ++type)
    for (std::size_t bottoms = 0; bottoms <= 4; ++bottoms)
      for (std::size_t tops = 0; tops <= 3; ++tops) {
        std::string l = "layer { name: 'layer' type: '" + std::string(type->first) + "'";
        for (std::size_t i = 0; i < bottoms; ++i) l += " bottom: 'x'";
        for (std::size_t i = 0; i < tops; ++i) l += text(" top: 't", i, "'");
        CAPTURE(l);
        const bool accepted = is_read("layer", [&] { return read(l + " }"); });
        const auto& t = type->second;
        if (bottoms < t.least_inputs || bottoms > t.most_inputs ||
            (tops == 0) != (type->first == "Silence"))
          CHECK_FALSE(accepted);
      }
  // The input of a name that is not there.
  CHECK_FALSE(is_read("layer", [&] {
    return read("layer { name: 'layer' type: 'ReLU' bottom: '' top: 't' }");
  }));
}
