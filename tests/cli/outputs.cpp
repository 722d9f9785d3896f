// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <nlohmann/json.hpp>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"
#include "random_order.hpp"

namespace {

using dims = std::vector<std::size_t>;

// A picture with channels last, which the model turns around, and three outputs of one tensor: as
// features, with channels last, and with channels first.
const std::string three_outputs =
    "ir_version: 7 opset_import { version: 13 } graph { "
    "input { name: 'picture' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } "
    "dim { dim_value: 3 } dim { dim_value: 4 } dim { dim_value: 2 } } } } } "
    "output { name: 'out/flat' } output { name: 'last' } output { name: 'first' } "
    "node { op_type: 'Transpose' name: 'turn' input: 'picture' output: 't' "
    "attribute { name: 'perm' type: INTS ints: 0 ints: 3 ints: 1 ints: 2 } } "
    "node { op_type: 'Relu' name: 'relu' input: 't' output: 'first' } "
    "node { op_type: 'Transpose' name: 'back' input: 'first' output: 'last' "
    "attribute { name: 'perm' type: INTS ints: 0 ints: 2 ints: 3 ints: 1 } } "
    "node { op_type: 'Flatten' name: 'flatten' input: 'last' output: 'out/flat' } }";

struct model_dir : scratch {
  model_dir() {
    write("m.onnx", three_outputs);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    nvdlac::data::write_npy(path / "x.npy", {{1, 3, 4, 2}, values});
    nvdlac::data::write_npy(path / "twice.npy", {{2, 3, 4, 2}, [&] {
                              auto twice = values;
                              twice.insert(twice.end(), values.begin(), values.end());
                              return twice;
                            }()});
  }
  outcome run(const std::string& arguments) const { return nvdlac_in(path, arguments); }
  nvdlac::data::array array(const std::string& name) const {
    return nvdlac::data::read_npy(path / name).content;
  }
  void check(const std::string& file, const dims& wanted, bool channels_first) const {
    CAPTURE(file);
    const auto a = array(file);
    CHECK(a.dims == wanted);
    REQUIRE(a.values.size() >= 24);
    for (std::size_t i = 0; i < 24; ++i)  // places in the picture
      CHECK(a.values[i] == doctest::Approx(channels_first ? values[i % 12 * 2 + i / 12] : values[i])
                               .epsilon(0.01)
                               .scale(24));
  }

  std::vector<float> values = std::vector<float>(24);
};

}  // namespace

TEST_CASE("run writes the names, shapes and order of the network's file") {
  const model_dir dir;
  const auto made = dir.run("compile m.onnx -c nv_small --calibration x.npy --report r.json "
                            "-o m.nvdla --trace m.nvtrace");
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  REQUIRE(dir.run("run m.nvdla -c nv_small -i x.npy -o o.npy").code == 0);
  dir.check("o.out_flat.npy", {1, 24}, false);
  dir.check("o.last.npy", {1, 3, 4, 2}, false);
  dir.check("o.first.npy", {1, 2, 3, 4}, true);
  REQUIRE(dir.run("run m.nvdla -c nv_small -i twice.npy -o p.npy").code == 0);
  dir.check("p.last.npy", {2, 3, 4, 2}, false);
  REQUIRE(dir.run("run m.nvdla -c nv_small -i x.npy -o raw.npy --raw").code == 0);
  CHECK(dir.array("raw.last.npy").dims == dims{1, 3, 4, 2});
  // One tensor of NVDLA holds all three.
  REQUIRE(dir.run("run m.nvdla -c nv_small -i x.npy -o h.npy --output-layout hardware").code == 0);
  dir.check("h.npy", {1, 2, 3, 4}, true);
  const auto printed = dir.run("run m.nvdla -c nv_small -i x.npy");
  CHECK(printed.says("x.npy last:  23 ("));
  CHECK(printed.says("x.npy first:  23 ("));
  CHECK(dir.run("run m.nvdla -c nv_small -i x.npy --output-layout other").code == 2);

  // Every form of the program says where the elements are.
  const auto report = nlohmann::json::parse(content(dir.path / "r.json"));
  REQUIRE(report["outputs"].size() == 1);
  const auto& forms = report["outputs"][0]["in_file"];
  REQUIRE(forms.size() == 3);
  std::map<std::string, nlohmann::json> by_name;
  for (const auto& f : forms) by_name[f["name"]] = f;
  CHECK(by_name["last"]["shape"] == nlohmann::json{1, 3, 4, 2});
  CHECK(by_name["last"]["walk"] == nlohmann::json{{12, 1}, {2, 12}});
  CHECK(by_name["last"]["place"] == 1);
  CHECK(by_name["first"]["walk"] == nlohmann::json::array());
  CHECK(report["outputs"][0]["memory"]["channels_of_an_atom"] == 8);
  CHECK(report["inputs"][0]["in_file"][0]["shape"] == nlohmann::json{1, 3, 4, 2});
  const std::string words =
      "'last' of [1, 3, 4, 2]: its elements in row-major order are those number i + j * 12 of "
      "2x3x4 in c-h-w order, i < 12, j < 2";
  CHECK(content(dir.path / "m.nvtrace").find("# " + words) != std::string::npos);
  CHECK(dir.run("inspect m.nvdla").says(words));
  CHECK(dir.run("inspect m.nvdla").says("in memory 2x3x4 of int8: element (c, y, x) at byte c / 8 "
                                        "* 96 + y * 32 + x * 8 + c % 8"));
  CHECK(dir.run("inspect m.nvdla --json").says("\"in_file\""));
  REQUIRE(dir.run("import m.onnx --calibration x.npy --cpp m.hpp").code == 0);
  CHECK(content(dir.path / "m.hpp").find(words) != std::string::npos);
}

TEST_CASE("pixels are described as they lie in memory, and as the file's channels") {
  const scratch dir;
  dir.write("m.onnx",
            "ir_version: 7 opset_import { version: 13 } graph { "
            "input { name: 'rgb' type { tensor_type { elem_type: 1 shape { dim { dim_value: 1 } "
            "dim { dim_value: 2 } dim { dim_value: 2 } dim { dim_value: 3 } } } } } "
            "output { name: 'y' } "
            "node { op_type: 'Transpose' name: 'turn' input: 'rgb' output: 't' "
            "attribute { name: 'perm' type: INTS ints: 0 ints: 3 ints: 1 ints: 2 } } "
            "initializer { name: 'w' data_type: 1 dims: 1 dims: 3 dims: 1 dims: 1 float_data: 1 "
            "float_data: 2 float_data: 3 } "
            "node { op_type: 'Conv' name: 'sum' input: 't' input: 'w' output: 'y' } }");
  dir.write("p.ppm", "P6\n2 2\n255\nabcdefghi\xff\x01\x02");
  const auto made = nvdlac_in(dir.path, "compile m.onnx -c nv_small --calibration p.ppm "
                                        "--input-format pixels -o m.nvdla --trace m.nvtrace");
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  const std::string words = "'rgb' of [1, 2, 2, 3]: its elements in row-major order are those "
                            "number i + j * 4 of 3x2x2 in c-h-w order, i < 4, j < 3";
  const auto trace = content(dir.path / "m.nvtrace");
  CHECK(trace.find(words) != trace.npos);
  CHECK(trace.find("# pixels: channel c of (y, x) at byte y * ") != trace.npos);
  CHECK(nvdlac_in(dir.path, "inspect m.nvdla").says(words));
  CHECK(nvdlac_in(dir.path, "inspect m.nvdla").says("in memory pixels: channel c of (y, x) at "));
}

TEST_CASE("random orders of elements come from the program as from the file") {
  for (unsigned seed = 0; seed < 24; ++seed) {
    const auto m = random_order::generator(seed, seed >= 12).make();
    INFO("seed " << seed << '\n' << m.content);
    const scratch dir;
    dir.write("m.onnx", m.content);
    std::vector<float> picture(m.input.from.size());  // at most 64 values, so int8 tells them apart
    std::iota(picture.begin(), picture.end(), 1.0F);
    nvdlac::data::write_npy(dir.path / "x.npy",
                            {{m.input.shape.begin(), m.input.shape.end()}, picture});
    const auto made = nvdlac_in(
        dir.path, "compile m.onnx -c nv_small --calibration x.npy --observer min-max -o m.nvdla");
    CAPTURE(made.err);
    REQUIRE(made.code == 0);
    const auto run = nvdlac_in(dir.path, "run m.nvdla -c nv_small -i x.npy -o o.npy");
    CAPTURE(run.err);
    REQUIRE(run.code == 0);
    for (const auto& wanted : m.outputs) {
      auto name = wanted.name;  // as a part of a file's name
      std::ranges::replace(name, '/', '_');
      const auto file = m.outputs.size() == 1 ? "o.npy" : "o." + name + ".npy";
      const auto found = nvdlac::data::read_npy(dir.path / file).content;
      CHECK(found.dims == dims(wanted.shape.begin(), wanted.shape.end()));
      REQUIRE(found.values.size() == wanted.from.size());
      for (std::size_t i = 0; i < found.values.size(); ++i) {
        const auto from = wanted.from[i];
        CHECK(std::lround(found.values[i]) ==
              (from == random_order::zero ? 0 : std::lround(picture[from])));
      }
    }
  }
}

TEST_CASE("verify names the outputs of the file, in its order") {
  const model_dir dir;
  const auto r =
      dir.run("verify m.onnx -c nv_small --calibration x.npy --input x.npy --json");
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  const auto outputs = nlohmann::json::parse(r.out)["configs"][0]["outputs"];
  REQUIRE(outputs.size() == 3);
  CHECK(outputs[0]["name"] == "out/flat");
  CHECK(outputs[0]["shape"] == nlohmann::json{1, 24});
  CHECK(outputs[1]["name"] == "last");
  CHECK(outputs[2]["name"] == "first");
  for (const auto& o : outputs) CHECK(o["cosine"].get<double>() > 0.999);
}

TEST_CASE("a batch has the outputs of each picture, in the file's order") {
  const model_dir dir;
  REQUIRE(dir.run("compile m.onnx -c nv_small --calibration x.npy --batch 2 -o b.nvdla").code ==
          0);
  const auto r = dir.run("run b.nvdla -c nv_small -i picture@1=x.npy picture@2=x.npy");
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  std::size_t at = 0;
  for (const char* name : {"out/flat@1", "last@1", "first@1", "out/flat@2", "last@2", "first@2"}) {
    const auto found = r.out.find(std::string(" ") + name + ":", at);
    CHECK(found != std::string::npos);
    at = found == std::string::npos ? at : found;
  }
}

TEST_CASE("messages have colours where they are wanted, and --quiet says results alone") {
  const scratch dir;
  const auto failing = [&](const char* options, const char* environment = "") {
    return nvdlac_in(dir.path, std::string("inspect none ") + options, environment).err;
  };
  CHECK(failing("").starts_with("nvdlac: error: none: "));  // no terminal
  CHECK(failing("--color=always").starts_with("nvdlac: \x1b[1;31merror:\x1b[0m none: "));
  CHECK(failing("--color=always", "NO_COLOR=1 ").find('\x1b') != std::string::npos);
  CHECK(failing("--color never").find('\x1b') == std::string::npos);
  CHECK(nvdlac_in(dir.path, "inspect none --color red").code == 2);
  // A terminal of script's
  const auto on_terminal = [&](const std::string& environment) {
    return shell_in(dir.path, "TERM=xterm " + environment + " script -qec \"'" NVDLAC_CLI
                              "' inspect none\" /dev/null").out;
  };
  CHECK(on_terminal("").find("\x1b[1;31merror:\x1b[0m") != std::string::npos);
  CHECK(on_terminal("NO_COLOR=1").find("nvdlac: error: none") != std::string::npos);

  const auto loud = nvdlac_in(dir.path, "compile" + model + "-o a.nvdla");
  CHECK(loud.says("hardware layers"));
  const auto quiet = nvdlac_in(dir.path, "compile" + model + "-q -o b.nvdla");
  CHECK(quiet.code == 0);
  CHECK(quiet.out + quiet.err == "");
  CHECK(content(dir.path / "a.nvdla") == content(dir.path / "b.nvdla"));
  CHECK(nvdlac_in(dir.path, "run a.nvdla -c nv_small -q -i '" + digits + "/images/3_a.pgm'")
            .says("3_a.pgm:  3"));
}
