// SPDX-License-Identifier: Apache-2.0
// The limits of what one input may cost, and how users raise them.
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

TEST_CASE("limits are options, and what is beyond them is refused") {
  const scratch dir;
  const auto compile = [&](const std::string& more) {
    return nvdlac_in(dir.path, "compile" + model + "-o d.nvdla " + more);
  };
  const auto r = compile("--limit nodes=5");
  CHECK(r.code == 1);
  CHECK(r.complains("digits.onnx: it has "));
  CHECK(r.complains("more than the limit of 5 (if that is meant, raise it: --limit nodes="));
  CHECK(compile("--limit operations=1000").complains("--limit operations="));
  CHECK(compile("--limit samples=100 --limit weights=10").complains("--limit weights="));
  CHECK(compile("--limit nodes=1000 --limit operations=100000000").code == 0);
  // The limit that the last refusal proposes is enough.
  const auto refused = compile("--limit weights=10").err;
  const auto at = refused.rfind("--limit weights=");
  REQUIRE(at != refused.npos);
  CHECK(compile(refused.substr(at, refused.find(')', at) - at)).code == 0);
  CHECK(compile("--limit nodes").code == 2);
  CHECK(compile("--limit nodes=").code == 2);
  CHECK(compile("--limit nodes=1e3").code == 2);
  CHECK(compile("--limit speed=3").complains("--limit: 'speed=3' names none of fields ("));
  for (const auto& l : nvdlac::all_limits)
    CHECK(nvdlac_in(dir.path, "compile --help").says(l.name));

  CHECK(nvdlac_in(dir.path, "run d.nvdla -c nv_small --limit macs=1000 -i" + pictures)
            .complains("--limit macs"));
  CHECK(nvdlac_in(dir.path, "run d.nvdla -c nv_small --limit memory=1000 -i" + pictures)
            .complains("--limit memory"));
  dir.write("t.nvtrace", "nvtrace 1\nconfig nv_small\nmem_crc dram 0 0x180000000 0\n");
  const auto sum = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small");
  CHECK(sum.code == 1);
  CHECK(sum.complains("t.nvtrace:3: it has 6442450944 bytes"));
}

TEST_CASE("what a program computes in all is refused before its first layer") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla --trace d.nvtrace").code == 0);
  const std::string program = "-c nv_small --limit work=1000";
  const auto r = nvdlac_in(dir.path, "run d.nvdla " + program + " -i" + pictures);
  CHECK(r.code == 1);
  CHECK(r.out.empty());
  CHECK(r.complains("d.nvdla: a run makes "));
  CHECK(r.complains("more than the limit of 1000 (if that is meant, raise it: --limit work="));
  const auto t = nvdlac_in(dir.path, "replay d.nvtrace --layers=layers.json " + program);
  CHECK(t.code == 1);
  CHECK(t.complains("d.nvtrace: a run makes "));
  CHECK(nvdlac_in(dir.path, "verify" + model + "--limit work=1000 -i" + pictures)
            .complains("--limit work="));
}

// The remedies are those that the message names.
TEST_CASE("a move of too many layers is refused with its estimate, and what helps is told") {
  const scratch dir;
  dir.write("net.prototxt",
            "layer { name: 'data' type: 'Input' top: 'data'\n"
            "        input_param { shape { dim: 1 dim: 1 dim: 96 dim: 96 } } }\n"
            "layer { name: 'c' type: 'Convolution' bottom: 'data' top: 'c'\n"
            "        convolution_param { num_output: 16 kernel_size: 1 } }\n"
            "layer { name: 'transpose_3' type: 'Permute' bottom: 'c' top: 'transpose_3'\n"
            "        permute_param { order: 0 order: 3 order: 1 order: 2 } }\n"
            "layer { name: 'd' type: 'Convolution' bottom: 'transpose_3' top: 'd'\n"
            "        convolution_param { num_output: 4 kernel_size: 1 } }\n");
  std::string pixels = "P5 96 96 255\n";
  for (int i = 0; i < 96 * 96; ++i) pixels += static_cast<char>(i * 37 % 256);
  dir.write("p.pgm", pixels);
  const auto compile = [&](const std::string& more) {
    return nvdlac_in(dir.path, "compile net.prototxt --random-weights 3 --config nv_small "
                               "--calibration p.pgm -o n.nvdla " + more);
  };
  const auto refused = compile("");
  CAPTURE(refused.err);
  CHECK(refused.code == 1);
  CHECK(refused.complains("layer 'transpose_3': move does not run on nv_small: it would take "));
  CHECK(refused.complains(" layers, 1000 at most (if that is meant, raise it: --limit layers="));
  CHECK(refused.complains("; or let the host compute it: --host allow, or --host move; or read "
                          "the part before: --to c)"));
  const std::string raise = "--limit layers=";
  const auto at = refused.err.find(raise);
  REQUIRE(at != std::string::npos);
  const auto raised = refused.err.substr(at, refused.err.find(';', at) - at);
  CHECK(compile(raised).code == 0);
  CHECK(compile("--limit layers=1001").code == 1);
  CHECK(compile("--host allow").code == 0);
  CHECK(compile("--host move").code == 0);
}

TEST_CASE("a file ends before a move that takes too many layers") {
  const auto node = [](const std::string& type, const std::string& in, const std::string& out,
                       const std::string& attribute = {}) {
    return "node { op_type: '" + type + "' name: '" + out + "' input: '" + in + "' output: '" +
           out + "' " + attribute + " }\n";
  };
  const auto tensor = [](const std::string& role, const std::string& name,
                         std::initializer_list<int> shape) {
    std::string dims;
    for (const int n : shape) dims += "dim { dim_value: " + std::to_string(n) + " } ";
    return role + " { name: '" + name + "' type { tensor_type { elem_type: 1 shape { " + dims +
           "} } } }\n";
  };
  const scratch dir;
  dir.write("net.onnx",
            "ir_version: 7 opset_import { version: 13 } graph {\n" +
                node("Relu", "data", "positive") +
                node("Transpose", "positive", "transpose_3",
                     "attribute { name: 'perm' type: INTS ints: [0, 3, 1, 2] }") +
                node("MaxPool", "transpose_3", "pool",
                     "attribute { name: 'kernel_shape' type: INTS ints: [1, 2] }") +
                tensor("input", "data", {1, 1, 100, 100}) +
                tensor("output", "pool", {1, 100, 1, 99}) + "}\n");
  dir.write("p.pgm", "P5 100 100 255\n" + std::string(100 * 100, 'x'));
  const auto compile = [&](const std::string& more) {
    return nvdlac_in(dir.path, "compile net.onnx --config nv_small --calibration p.pgm "
                               "-o n.nvdla --limit layers=20 " + more);
  };
  const auto refused = compile("");
  CAPTURE(refused.err);
  CHECK(refused.code == 1);
  CHECK(refused.complains("layer 'transpose_3': move does not run on nv_small: it would take "));
  CHECK(compile("--to positive").code == 0);
}

TEST_CASE("run and verify keep one file in memory, not all inputs") {
  const scratch dir;
  dir.write("net.prototxt",
            "name: 'twice'\n"
            "layer { name: 'a' type: 'Input' top: 'a'\n"
            "        input_param { shape { dim: 1 dim: 32 dim: 16 dim: 64 } } }\n"
            "layer { name: 'b' type: 'Eltwise' bottom: 'a' bottom: 'a' top: 'b' }\n");
  std::filesystem::create_directory(dir.path / "inputs");
  for (int file = 0; file < 16; ++file)
    nvdlac::data::write_npy(dir.path / "inputs" / (std::to_string(file) + ".npy"),
                            {{80, 32, 16, 64}, std::vector<float>(80 << 15, 1.0F)});
  nvdlac::data::write_npy(dir.path / "one.npy",
                          {{1, 32, 16, 64}, std::vector<float>(1 << 15, 1.0F)});
  const std::string network = "net.prototxt --random-weights 1 -c nv_small --calibration one.npy ";
  REQUIRE(nvdlac_in(dir.path, "compile " + network + "-o o.nvdla").code == 0);
  for (const auto& command : {std::string("run o.nvdla -c nv_small"), "verify " + network}) {
    const auto few = nvdlac_in(dir.path, command + " -i inputs", address_limit(150000));
    CAPTURE(few.err);
    CHECK(few.code == 0);
  }
}

TEST_CASE("calibration keeps one file in memory, not all samples") {
  const scratch dir;
  dir.write("net.prototxt",
            "name: 'twice'\n"
            "layer { name: 'a' type: 'Input' top: 'a'\n"
            "        input_param { shape { dim: 1 dim: 8 dim: 1 dim: 1 } } }\n"
            "layer { name: 'b' type: 'Eltwise' bottom: 'a' bottom: 'a' top: 'b' }\n");
  std::filesystem::create_directory(dir.path / "inputs");
  for (int file = 0; file < 8; ++file)
    nvdlac::data::write_npy(dir.path / "inputs" / (std::to_string(file) + ".npy"),
                            {{1 << 16, 8}, std::vector<float>(8 << 16, 1.0F)});
  const auto few = nvdlac_in(dir.path,
                             "compile net.prototxt --random-weights 1 -c nv_small "
                             "--calibration inputs -o o.nvdla", address_limit(150000));
  CAPTURE(few.err);
  CHECK(few.code == 0);
}
