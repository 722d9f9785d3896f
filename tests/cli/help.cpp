// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "cli.hpp"

namespace {

void check_help(const std::string& command, const std::string& options) {
  CAPTURE(command);
  const auto help = nvdlac_in(".", command + " --help");
  CHECK(help.code == 0);
  CHECK(help.err == "");
  CHECK(help.says("Example"));
  std::istringstream words(options);
  for (std::string option; words >> option;) {
    CAPTURE(option);
    CHECK(help.says(option));
  }
  std::istringstream lines(help.out);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 100);
}

}  // namespace

TEST_CASE("help teaches every subcommand and option, with examples") {
  check_help("", "configs config compile reproduce import run locate replay inspect diff verify "
                  "explore sweep Exit codes");
  check_help("configs", "--json");
  const std::string shared =
      "MODEL WEIGHTS --config --calibration --observer entropy least-squares --scales --effort "
      "--mean --std "
      "--scale --order --layout --resize --crop --preprocess imagenet-torch "
      "--input-format pixels int8 --precision int16 fp16 "
      "--without --limit ";
  check_help("compile", shared + "--output --trace --trace-format public uio --report "
                                 "--scales-out --public-scales-out --optimize --schedule "
                                 "--save-schedule --overlay --list-passes --dump-after "
                                 "--dump-format text dot");
  check_help("import", shared + "--cpp --namespace --constants");
  check_help("verify", shared + "--optimize --schedule --input --labels --first --each --layers "
                                 "--min-top1 --max-drop --min-snr --overlay --junit --json --csv "
                                 "--threads");
  check_help("sweep", "PLAN networks configurations precisions schedules simulate --output "
                      "--threads --limit mpirun");
  check_help("run", "LOADABLE --config nv_full --input --output --raw --save-tensors "
                    "--output-layout --mean --scale --order --resize --crop --layers --json "
                    "--threads --limit");
  check_help("locate", "DIR LOADABLE --config --input --threads --limit Exit codes");
  check_help("config", "SPEC --output --name nvdlac_add_cli");
  check_help("replay", "TRACE --config --lenient --dump-to --layers --threads --limit");
  check_help("inspect", "LOADABLE --config --dot --json --provenance");
  check_help("reproduce", "LOADABLE MODEL WEIGHTS --calibration --scales --schedule --output "
                          "--threads --limit Exit codes");
  check_help("diff", "A B --config --html --json --memory --clock Exit codes");
}

TEST_CASE("help begins with the options of the first hour") {
  const auto compile = nvdlac_in(".", "compile --help").out;
  const auto verify = nvdlac_in(".", "verify --help").out;
  const auto places = [](const std::string& help, const std::vector<std::string>& parts) {
    std::vector<std::size_t> all;
    for (const auto& part : parts) {
      CAPTURE(part);
      all.push_back(help.find(part));
      CHECK(all.back() != help.npos);
    }
    return all;
  };
  for (const auto& found :
       {places(compile, {"\nOptions:\n", "-c,--config", "  --calibration DIR", "-o,--output FILE",
                         "  --html FILE", "\nThe model: ", "  --from LAYER"}),
        places(verify, {"\nOptions:\n", "-c,--config", "  --calibration DIR", "-i,--input FILE",
                        "  --labels FILE", "  --html FILE", "\nThe model: ", "  --from LAYER"})})
    CHECK(std::ranges::is_sorted(found));
  CHECK(compile.find("\nHow it is computed:\n") < compile.find("  --batch N"));
}

TEST_CASE(
    "help is a word for --help, and a subcommand that there is not is told with the nearest") {
  CHECK(nvdlac_in(".", "help").out == nvdlac_in(".", "--help").out);
  CHECK(nvdlac_in(".", "help run").out == nvdlac_in(".", "run --help").out);
  CHECK(nvdlac_in(".", "help ran").complains("there is no subcommand 'ran': did you mean run?"));
  const auto unlike = nvdlac_in(".", "paint");
  CHECK(unlike.code == 2);
  CHECK(unlike.complains("there is no subcommand 'paint' (there are configs, config, compile, "));
}

TEST_CASE(
    "a configuration that there is not is told with the nearest, and one without its option") {
  const auto near = nvdlac_in(".", "compile '" + digits + "/digits.onnx' -c nv_smal");
  CHECK(near.code == 2);
  CHECK(near.complains("there is no configuration 'nv_smal': did you mean nv_small? (there are "));
  const auto bare = nvdlac_in(".", "compile '" + digits + "/digits.onnx' nv_small");
  CHECK(bare.code == 2);
  CHECK(bare.complains("nv_small is a configuration: give it as --config nv_small"));
}

TEST_CASE("an option that there is not is told with the nearest") {
  const auto r = nvdlac_in(".", "compile a.onnx -c nv_small --calibrate pictures --efort=2");
  CHECK(r.code == 2);
  CHECK(r.complains("there is no --calibrate: did you mean --calibration?"));
  CHECK(r.complains("there is no --efort: did you mean --effort?"));
  const auto lacking = nvdlac_in(".", "verify a.onnx --inptu pictures");
  CHECK(lacking.code == 2);
  CHECK(lacking.complains("--input is required"));
  CHECK(lacking.complains("there is no --inptu: did you mean --input?"));
  const auto unlike = nvdlac_in(".", "compile a.onnx --nonsense");
  CHECK(unlike.code == 2);
  CHECK(unlike.complains("there is no --nonsense"));
  CHECK(!unlike.complains("did you mean"));
  // The word behind it is taken for weights, which do not go with --random-weights.
  const auto with_value = nvdlac_in(".", "explore a.prototxt --random-weights 1 --nonsense b");
  CHECK(with_value.code == 2);
  CHECK(with_value.complains("there is no --nonsense"));
}

TEST_CASE("wrong usage is exit code 2 with a hint") {
  for (const char* wrong : {"", "nonsense", "compile", "compile --nonsense", "run",
                            "replay x --config", "verify x --order green --input y"}) {
    CAPTURE(wrong);
    const auto r = nvdlac_in(".", wrong);
    CHECK(r.code == 2);
    CHECK(r.out == "");
    CHECK(r.err != "");
  }
  CHECK(nvdlac_in(".", "nonsense").complains("no subcommand 'nonsense' (there are configs, "));
  const auto unknown = nvdlac_in(".", "replay x.nvtrace --config nv_tiny");
  CHECK(unknown.code == 2);
  CHECK(unknown.complains("no configuration 'nv_tiny' (there are nv_small, nv_small_256, "));
  CHECK(unknown.complains("nv_full"));
}

TEST_CASE("an output that cannot be written is an error") {
  CHECK(nvdlac_in(".", "configs >/dev/full #").code == 1);
}

TEST_CASE("configurations are listed from their types") {
  const auto table = nvdlac_in(".", "configs");
  CHECK(table.code == 0);
  for (const char* name : {"nv_small ", "nv_small_256 ", "nv_small_256_full ", "nv_medium_512 ",
                           "nv_medium_1024_full ", "nv_large ", "nv_full ", "512 KiB", "RUBIK",
                           "int8 int16 fp16", "all operators but activation", "all operators"})
    CHECK(table.says(name));
  const auto json = nvdlac_in(".", "configs --json");
  CHECK(json.code == 0);
  for (const char* part :
       {"\"name\": \"nv_large\"", "\"softmax\": true", "\"lrn\": true",
        "\"activation\": \"the configuration's SDP has no lookup", "\"in_one_layer\": 32"})
    CHECK(json.says(part));
}
