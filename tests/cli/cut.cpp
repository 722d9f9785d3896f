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

TEST_CASE("an operator that the configuration does not compute is ended before, as is proposed") {
  const scratch dir;
  std::vector<float> values;
  for (int i = 0; i < 32; ++i) values.push_back(0.25F * static_cast<float>(i * 5 % 17 - 8));
  nvdlac::data::write_npy(dir.path / "in.npy", {{1, 2, 4, 4}, values});
  dir.write("net.onnx", model_text(operator_text("Conv", "x w", "c") +
                                   operator_text("Relu", "c", "r") +
                                   operator_text("Conv", "r w", "d") +
                                   operator_text("Sin", "r", "s") +
                                   operator_text("Add", "s d", "y")));
  dir.write("net.prototxt",
            "input: 'x' input_dim: 1 input_dim: 2 input_dim: 4 input_dim: 4\n"
            "layer { name: 'c' type: 'Convolution' bottom: 'x' top: 'c'\n"
            "        convolution_param { num_output: 2 kernel_size: 1 } }\n"
            "layer { name: 'r' type: 'ReLU' bottom: 'c' top: 'c' }\n"
            "layer { name: 't' type: 'TanH' bottom: 'c' top: 't' }\n"
            "layer { name: 'y' type: 'Convolution' bottom: 't' top: 'y'\n"
            "        convolution_param { num_output: 2 kernel_size: 1 } }\n");
  dir.write("net.cfg",
            "[net]\nwidth=4\nheight=4\nchannels=2\n"
            "[convolutional]\nfilters=2\nsize=1\nactivation=leaky\n"
            "[convolutional]\nfilters=2\nsize=1\nactivation=logistic\n"
            "[maxpool]\nsize=2\nstride=2\n");
  struct refused_network {
    const char *file, *proposal;
  };
  for (const auto& [file, proposal] :
       {refused_network{"net.onnx", " --to Relu_r --to Conv_d"},
        {"net.prototxt --random-weights 1", " --to r"},
        {"net.cfg --random-weights 1", " --to convolutional_0"}}) {
    CAPTURE(file);
    const auto compile = [&](const std::string& more) {
      return nvdlac_in(dir.path, "compile " + std::string(file) + " -c nv_small --calibration "
                                 "in.npy -o net.nvdla" + more);
    };
    const auto refused = compile("");
    CAPTURE(refused.err);
    CHECK(refused.code == 1);
    CHECK(refused.complains(" does not run on nv_small"));
    CHECK(refused.complains("--host allow"));
    const std::string before = "; or read the part before:";
    const auto at = refused.err.find(before);
    REQUIRE(at != std::string::npos);
    const auto from = at + before.size();
    const auto options = refused.err.substr(from, refused.err.find(')', from) - from);
    CHECK(options == proposal);
    CHECK(compile(options).code == 0);
  }
}
