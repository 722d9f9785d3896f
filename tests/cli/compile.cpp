// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <nvdlac/base/count.hpp>
#include <nvdlac/quant/scale_table_json.hpp>

#include "cli.hpp"

namespace {

// A failing compilation leaves nothing behind.
void check_refused(const std::string& arguments, int code, std::string_view reason) {
  CAPTURE(arguments);
  const scratch dir;
  const auto r = nvdlac_in(dir.path, "compile " + arguments +
                                         " -o o.nvdla --trace t.nvtrace --report r.json "
                                         "--scales-out s.json --public-scales-out p.json");
  CHECK(r.code == code);
  CAPTURE(r.err);
  CHECK(r.complains(reason));
  CHECK(dir.files() == 0);
}

std::string shell(const std::filesystem::path& path) { return " '" + path.string() + "' "; }

}  // namespace

TEST_CASE("loadable, trace and report are the same from run to run") {
  const std::string command = "compile" + model +
                              "-o d.nvdla --trace d.nvtrace --report d.json --scales-out s.json "
                              "--public-scales-out p.json";
  const scratch a, b;
  const auto first = nvdlac_in(a.path, command), second = nvdlac_in(b.path, command);
  CHECK(first.code == 0);
  CHECK(first.err == "");  // progress is for terminals
  CHECK(first.says("digits for nv_small: 17 hardware layers"));
  CHECK(first.out == second.out);
  CHECK(a.files() == b.files());
  CHECK(a.files() >= 8);
  for (const auto& entry : std::filesystem::directory_iterator(a.path)) {
    CAPTURE(entry.path());
    CHECK(content(entry.path()) == content(b.path / entry.path().filename()));
    CHECK(content(entry.path()).find(digits) == std::string::npos);
  }
  for (const char* part : {"\"configuration\": \"nv_small\"", "\"preprocessing\"",
                           "\"order\": \"rgb\"", "\"method\": \"least-squares\"",
                           "\"features_lower_bound\"", "\"limited_by\": \"output\"",
                           "\"runs_per_second\""})
    CHECK(content(a.path / "d.json").find(part) != std::string::npos);
}

TEST_CASE("cycles are predicted for the memory, the host and the clock that the user names") {
  const scratch dir;
  const auto usual = nvdlac_in(dir.path, "compile" + model + "-o d.nvdla --report d.json");
  CHECK(usual.says(" cycles predicted: "));
  CHECK(usual.says(" runs a second at 1000 MHz"));
  const auto predicted = [&](const std::string& options) {
    const auto r = nvdlac_in(dir.path, "inspect d.nvdla --json " + options);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return nlohmann::json::parse(r.out)["prediction"];
  };
  const auto first = predicted("");
  CHECK(first == nlohmann::json::parse(content(dir.path / "d.json"))["prediction"]);
  CHECK(first["extrapolated"] == false);
  const auto traced =
      nvdlac_in(dir.path, "compile" + model + "-o t.nvdla --trace t.nvtrace --report t.json");
  const auto both = nlohmann::json::parse(content(dir.path / "t.json"));
  CHECK(both["prediction"] == first);
  CHECK(both["prediction_of_trace"]["cycles"] < first["cycles"]);
  const auto of_trace = both["prediction_of_trace"]["cycles"].get<std::uint64_t>();
  const auto least = both["lower_bound"]["cycles"].get<std::uint64_t>();
  CHECK(least > 0);
  CHECK(least < of_trace);
  CHECK(traced.says("no program of this network can take less than " +
                    nvdlac::grouped(least, "cycle")));
  CHECK(traced.says("that is the loadable; the trace, which can bring weights ahead of their "
                    "layers, takes " + nvdlac::grouped(of_trace) + " cycles"));
  CHECK(predicted("--memory latency=200,width=2")["cycles"] > first["cycles"]);
  CHECK(first["host"] == nlohmann::json{{"access", 2.25}, {"read", 19}, {"interrupt", 21}});
  CHECK(predicted("--programming access=50.5,interrupt=500")["cycles"] > first["cycles"]);
  CHECK(predicted("--programming access=0,read=0,interrupt=0")["cycles"] < first["cycles"]);
  CHECK(predicted("--clock 500")["runs_per_second"] ==
        first["runs_per_second"].get<double>() / 2);
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla --clock 500").says(" at 500 MHz"));
  for (const auto& [options, complaint] :
       {std::pair("--memory width=9", "beyond the 8 bytes a cycle"),
        {"--memory latency=0", "is not from 1 to"}, {"--memory speed=3", "names none of width (8)"},
        {"--programming access", "is not access=NUMBER"},
        {"--programming read=-1", "is not from 0 to"}, {"--clock 0", "is no number from"}}) {
    CAPTURE(options);
    const auto r = nvdlac_in(dir.path, std::string("inspect d.nvdla ") + options);
    CHECK(r.code == 2);
    CHECK(r.complains(complaint));
  }
  const auto other = nvdlac_in(dir.path, "compile" + model + "-c nv_medium_512 -o f.nvdla");
  CHECK_FALSE(other.says("(extrapolated)"));
}

TEST_CASE("a program uses the secondary memory that it is given") {
  const scratch dir;
  const auto compiled = [&](const std::string& options) {
    auto words = "compile" + model + options;  // with one configuration instead of its own
    const std::string own = "--config nv_small";
    return nvdlac_in(dir.path, words.erase(words.find(own), own.size()));
  };
  const auto made = compiled(
      "-c nv_large --cvsram 65536,latency=64 -o a.nvdla --report a.json --trace a.nvtrace");
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  CHECK(made.says(" of 65,536 bytes, loadable"));
  CHECK(made.says("(extrapolated)"));
  const auto report = nlohmann::json::parse(content(dir.path / "a.json"));
  CHECK(report["memory"]["cvsram"]["limit"] == 65536);
  CHECK(report["memory"]["cvsram"]["bytes"] > 0);
  CHECK(report["memory"]["cvsram"]["weights"] == 0);
  CHECK(report["prediction"]["memory"]["cvsram"]["latency"] == 64);
  CHECK(nvdlac_in(dir.path, "replay a.nvtrace -c nv_large").code == 0);
  CHECK(nvdlac_in(dir.path, "inspect a.nvdla").says("SRAM"));
  for (const auto& [options, complaint] :
       {std::pair("-c nv_small --cvsram 65536", "nv_small has no secondary memory"),
        {"-c nv_large --cvsram width=64", "beyond the 32 bytes a cycle"},
        {"-c nv_large --cvsram 0", "is not from 1 to"},
        {"-c nv_large --cvsram speed=1", "names none of bytes (1048576)"}}) {
    CAPTURE(options);
    const auto r = compiled(std::string(options) + " -o b.nvdla");
    CHECK(r.code == 2);
    CHECK(r.complains(complaint));
  }
}

TEST_CASE("a batch has inputs and outputs for each of its pictures") {
  const scratch dir;
  const auto made = nvdlac_in(dir.path, "compile" + model + "--batch 2 -o two.nvdla");
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  CHECK(made.says("digits for nv_small: 30 hardware layers"));  // fc1 and fc2 for both
  const auto inspected = nvdlac_in(dir.path, "inspect two.nvdla");
  for (const char* name : {"data@1", "data@2", "prob@1", "prob@2"}) CHECK(inspected.says(name));
  CHECK(nvdlac_in(dir.path, "compile" + model + "--batch 0").code == 2);
}

TEST_CASE("a model for a batch is compiled for one picture unless more are asked for") {
  const scratch dir;
  dir.write("four.prototxt",
            "input: 'data' input_shape { dim: 4 dim: 3 dim: 5 dim: 5 } layer { name: 'conv' type: "
            "'Convolution' bottom: 'data' top: 'conv' convolution_param { num_output: 2 "
            "kernel_size: 3 } }");
  const std::string command =
      "compile four.prototxt --random-weights 1 --config nv_full --precision fp16 -o o.nvdla ";
  const auto one = nvdlac_in(dir.path, command), four = nvdlac_in(dir.path, command + "--batch 4");
  CHECK(one.complains("the model is for batches of 4; the program computes one picture"));
  CHECK(one.says("four for nv_full: 2 hardware layers"));
  CHECK(four.says("four for nv_full: 8 hardware layers"));
  CHECK(four.err.empty());
}

TEST_CASE("scales that were written give the same loadable") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o a.nvdla --scales-out s.json "
                                                  "--public-scales-out p.json --no-provenance")
              .code == 0);
  const std::string onnx =
      shell(digits + "/digits.onnx") + "--no-provenance --config nv_small --scales ";
  CHECK(nvdlac_in(dir.path, "compile" + onnx + "s.json -o b.nvdla").code == 0);
  CHECK(content(dir.path / "a.nvdla") == content(dir.path / "b.nvdla"));
  // The public form has the same scales, but no means for the biases.
  CHECK(nvdlac_in(dir.path, "compile" + onnx + "p.json -o c.nvdla --scales-out t.json").code == 0);
  CHECK(nvdlac_in(dir.path, "compile" + onnx + "t.json -o d.nvdla").code == 0);
  CHECK(content(dir.path / "c.nvdla") == content(dir.path / "d.nvdla"));
  const auto own = nvdlac::quant::read_scales(content(dir.path / "s.json"), "s.json");
  const auto known = nvdlac::quant::read_scales(content(dir.path / "t.json"), "t.json");
  REQUIRE(known.entries.size() == own.entries.size());
  for (const auto& e : known.entries) {
    CHECK(e.range.step() == own.find(e.layer));
    CHECK(e.means.empty());
  }
}

TEST_CASE("Caffe and ONNX give the same program, also without naming an output") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "--no-provenance").code == 0);
  const auto onnx = content(dir.path / "digits.nvdla");
  CHECK(onnx.size() > 10000);
  REQUIRE(nvdlac_in(dir.path, "compile" + shell(digits + "/digits.prototxt") +
                                  shell(digits + "/digits.caffemodel") +
                                  "-c nv_small --no-provenance --calibration" +
                                  shell(digits + "/calibration.idx"))
              .code == 0);
  CHECK(content(dir.path / "digits.nvdla") == onnx);
}

TEST_CASE("several configurations write files of their own") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, "compile" + model +
                                         "--config nv_full -o d.nvdla --report d.json");
  CHECK(r.code == 0);
  CHECK(dir.files() == 4);
  for (const char* name : {"d.nv_small.nvdla", "d.nv_full.nvdla", "d.nv_small.json",
                           "d.nv_full.json"})
    CHECK(std::filesystem::exists(dir.path / name));
}

TEST_CASE("options change the program") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o plain.nvdla").code == 0);
  const auto plain = content(dir.path / "plain.nvdla");
  for (const char* option : {"--observer min-max", "--input-format int8", "--without fuse_relu",
                             "--scale 0.5"}) {
    CAPTURE(option);
    CHECK(nvdlac_in(dir.path, "compile" + model + "-o other.nvdla " + option).code == 0);
    CHECK(content(dir.path / "other.nvdla") != plain);
  }
}

TEST_CASE("fp16 reads no int8, and says what to do") {
  const auto r = nvdlac_in(".", "compile" + model +
                                    "--config nv_full --precision fp16 --input-format int8 -o x");
  CHECK(r.code == 2);
  CHECK(r.complains("--input-format int8 does not go with --precision fp16"));
  CHECK(r.complains("leave it out, or compute what reads the input in int8"));
}

TEST_CASE("the passes can be listed, left out and looked at") {
  const auto list = nvdlac_in(".", "compile --list-passes");
  CHECK(list.code == 0);
  CHECK(list.says("fuse_relu"));
  const scratch dir;
  const std::string onnx = "compile" + shell(digits + "/digits.onnx");
  const auto dump = nvdlac_in(dir.path, onnx + "--dump-after fuse_relu");
  CHECK(dump.code == 0);
  CHECK(dump.says("stride=1x1 weights[200] bias[8] relu (data) : 8x24x24"));
  const auto without = nvdlac_in(dir.path, onnx + "--dump-after remove_dead --without fuse_relu");
  CHECK(without.says("= relu ("));
  const auto dot = nvdlac_in(dir.path, onnx + "--dump-after fuse_relu --dump-format dot");
  CHECK(dot.out.starts_with("digraph \"fuse_relu\" {"));
  CHECK(dir.files() == 0);
  const auto refused = [&](const std::string& command, std::string_view why) {
    const auto r = nvdlac_in(dir.path, command);
    CHECK(r.code == 2);
    CHECK(r.complains(why));
  };
  refused(onnx + "--dump-format dot -o d.nvdla", "--dump-format is of no use without --dump-after");
  refused(onnx + "--list-passes --trace t.nvtrace", "--list-passes compiles nothing");
}

TEST_CASE("each pass of the list is known to --dump-after") {
  const auto list = nvdlac_in(".", "compile --list-passes");
  std::istringstream lines(list.out);
  std::size_t dumped = 0, told = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto name = line.substr(0, line.find(' '));
    if (name.empty() || name == "pass" || !std::islower(static_cast<unsigned char>(name[0])))
      continue;
    CAPTURE(name);
    const auto dump = nvdlac_in(".", "compile" + shell(digits + "/digits.onnx") +
                                         "-c nv_full --dump-after " + name);
    const bool has_graph = dump.code == 0 && dump.says("# after " + name);
    CHECK((has_graph || (dump.code == 2 && dump.complains("--dump-after " + name + ": "))));
    (has_graph ? dumped : told) += 1;
  }
  CHECK(dumped > 20);
  CHECK(told == 12);
}

TEST_CASE("what is refused leaves no file and says what to do") {
  check_refused(shell(digits + "/digits.onnx") + "-c nv_small", 2, "Give --calibration DIR|FILE");
  check_refused(shell(digits + "/digits.onnx") + "--calibration x", 2, "--config");
  check_refused(model + "--scales s.json --keep-scales", 2, "exclude each other");
  check_refused(model + "--keep-scales", 2, "the model has no scales of its own");
  check_refused(shell(digits + "/digits.onnx") + "-c nv_small --scales s.json", 1, "s.json");
  check_refused(model + "--without nothing", 2, "there is no pass 'nothing'");
  check_refused(model + "--dump-after nothing", 2, "there is no pass 'nothing'");
  check_refused(model + "--observer nothing", 2, "least-squares");
  check_refused(model + "--config nothing", 2, "there is no configuration 'nothing'");
  check_refused("absent.onnx -c nv_small --calibration x", 1, "absent.onnx: there is no such file");
  check_refused(shell(digits + "/calibration.idx") + "-c nv_small --calibration x", 1,
                "an IDX file");
  check_refused(shell(digits + "/digits.prototxt") + "-c nv_small --calibration x", 1,
                "give its caffemodel, or random weights");
  check_refused(shell(digits + "/digits.onnx") + "-c nv_small --calibration absent", 1,
                "absent: there is no such file");
  check_refused(model + "--mean 1,2", 1, "input mean has 2 numbers");
  check_refused(shell(digits + "/digits.onnx") + "-c nv_small --scales absent.json", 1,
                "absent.json: there is no such file");
}

TEST_CASE("every problem is printed at once, with file and layer") {
  const scratch dir;
  dir.write("lrn.prototxt",
            "name: 'n' input: 'data' input_shape { dim: 1 dim: 8 dim: 8 dim: 8 }\n"
            "layer { name: 'a' type: 'LRN' bottom: 'data' top: 'a' lrn_param { local_size: 11 } }\n"
            "layer { name: 'b' type: 'LRN' bottom: 'a' top: 'b' lrn_param { local_size: 13 } }\n"
            "layer { name: 'p' type: 'Pooling' bottom: 'b' top: 'p'\n"
            "        pooling_param { kernel_size: 2 stride: 1 } }\n");
  std::filesystem::copy_file(digits + "/digits.caffemodel", dir.path / "w.caffemodel");
  const auto r = nvdlac_in(dir.path, "compile lrn.prototxt w.caffemodel -c nv_small -c nv_large "
                                     "--calibration absent");
  CHECK(r.code == 1);
  CAPTURE(r.err);
  for (const char* part : {"lrn.prototxt: layer 'a': lrn does not run on nv_small: ",
                           "lrn.prototxt: layer 'b': lrn does not run on nv_small: ",
                           "lrn.prototxt: layer 'a': lrn does not run on nv_large: "})
    CHECK(r.complains(part));
  CHECK(!std::filesystem::exists(dir.path / "lrn.nvdla"));
}

TEST_CASE("a Darknet network with its weights, or with noise") {
  const scratch dir;
  dir.write("net.cfg", "[net]\nwidth=6\nheight=6\nchannels=3\n[convolutional]\nfilters=8\nsize=3\n"
                       "batch_normalize=1\nactivation=leaky\n[yolo]\nnum=1\nclasses=3\n");
  const std::string with = " -c nv_small --calibration one.ppm -o o.nvdla --report r.json ";
  std::string picture = "P6 6 6 255\n";
  for (int i = 0; i < 108; ++i) picture += static_cast<char>(7 * i);
  dir.write("one.ppm", picture);
  const auto noise = nvdlac_in(dir.path, "compile net.cfg --random-weights 1" + with);
  CAPTURE(noise.err);
  REQUIRE(noise.code == 0);
  CHECK(noise.complains("net.cfg:10: layer 'yolo_1': what enters this head, 'convolutional_0', is "
                        "an output"));
  CHECK(noise.complains("pixels become values by the rule of the model's format, as with --mean 0 "
                        "--scale 0.00392156863"));
  CHECK(noise.says("net for nv_small: "));
  // A header of 20 bytes, and numbers: those of 4 lists for the 8 kernels, and of the weights.
  const std::string header("\0\0\0\0\2\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0", 20);
  dir.write("w", header + std::string(4 * (4 * 8 + 8 * 27), '\x3c'));
  CHECK(nvdlac_in(dir.path, "compile net.cfg w --epsilon 1e-6" + with).code == 0);
  const auto swapped = nvdlac_in(dir.path, "compile w net.cfg" + with);
  CHECK(swapped.code == 1);
  CHECK(swapped.complains("give the cfg first, then the weights"));
  const auto alone = nvdlac_in(dir.path, "compile net.cfg" + with);
  CHECK(alone.complains("this is a Darknet cfg, which holds no weights"));
  dir.write("w", header + "1234");
  CHECK(nvdlac_in(dir.path, "compile net.cfg w" + with)
            .complains("w: layer 'convolutional_0': the weights end at its bias: 247 of the 248"));
}
