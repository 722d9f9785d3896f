// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

// The demo model, compiled in a directory of its own.
struct compiled : scratch {
  explicit compiled(const std::string& options = "") {
    const auto outputs = "-o d.nvdla --trace d.nvtrace ";
    REQUIRE(nvdlac_in(path, "compile" + model + outputs + options).code == 0);
  }
};

const std::string seven = " --input '" + digits + "/images/7_a.pgm' ";

}  // namespace

TEST_CASE("run prints the five best classes, without any option of preprocessing") {
  for (const char* options : {"", "--input-format int8"}) {
    const compiled dir(options);
    const auto r = nvdlac_in(dir.path, "run d.nvdla --config nv_small" + seven);
    CHECK(r.code == 0);
    CAPTURE(r.out);
    CHECK(r.out.starts_with("7_a.pgm:  7 (0.9"));
    CHECK(r.err == "");
  }
}

TEST_CASE("run takes directories and collections and writes arrays") {
  const compiled dir;
  const std::string run = "run d.nvdla --config nv_small --input" + pictures;
  CHECK(nvdlac_in(dir.path, run + "--output scores.npy").code == 0);
  const auto scores = nvdlac::data::read_npy(dir.path / "scores.npy").content;
  REQUIRE(scores.dims == std::vector<std::size_t>{20, 10});
  CHECK(nvdlac_in(dir.path, run + "--output raw.npy --raw").code == 0);
  const auto raw = nvdlac::data::read_npy(dir.path / "raw.npy").content;
  REQUIRE(raw.dims == scores.dims);
  for (std::size_t i = 0; i < raw.values.size(); ++i)
    CHECK(scores.values[i] == doctest::Approx(raw.values[i] / 127));
  const auto all = nvdlac_in(dir.path, "run d.nvdla --config nv_small --input '" + digits +
                                           "/calibration.idx'");
  CHECK(all.code == 0);
  CHECK(all.says("calibration.idx[99]: "));
}

TEST_CASE("run deals pictures to a program of a batch") {
  const compiled one, batch("--batch 3");
  const auto scores_of = [](const compiled& dir, const std::string& more = "") {
    const auto r = nvdlac_in(dir.path, "run d.nvdla --config nv_small --output s.npy" + more);
    CAPTURE(r.err);
    CHECK(r.code == 0);
    return std::pair{nvdlac::data::read_npy(dir.path / "s.npy").content, r.err};
  };
  const auto [alone, silent] = scores_of(one, " --input" + pictures);
  const auto [dealt, note] = scores_of(batch, " --input" + pictures);
  CHECK(alone.dims == std::vector<std::size_t>{20, 10});
  CHECK(dealt.dims == alone.dims);
  CHECK(dealt.values == alone.values);
  CHECK(silent == "");
  CHECK(note.find("note: the last run has 2 inputs for its batch of 3: the last one stands for "
                  "those that are missing") != note.npos);
  CHECK(scores_of(batch, " --raw --input" + pictures).first.values ==
        scores_of(one, " --raw --input" + pictures).first.values);
  // Each picture by its name.
  const auto printed = nvdlac_in(batch.path, "run d.nvdla --config nv_small --input" + pictures);
  CHECK(printed.out == nvdlac_in(one.path, "run d.nvdla --config nv_small --input" + pictures).out);
  // The inputs by their names, as before.
  std::string named = "run d.nvdla --config nv_small --output n.npy";
  for (const char* input : {"@1", "@2", "@3"})
    named += std::string(" --input data") + input + "='" + digits + "/images/7_a.pgm'";
  CHECK(nvdlac_in(batch.path, named).code == 0);
  CHECK(std::filesystem::exists(batch.path / "n.prob@2.npy"));
}

TEST_CASE("what cannot be run is refused without an output") {
  const compiled dir;
  const auto before = dir.files();
  const auto refused = [&](const std::string& arguments, int code, std::string_view reason) {
    CAPTURE(arguments);
    const auto r = nvdlac_in(dir.path, "run " + arguments + " --output o.npy");
    CAPTURE(r.err);
    CHECK(r.code == code);
    CHECK(r.complains(reason));
    CHECK(dir.files() == before);
  };
  refused("d.nvdla -c nv_large" + seven, 1, "d.nvdla: the loadable was compiled for nv_small");
  refused("d.nvdla -c nv_small --scale 2" + seven, 2, "reads pixels");
  refused("d.nvtrace -c nv_small" + seven, 1, "d.nvtrace: is not a loadable");
  refused("absent -c nv_small" + seven, 1, "absent: there is no such file");
  refused("d.nvdla -c nv_small", 2, "--input is required");
  refused("d.nvdla -c nv_small --input d.nvdla", 1, "d.nvdla: is not a picture");
  refused("d.nvdla -c nv_small --input absent", 1, "absent: there is no such file");
}

TEST_CASE("the configuration of a run is that of the file") {
  const compiled dir;
  CHECK(nvdlac_in(dir.path, "replay d.nvtrace").code == 0);
  CHECK(nvdlac_in(dir.path, "compile" + model + "-o e.nvdla --report e.json")
            .says("\nwritten: e.nvdla, e.json\n"));
  const auto r = nvdlac_in(dir.path, "run d.nvdla" + seven);
  CHECK(r.code == 0);
  CHECK(r.out == nvdlac_in(dir.path, "run d.nvdla -c nv_small" + seven).out);
}

TEST_CASE("floats cannot be given to a program that reads pixels") {
  const compiled dir, values("--input-format int8");
  nvdlac::data::write_npy(dir.path / "f.npy", {{1, 28, 28}, std::vector<float>(784, 1)});
  const auto r = nvdlac_in(dir.path, "run d.nvdla -c nv_small --input f.npy");
  CHECK(r.code == 1);
  CHECK(r.complains("compile with --input-format int8"));
  std::filesystem::copy_file(dir.path / "f.npy", values.path / "f.npy");
  CHECK(nvdlac_in(values.path, "run d.nvdla -c nv_small --input f.npy").code == 0);
}

TEST_CASE("the trace gives the bytes that the loadable gives, and says where not") {
  const compiled dir;
  const auto r = nvdlac_in(dir.path, "replay d.nvtrace --config nv_small");
  CHECK(r.code == 0);
  CHECK(r.says(" 0 differences"));
  // The trace is of the first calibration picture.
  REQUIRE(nvdlac_in(dir.path, "run d.nvdla -c nv_small --raw --output o.npy --input '" + digits +
                                  "/calibration.idx'").code == 0);
  const auto expected = content(dir.path / "d.output-0.bin");
  const auto values = nvdlac::data::read_npy(dir.path / "o.npy").content.values;
  REQUIRE(expected.size() >= 10);
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(static_cast<float>(static_cast<signed char>(expected[i])) == values[i]);

  auto wrong = expected;
  wrong[3] = static_cast<char>(wrong[3] ^ 1);
  dir.write("d.output-0.bin", wrong);
  const auto differs = nvdlac_in(dir.path, "replay d.nvtrace --config nv_small");
  CHECK(differs.code == 1);
  CHECK(differs.says("1 of 16 bytes differ from d.output-0.bin"));
  CHECK(differs.says(" 1 difference"));
  CHECK(nvdlac_in(dir.path, "replay d.nvtrace --config nv_full").code == 1);
  const auto lenient = nvdlac_in(dir.path, "replay d.nvtrace -c nv_small --lenient --threads 2");
  CHECK(lenient.says(" 1 difference, 0 warnings"));
  CHECK(nvdlac_in(dir.path, "replay d.nvdla --config nv_small").code == 1);
}

TEST_CASE("a loadable tells what it holds") {
  const compiled dir;
  const auto r = nvdlac_in(dir.path, "inspect d.nvdla");
  CHECK(r.code == 0);
  for (const char* part : {"digits for nv_small", "input  data 1x28x28: pixels", "Memory", "Layers",
                           "conv1/x0/sdp", "in image mode", "Dependencies", "conv2: waits for"})
    CHECK(r.says(part));
  const auto flow = nvdlac_in(dir.path, "inspect d.nvdla --dot").out;
  CHECK(flow.starts_with("digraph program {"));
  CHECK(flow.find("label=\"conv2\\nCONV + SDP + PDP\\n4x12x24 -> 16x6x6\"") != flow.npos);
  for (const char* edge : {"n0 -> n1;", "n0 -> n2;", "n0 -> n3;", "n1 -> n4;", "n2 -> n4;",
                           "n3 -> n4;", "n4 -> n5;", "n5 -> n6;", "n6 -> n7;", "n7 -> n8;"})
    CHECK(flow.find(edge) != flow.npos);
  CHECK(std::ranges::count(flow, '>') == 10 + 7);  // in labels, too
  const auto waiting = nvdlac_in(dir.path, "inspect d.nvdla --dot=dependencies").out;
  CHECK(waiting.find("subgraph cluster_0") != waiting.npos);
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --dot=nonsense").code == 2);
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --json").says("\"waits_for\": "));
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --json --dot").code == 2);
  CHECK(nvdlac_in(dir.path, "inspect d.nvtrace").code == 1);
}

TEST_CASE("a run tells which files it has written, and of none that it could not write") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla").code == 0);
  const std::string run = "run d.nvdla -i '" + digits + "/images/3_a.pgm' ";
  CHECK(nvdlac_in(dir.path, run + "-o out.npy").out == "written: out.npy\n");
  CHECK(nvdlac_in(dir.path, run + "--raw").code == 2);
  const auto failed =
      nvdlac_in(dir.path, run + "--save-tensors all", "ulimit -f 1; trap '' XFSZ; ");
  CHECK(failed.code == 1);
  CHECK(!failed.says("tensors in"));
  CHECK(!std::filesystem::exists(dir.path / "all"));
}

TEST_CASE("files in folders beside other files are told, since they are not taken") {
  const scratch dir;
  const std::filesystem::path images = digits + "/images";
  std::filesystem::create_directories(dir.path / "all/more");
  std::filesystem::copy_file(images / "3_a.pgm", dir.path / "all/3_a.pgm");
  std::filesystem::copy_file(images / "4_a.pgm", dir.path / "all/more/4_a.pgm");
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla").code == 0);
  const auto r = nvdlac_in(dir.path, "run d.nvdla -i all");
  CHECK(r.code == 0);
  CHECK(r.complains("all: 1 input in folders below is not taken, as it holds inputs itself"));
}

namespace {

std::string input_text(const char* role, const char* name, const char* dims, int type = 1) {
  std::string s = std::string(role) + " { name: '" + name + "' type { tensor_type { elem_type: " +
                  std::to_string(type) + " shape {";
  std::istringstream words(dims);
  for (std::string d; words >> d;) s += " dim { dim_value: " + d + " }";
  return s + " } } } }\n";
}
std::string floats_text(const char* name, const std::vector<int>& dims) {
  std::string s = std::string("initializer { name: '") + name + "' data_type: 1";
  int size = 1;
  for (const int d : dims) {
    s += " dims: " + std::to_string(d);
    size *= d;
  }
  for (int i = 0; i < size; ++i) s += " float_data: " + std::to_string((i * 37 % 101 - 50) / 60.0);
  return s + " }\n";
}
void write_int64(const std::filesystem::path& path, const std::vector<std::int64_t>& values,
                 const std::string& shape) {
  std::string head = "{'descr': '<i8', 'fortran_order': False, 'shape': (" + shape + "), }";
  head.resize((head.size() + 10) / 64 * 64 + 64 - 11, ' ');
  head += '\n';
  std::ofstream out(path, std::ios::binary);
  out << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(head.size() % 256)
      << static_cast<char>(head.size() / 256) << head;
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof values[0]));
}

}  // namespace

TEST_CASE("tokens of INT64 are looked up by the host, on every configuration") {
  const scratch dir;
  dir.write("net.onnx",
            "ir_version: 7 opset_import { version: 13 } graph {\n" +
                input_text("input", "ids", "1 6", 7) + input_text("output", "y", "1 4") +
                floats_text("table", {300, 8}) + floats_text("w", {48, 4}) +
                "initializer { name: 's' data_type: 7 dims: 2 int64_data: 1 int64_data: 48 }\n"
                "node { op_type: 'Gather' name: 'emb' input: 'table' input: 'ids' output: 'e' }\n"
                "node { op_type: 'Reshape' name: 'flat' input: 'e' input: 's' output: 'f' }\n"
                "node { op_type: 'MatMul' name: 'fc' input: 'f' input: 'w' output: 'y' } }\n");
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 16 * 6; ++i) ids.push_back(i * 97 % 300);
  write_int64(dir.path / "ids.npy", ids, "16, 6");
  const std::string from = " net.onnx --calibration ids.npy -c ";
  const auto refused = nvdlac_in(dir.path, "compile -o n.nvdla" + from + "nv_small");
  CHECK(refused.code == 1);
  CHECK(refused.complains("layer 'emb': no engine of NVDLA computes 'embedding' (let the host "
                          "compute it: --host allow, or --host embedding; or read the part behind: "
                          "--from emb)"));
  for (const char* config : {"nv_small", "nv_large", "nv_full"}) {
    CAPTURE(config);
    const auto verified = nvdlac_in(dir.path, "verify --host allow --min-snr 25 --input ids.npy" +
                                                  from + config);
    CAPTURE(verified.err);
    CAPTURE(verified.out);
    CHECK(verified.code == 0);
    CHECK(verified.says("equal bit for bit"));
  }
  CHECK(nvdlac_in(dir.path, "compile --host allow -o n.nvdla" + from + "nv_small").code == 0);
  const auto run = nvdlac_in(dir.path, "run n.nvdla --input ids.npy -o y.npy");
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(nvdlac::data::read_npy(dir.path / "y.npy").content.dims ==
        std::vector<std::size_t>{16, 4});
  write_int64(dir.path / "beyond.npy", {0, 1, 2, 3, 4, 300}, "1, 6");
  const auto beyond = nvdlac_in(dir.path, "run n.nvdla --input beyond.npy -o y.npy");
  CHECK(beyond.code == 1);
  CHECK(beyond.complains("it takes row 300 of a table of 300"));
}

TEST_CASE("a run carries states from step to step, as compile and verify do") {
  const scratch dir;
  // One step of h' = relu(W [x, h] + ..): the state is named by the user.
  dir.write("net.onnx",
            "ir_version: 7 opset_import { version: 13 } graph {\n" +
                input_text("input", "x", "1 3 1 1") + input_text("input", "h", "1 4 1 1") +
                input_text("output", "y", "1 2 1 1") + input_text("output", "h_out", "1 4 1 1") +
                floats_text("wx", {4, 3, 1, 1}) + floats_text("wh", {4, 4, 1, 1}) +
                floats_text("wy", {2, 4, 1, 1}) +
                "node { op_type: 'Conv' name: 'a' input: 'x' input: 'wx' output: 'a' }\n"
                "node { op_type: 'Conv' name: 'b' input: 'h' input: 'wh' output: 'b' }\n"
                "node { op_type: 'Add' name: 'c' input: 'a' input: 'b' output: 'c' }\n"
                "node { op_type: 'Relu' name: 'h_out' input: 'c' output: 'h_out' }\n"
                "node { op_type: 'Conv' name: 'y' input: 'h_out' input: 'wy' output: 'y' } }\n");
  std::vector<float> x;
  for (int i = 0; i < 12 * 3; ++i) x.push_back(static_cast<float>(i * 29 % 17 - 8) / 4);
  nvdlac::data::write_npy(dir.path / "x.npy", {{12, 3, 1, 1}, x});
  const std::string carry = " --carry-states=h=h_out";
  const std::string compile = "compile net.onnx -c nv_small --calibration x.npy -o n.nvdla";
  const auto compiled = nvdlac_in(dir.path, compile + carry);
  CAPTURE(compiled.err);
  REQUIRE(compiled.code == 0);
  const auto whole = nvdlac_in(dir.path, "run n.nvdla --input x.npy -o y.npy" + carry);
  CAPTURE(whole.err);
  REQUIRE(whole.code == 0);
  // By hand: each run is given what the one before left.
  std::vector<float> by_hand, state(4, 0);
  for (std::size_t t = 0; t < 3; ++t) {
    nvdlac::data::write_npy(dir.path / "one.npy",
                            {{1, 3, 1, 1}, {x[3 * t], x[3 * t + 1], x[3 * t + 2]}});
    nvdlac::data::write_npy(dir.path / "h.npy", {{1, 4, 1, 1}, state});
    REQUIRE(nvdlac_in(dir.path, "run n.nvdla --input x=one.npy h=h.npy -o o.npy").code == 0);
    const auto y = nvdlac::data::read_npy(dir.path / "o.y.npy").content.values;
    by_hand.insert(by_hand.end(), y.begin(), y.end());
    state = nvdlac::data::read_npy(dir.path / "o.h_out.npy").content.values;
  }
  const auto carried = nvdlac::data::read_npy(dir.path / "y.y.npy").content.values;
  REQUIRE(carried.size() == 24);
  CHECK(std::vector<float>(carried.begin(), carried.begin() + 6) == by_hand);
  const auto verified = nvdlac_in(
      dir.path, "verify net.onnx -c nv_small --calibration x.npy --input x.npy --min-snr 15" +
                    carry);
  CAPTURE(verified.err);
  CAPTURE(verified.out);
  CHECK(verified.code == 0);
  // Without names there are none, and without the option the state is asked for.
  const auto none = nvdlac_in(dir.path, "run n.nvdla --input x.npy --carry-states");
  CHECK(none.complains("no input has an output of its name with /next behind it"));
  CHECK(nvdlac_in(dir.path, "run n.nvdla --input x.npy --carry-states=h").code == 2);
  CHECK(nvdlac_in(dir.path, compile).code != 0);
}
