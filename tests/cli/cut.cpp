// SPDX-License-Identifier: Apache-2.0
// The options that a refusal proposes, typed as they are: what is left of the network compiles for
// nv_small, and its program does what its integers do.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

std::string operator_text(const std::string& type, const std::string& in, const std::string& out) {
  std::string s = "node { op_type: '" + type + "' name: '" + type + '_' + out + "'";
  for (std::size_t at = 0; at < in.size();) {
    const auto end = std::min(in.find(' ', at), in.size());
    s += " input: '" + in.substr(at, end - at) + "'";
    at = end + 1;
  }
  return s + " output: '" + out + "' }\n";
}
std::string tensor_text(const char* role, const char* name) {
  return std::string(role) + " { name: '" + name +
         "' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } dim { dim_value: 2 } "
         "dim { dim_value: 4 } dim { dim_value: 4 } } } } }\n";
}
// From x to y through these, of which convolutions have the weights w.
std::string model_text(const std::string& operators) {
  return "ir_version: 7 opset_import { version: 13 } graph {\n" + tensor_text("input", "x") +
         tensor_text("output", "y") +
         "initializer { name: 'w' data_type: 1 dims: 2 dims: 2 dims: 1 dims: 1 float_data: 1 "
         "float_data: -1 float_data: 0.5 float_data: 2 }\n" + operators + "}\n";
}
// The options between "read the part before: " and what else would help.
std::string proposed_by(const std::string& message) {
  const auto from = message.find(" --", message.find("(read the part "));
  return from == message.npos ? "" : message.substr(from, message.find(';', from) - from);
}

struct refused_file {
  const char* proposal;
  std::string content;
};

}  // namespace

TEST_CASE("the part that a refusal proposes compiles on nv_small and is verified there") {
  const auto detector =
      operator_text("Conv", "x w", "c") + operator_text("Relu", "c", "r") +
      operator_text("Conv", "r w", "boxes") + operator_text("Conv", "r w", "scores") +
      operator_text("NonZero", "boxes scores", "n") + operator_text("Unique", "n", "y");
  const auto behind = operator_text("Bernoulli", "x", "h") + operator_text("Conv", "h w", "c") +
                      operator_text("Relu", "c", "y") + tensor_text("value_info", "h");
  const auto middle = operator_text("Relu", "x", "f") + operator_text("EyeLike", "f", "g") +
                      operator_text("Conv", "g w", "c") + operator_text("Relu", "c", "r") +
                      operator_text("Unique", "r", "t") + operator_text("Relu", "t", "y") +
                      tensor_text("value_info", "g");
  const std::vector<refused_file> files{{" --to Conv_boxes --to Conv_scores", detector},
                                        {" --from Bernoulli_h", behind},
                                        {" --from EyeLike_g --to Relu_r", middle}};
  const scratch dir;
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) values.push_back(0.25F * static_cast<float>(i * 5 % 17 - 8));
  nvdlac::data::write_npy(dir.path / "in.npy", {{1, 2, 4, 4}, values});
  for (const auto& file : files) {
    dir.write("net.onnx", model_text(file.content));
    const std::string rest = " net.onnx -c nv_small --calibration in.npy";
    const auto refused = nvdlac_in(dir.path, "compile" + rest);
    CHECK(refused.code == 1);
    const auto options = proposed_by(refused.err);
    CHECK(options == file.proposal);
    const auto compiled = nvdlac_in(dir.path, "compile" + rest + options + " -o net.nvdla");
    CAPTURE(compiled.err);
    CHECK(compiled.code == 0);
    const auto verified = nvdlac_in(dir.path, "verify" + rest + options + " --input in.npy");
    CAPTURE(verified.out);
    CAPTURE(verified.err);
    CHECK(verified.code == 0);
    CHECK(verified.says("bit"));
  }
}
