// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <doctest/doctest.h>

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/import/onnx.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "files.hpp"
#include "in_file.hpp"

// Small ONNX models in text form, and what becomes of them.
namespace onnx_model {

using namespace nvdlac;

inline std::string list(const char* field, const std::vector<std::int64_t>& values) {
  std::string s;
  for (const auto v : values) s += text(" ", field, ": ", v);
  return s;
}
inline std::string value_info(const std::string& name, const std::vector<std::int64_t>& shape,
                              int type = 1) {
  std::string dims;
  for (const auto d : shape)
    dims += d < 0 ? " dim { dim_param: 'n' }" : text(" dim { dim_value: ", d, " }");
  return text("{ name: '", name, "' type { tensor_type { elem_type: ", type, " shape {", dims,
              " } } } }\n");
}
inline std::string floats(const std::string& name, const std::vector<std::int64_t>& shape,
                          const std::vector<float>& values) {
  std::string s;
  for (const auto v : values) s += text(" float_data: ", v);
  return "initializer { name: '" + name + "' data_type: 1" + list("dims", shape) + s + " }\n";
}
inline std::string integers(const std::string& name, const std::vector<std::int64_t>& values) {
  return "initializer { name: '" + name + "' data_type: 7" +
         list("dims", {static_cast<std::int64_t>(values.size())}) + list("int64_data", values) +
         " }\n";
}
// node("Conv", "x w", "y", ints("pads", {1, 1, 1, 1})); "-" leaves an input out.
inline std::string node(const std::string& type, const std::string& in, const std::string& out,
                        const std::string& attributes = {}) {
  std::string s = "node { op_type: '" + type + "' name: '" + type + "_" + out + "' " + attributes;
  const auto names = [&](const char* field, const std::string& all) {
    for (std::size_t at = 0; at < all.size();) {
      const auto end = std::min(all.find(' ', at), all.size());
      const auto name = all.substr(at, end - at);
      s += text(" ", field, ": '", name == "-" ? "" : name, "'");
      at = end + 1;
    }
  };
  names("input", in);
  names("output", out);
  return s + " }\n";
}
inline std::string ints(const std::string& name, const std::vector<std::int64_t>& v) {
  return "attribute { name: '" + name + "' type: INTS" + list("ints", v) + " } ";
}
inline std::string integer(const std::string& name, std::int64_t v) {
  return text("attribute { name: '", name, "' type: INT i: ", v, " } ");
}
inline std::string number(const std::string& name, float v) {
  return text("attribute { name: '", name, "' type: FLOAT f: ", v, " } ");
}
inline std::string word(const std::string& name, const std::string& v) {
  return "attribute { name: '" + name + "' type: STRING s: '" + v + "' } ";
}

inline std::string model(const std::string& graph, int opset = 13) {
  return text("ir_version: 7 opset_import { version: ", opset, " } graph { ", graph, " }\n");
}
// One input x, one output y.
inline std::string x_to_y(const std::vector<std::int64_t>& shape, const std::string& body,
                          int opset = 13) {
  return model("input " + value_info("x", shape) + "output " + value_info("y", {1}) + body, opset);
}

inline net::graph read(const std::string& content, bool binary = false) {
  const scratch directory;
  return import::without_scales(import::onnx_network(directory.write(
      "net.onnx",
      binary ? encode(import::onnx_format::schema(), "ModelProto", content) : content)));
}
inline std::string refused(const std::string& content) {
  return complaints([&] { (void)read(content); });
}

// 0.1, -0.2, 0.3, ..
inline net::float_tensor ramp(net::shape s) {
  net::float_tensor t{s};
  for (std::size_t i = 0; i < t.values.size(); ++i)
    t.values[i] = 0.1F * static_cast<float>(i + 1) * (i % 2 == 0 ? 1.0F : -1.0F);
  return t;
}
// 0, 1, 2, ..
inline net::float_tensor count(net::shape s) {
  net::float_tensor t{s};
  std::iota(t.values.begin(), t.values.end(), 0.0F);
  return t;
}

using numbers = std::vector<float>;

inline numbers run(const net::graph& g, net::float_tensor (*input)(net::shape) = ramp) {
  for (const auto& p : net::verify(g)) FAIL_CHECK(to_string(p));
  const auto& n = g[net::input_nodes(g).at(0)];
  auto x = input(n.shape);
  // In the order of the file, but for pictures, whose channels come first.
  if (!n.in_file.empty() && n.in_file[0].shape.size() != 4)
    x.values = n.in_file[0].to_cube(std::span<const float>(x.values));
  return in_file::outputs(g, x).at(0).values;
}
inline numbers run(const std::string& content) { return run(read(content)); }
inline numbers counted(const std::string& content) { return run(read(content), count); }

inline void check_close(const std::vector<float>& found, const std::vector<float>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-5));
}

// x [1, 2, 3, 3] of ramp: 0.1 -0.2 0.3 / -0.4 0.5 -0.6 / 0.7 -0.8 0.9, then -1.0 1.1 -1.2 / ..
inline const std::vector<std::int64_t> cube233 = {1, 2, 3, 3};

}  // namespace onnx_model
