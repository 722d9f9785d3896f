// SPDX-License-Identifier: Apache-2.0
// Models that are quantised already: the scale and the zero point of the input are in the file.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/quant/scale_table_json.hpp>

#include "../shared.hpp"
#include "cli.hpp"

TEST_CASE("boxes in pixels and scores from 0 to 1 in one output both keep 33 dB") {
  const auto network = shared_path("cases/head_pixels_and_scores.onnx");
  if (!network) return;
  const auto files = network->parent_path() / network->stem();
  const auto r = nvdlac_in(".", "verify '" + network->string() + "' -c nv_large --calibration '" +
                                    files.string() + ".calibration.npy' --input '" +
                                    files.string() + ".input.npy' --min-snr 33");
  CHECK(r.code == 0);
  CHECK(r.says("part 'cs': "));
}

TEST_CASE("pixels of a quantised model count as its input says, unless the user says otherwise") {
  struct { const char *file, *options; int pixels; } const models[] = {
      {"coral_mobilenet_v1_0.25_128_quant", "--mean 128 --scale 0.0078125", 128 * 128 * 3},
      {"tflm_person_detect", nullptr, 96 * 96},
      {"mlperf_pretrainedResnet_quant", nullptr, 32 * 32 * 3}};
  for (const auto& m : models) {
    const auto path = shared_path("nets/tflite/" + std::string(m.file) + ".tflite");
    if (!path) continue;
    CAPTURE(m.file);
    const scratch dir;
    std::string pixels(static_cast<std::size_t>(m.pixels), '\0');
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<char>(i * i / 251 % 253);
    dir.write("p.raw", pixels);
    const std::string compile = "compile '" + path->string() + "' -c nv_small ";
    const auto alone = nvdlac_in(dir.path, compile + "-o a.nvdla --report a.json");
    CAPTURE(alone.err);
    REQUIRE(alone.code == 0);
    CHECK(alone.complains("pixels become values by the scale and the zero point of the model's "
                          "input, as with --mean "));
    const auto report = nlohmann::json::parse(content(dir.path / "a.json"));
    CHECK(report.contains("preprocessing_from"));
    // The options that it names, and those of the model's maker, give the same program.
    const auto at = alone.err.find("--mean ");
    const auto told = alone.err.substr(at, alone.err.find('\n', at) - at);
    for (const auto& options : {told, std::string(m.options == nullptr ? told : m.options)}) {
      const auto r = nvdlac_in(dir.path, compile + "-o b.nvdla " + options);
      CHECK(r.code == 0);
      CHECK_FALSE(r.complains("pixels become values"));
      const auto run = [&](const std::string& file) {
        return nvdlac_in(dir.path, "run " + file + " -c nv_small --input p.raw").out;
      };
      CHECK(run("a.nvdla") == run("b.nvdla"));
    }
  }
}

TEST_CASE("layers are in int8 where that changes no class, and the choice can be given again") {
  const scratch dir;
  const auto compile = "compile '" + digits +
                       "/digits.onnx' -c nv_full --no-provenance --calibration '" + digits +
                       "/calibration.idx' --precision ";
  const auto chosen = nvdlac_in(dir.path, compile + "fp16 --prefer int8=1 -o a.nvdla");
  CAPTURE(chosen.err);
  REQUIRE(chosen.code == 0);
  const std::string again = "again: --precision ";
  const auto at = chosen.err.find(again);
  REQUIRE(at != std::string::npos);
  const auto words = chosen.err.substr(at + again.size(), chosen.err.find('\n', at) - at -
                                                              again.size());
  CHECK(nvdlac_in(dir.path, compile + words + " -o b.nvdla").code == 0);
  CHECK(content(dir.path / "a.nvdla") == content(dir.path / "b.nvdla"));
  for (const auto& [options, reason] :
       {std::pair("fp16 --prefer int8", "is not int8=PERCENT"),
        std::pair("fp16 --prefer int8=101", "is not int8=PERCENT"),
        std::pair("fp16 --prefer int8=nan", "is not int8=PERCENT"),
        std::pair("int8 --prefer int8=1", "give --precision int16 or fp16")}) {
    const auto refused = nvdlac_in(dir.path, compile + options + " -o c.nvdla");
    CHECK(refused.code == 2);
    CHECK(refused.complains(reason));
  }
}

TEST_CASE("an effort for int8 gives the same program again, and needs inputs to count on") {
  const scratch dir;
  const std::string compile =
      "compile '" + digits + "/digits.onnx' -c nv_small --no-provenance -o ";
  const std::string calibration = " --calibration '" + digits + "/calibration.idx' ";
  const auto program = [&](const std::string& file, const std::string& options) {
    const auto r = nvdlac_in(dir.path, compile + file + calibration + options);
    CAPTURE(r.err);
    CHECK(r.code == 0);
    return content(dir.path / file);
  };
  const auto plain = program("a.nvdla", "");
  CHECK(program("b.nvdla", "--effort 0") == plain);
  const auto most = program("c.nvdla", "--effort 2 --threads 1");
  CHECK(most != plain);
  CHECK(program("d.nvdla", "--effort 2 --threads 3 --scales-out s.json") == most);
  const auto by_outputs = program("f.nvdla", "--effort 3 --threads 1");
  CHECK(program("g.nvdla", "--effort 3 --threads 2") == by_outputs);
  for (const auto& [options, reason] :
       {std::pair("--effort 4", "--effort"), std::pair("--effort -1", "--effort"),
        std::pair("--effort 1 --scales s.json", "--effort changes scales, which --scales"),
        std::pair("--effort 1 --precision int16", "of which --precision int16 has none")}) {
    const auto refused = nvdlac_in(dir.path, compile + "e.nvdla" + calibration + options);
    CHECK(refused.code == 2);
    CHECK(refused.complains(reason));
  }
  const auto blind = nvdlac_in(dir.path, compile + "e.nvdla --effort 2");
  CHECK(blind.code == 2);
  CHECK(blind.complains("--effort counts on the inputs of --calibration"));
}

namespace {

// An ONNX file in text form of x, [1, 2, 2, 2], between integers of a type in steps of 0.5, and a
// convolution.
std::string between_integers(int type) {
  const auto tensor = [](const char* name, int of, const std::string& values) {
    return nvdlac::text("initializer { name: '", name, "' data_type: ", of, ' ', values, " }\n");
  };
  const auto info = [](const char* kind, const char* name, const char* shape) {
    return nvdlac::text(kind, " { name: '", name, "' type { tensor_type { elem_type: 1 shape { ",
                        shape, " } } } }\n");
  };
  const std::string grid = " input: 's' input: 'z' output: ";
  return "ir_version: 8 opset_import { version: 21 } graph {" +
         info("input", "x", "dim { dim_value: 1 } dim { dim_value: 2 } dim { dim_value: 2 } "
                            "dim { dim_value: 2 }") +
         info("output", "y", "dim { dim_value: 1 }") +
         (type == 0 ? "" : tensor("s", 1, "float_data: 0.5") + tensor("z", type, "int32_data: 0") +
                               "node { op_type: 'QuantizeLinear' name: 'q' input: 'x'" + grid +
                               "'x.q' }\nnode { op_type: 'DequantizeLinear' name: 'd' input: "
                               "'x.q'" + grid + "'x.d' }\n") +
         tensor("w", 1, "dims: 1 dims: 2 dims: 1 dims: 1 float_data: 1 float_data: -1") +
         "node { op_type: 'Conv' name: '/c/Conv' input: '" + (type == 0 ? "x" : "x.d") +
         "' input: 'w' output: 'y' }\n}\n";
}

}  // namespace

TEST_CASE("scales of the file that a calibration replaces are told, and kept where that is said") {
  const scratch dir;
  dir.write("net.onnx.txt", between_integers(3));
  dir.write("x.npy", nvdlac::data::to_npy({{1, 2, 2, 2}, {1, -2, 3, -4, 5, -6, 7, -8}}));
  const std::string compile = "compile net.onnx.txt -c nv_small -o a.nvdla --calibration x.npy ";
  const auto replaced = nvdlac_in(dir.path, compile);
  CAPTURE(replaced.err);
  CHECK(replaced.code == 0);
  CHECK(replaced.complains("note: net.onnx.txt: --calibration replaces the scales that the file "
                           "has for 1 tensor of 8 bits ('q/range') (--keep-scales keeps them, "
                           "and the calibration gives what they lack)"));
  const auto kept = nvdlac_in(dir.path, compile + "--keep-scales");
  CHECK(kept.code == 0);
  CHECK_FALSE(kept.complains("replaces the scales"));
}

TEST_CASE("activations of 16 bits that int8 computes are told, and who computes all of them") {
  const scratch dir;
  dir.write("net.onnx.txt", between_integers(5));
  dir.write("x.npy", nvdlac::data::to_npy({{1, 2, 2, 2}, {1, -2, 3, -4, 5, -6, 7, -8}}));
  const std::string compile = "compile net.onnx.txt -o a.nvdla --calibration x.npy --keep-scales ";
  const auto small = nvdlac_in(dir.path, compile + "-c nv_small");
  CAPTURE(small.err);
  CHECK(small.code == 0);
  CHECK(small.complains("note: net.onnx.txt: the file has 1 tensor of 16 bits ('q/range'): int8 "
                        "computes 8 of them (nv_small has no int16: --precision int16 is for "));
  const auto full = nvdlac_in(dir.path, compile + "-c nv_full");
  CHECK(full.complains("int8 computes 8 of them (--precision int16 computes all of them)"));
  const auto wide = nvdlac_in(dir.path, compile + "-c nv_full --precision int16");
  CHECK(wide.code == 0);
  CHECK_FALSE(wide.complains("of 16 bits"));
}

TEST_CASE("scale tables of other tools name tensors of the file") {
  const scratch dir;
  dir.write("net.onnx.txt", between_integers(0));
  dir.write("aimet.json", R"({"activation_encodings": {
      "x": [{"bitwidth": 8, "min": -3.81, "max": 3.81}],
      "y": [{"bitwidth": 8, "min": -12.7, "max": 12.7}]}, "param_encodings": {}})");
  dir.write("trt.cache", "TRT-8601-EntropyCalibration2\nx: 3cf5c28f\ny: 3dcccccd\n");
  for (const char* table : {"aimet.json", "trt.cache"}) {
    CAPTURE(table);
    const auto r = nvdlac_in(dir.path, "compile net.onnx.txt -c nv_small -o a.nvdla --scales-out "
                                       "s.json --scales " + std::string(table));
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    CHECK_FALSE(r.complains("is in the scale table but not in the network"));
    const auto scales = nvdlac::quant::read_scales(content(dir.path / "s.json"));
    CHECK(scales.find("x").value() == doctest::Approx(0.03));
    CHECK(scales.find("/c/Conv").value() == doctest::Approx(0.1));
  }
}

#ifdef NVDLAC_KERAS
TEST_CASE("a network of QKeras is calibrated where it has no quantisers, and keeps its grids") {
  const auto path = shared_path("nets/keras/qkeras_v3_3layer.keras");
  if (!path) return;
  const scratch dir;
  for (int k = 0; k < 4; ++k) {
    nvdlac::data::array x{{1, 16}, {}};
    for (int i = 0; i < 16; ++i)
      x.values.push_back(static_cast<float>(2 * std::sin(1.7 * i + k)));
    nvdlac::data::write_npy(dir.path / (std::to_string(k) + ".npy"), x);
  }
  const auto call = [&](const std::string& command, const std::string& options) {
    return nvdlac_in(dir.path, command + " '" + path->string() + "' -c nv_small " + options);
  };
  const auto alone = call("compile", "-o a.nvdla");
  CHECK(alone.code == 1);
  for (const char* layer : {"fc1_input", "output"})
    CHECK(alone.complains("layer '" + std::string(layer) + "': no scale of its values is known"));
  CHECK(alone.complains("--keep-scales"));

  const std::string calibrated = "--calibration 0.npy --calibration 1.npy ";
  CHECK(call("compile", calibrated + "-o a.nvdla --scales-out s.json").code == 0);
  const auto all = nlohmann::json::parse(content(dir.path / "s.json"));
  nlohmann::json grids{{"nvdlac_scales", 1}, {"scales", nlohmann::json::object()}};
  for (const char* grid : {"relu1", "relu2", "relu3"})  // quantized_relu(6,0)
    grids["scales"][grid] = 1.0 / 64;
  dir.write("grids.json", grids.dump());
  for (const char* keeping : {"--keep-scales ", "--scales grids.json "}) {
    CHECK(call("compile", calibrated + keeping + "-o k.nvdla --scales-out k.json").code == 0);
    const auto kept = nlohmann::json::parse(content(dir.path / "k.json"));
    for (const char* grid : {"relu1", "relu2", "relu3"}) CHECK(kept["scales"][grid] == 1.0 / 64);
    for (const char* layer : {"fc1_input", "output"})
      CHECK(kept["ranges"][layer] == all["ranges"][layer]);
    CHECK(kept["means"] == all["means"]);
  }
  for (const auto& scales : {calibrated, calibrated + "--keep-scales "}) {
    const auto r = call("verify", scales + "--input 2.npy --input 3.npy --min-snr 25");
    CAPTURE(r.out);
    CHECK(r.code == 0);
    CHECK(r.says("equal bit for bit"));
  }
}
#endif
