// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "cli.hpp"

namespace {

// The picture of a digit with each pixel twice in both directions, and black on both sides of it.
std::string enlarged(const std::string& name) {
  const auto pgm = content(digits + "/images/" + name);
  const auto pixels = pgm.substr(pgm.size() - 28 * 28);
  std::string to = "P5 76 56 255\n";
  for (int y = 0; y < 56; ++y)
    for (int x = 0; x < 76; ++x) {
      const int from = (x - 10) / 2;
      to += x < 10 || x >= 66 ? '\0' : pixels[static_cast<std::size_t>(y / 2 * 28 + from)];
    }
  return to;
}

}  // namespace

TEST_CASE("pictures of any size are resized, as the loadable remembers") {
  const scratch dir;
  dir.write("7.PGM", enlarged("7_a.pgm"));
  const auto refused = nvdlac_in(dir.path, "verify" + model + "--input 7.PGM");
  CHECK(refused.code == 1);
  CHECK(refused.complains("7.PGM: is 76x56 pixels, the network takes 28x28 (resize the picture, or "
                          "let nvdlac: --resize"));
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "--resize fill -o d.nvdla --report d.json")
              .code == 0);
  const auto report = nlohmann::json::parse(content(dir.path / "d.json"));
  CHECK(report.at("inputs")[0].at("preprocessing").at("resize") == "fill");
  CHECK(nvdlac_in(dir.path, "inspect d.nvdla").says("order rgb, resize fill"));
  const auto run = nvdlac_in(dir.path, "run d.nvdla -c nv_small --input 7.PGM");
  CAPTURE(run.err);
  CHECK(run.code == 0);
  CHECK(run.says("7.PGM:  7 ("));
  CHECK(run.out == nvdlac_in(dir.path, "run d.nvdla -c nv_small --threads 2 --input 7.PGM").out);
  // Another way for this run.
  CHECK(nvdlac_in(dir.path, "run d.nvdla -c nv_small --resize short:28 --input 7.PGM").out ==
        run.out);
  CHECK(nvdlac_in(dir.path, "run d.nvdla -c nv_small --resize stretch --input 7.PGM").out !=
        run.out);
  // Sizes that are not the network's are told while it compiles.
  for (const char* how : {"--crop 5", "--resize stretch:10", "--resize short:27"}) {
    CAPTURE(how);
    const auto r = nvdlac_in(dir.path, "compile" + model + "-o none.nvdla " + how);
    CHECK(r.code == 0);
    CHECK(r.complains(std::string("warning: ") + how + " makes pictures of "));
    CHECK(r.complains("and the network takes 28x28"));
  }
  CHECK(nvdlac_in(dir.path, "compile" + model + "-o none.nvdla --order bgr")
            .complains("--order bgr says nothing where no input has colours"));
  const auto crop = nvdlac_in(dir.path, "run d.nvdla -c nv_small --crop 57 --input 7.PGM");
  CHECK(crop.code == 1);
  for (const char* how : {"fill", "short:28", "fill:28 --crop 28"})
    CHECK(nvdlac_in(dir.path, "verify" + model + "--input 7.PGM --resize " + how)
              .says("same class as float: 1 (100"));
}

TEST_CASE("a recipe stands for the options that help shows, and an option holds instead") {
  const auto help = nvdlac_in(".", "compile --help");
  std::string lines;  // help wraps its lines
  for (std::size_t i = 0; i < help.out.size(); ++i)
    lines += help.out[i] == '\n' ? ' ' : help.out[i];
  for (auto at = lines.find("  "); at != lines.npos; at = lines.find("  ")) lines.erase(at, 1);
  const auto preprocessing = [&](const std::string& options) {
    const scratch dir;
    const auto r = nvdlac_in(dir.path, "compile" + model + options + " --report d.json");
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return nlohmann::json::parse(content(dir.path / "d.json"))
        .at("inputs")[0].at("preprocessing");
  };
  for (const std::string name : {"mobilenet", "darknet"}) {
    const auto begin = lines.find(name + ": --resize");
    REQUIRE(begin != lines.npos);
    const auto options = lines.substr(begin + name.size() + 2,
                                      lines.find_first_of(";", begin) - begin - name.size() - 2);
    CAPTURE(options);
    const auto as_words = options.substr(0, options.find("rgb") + 3);
    CHECK(preprocessing("--preprocess " + name) == preprocessing(as_words));
  }
  const auto other = preprocessing("--resize fit --mean 5 --preprocess mobilenet");
  CHECK(other.at("mean") == nlohmann::json{5.0});
  CHECK(other.at("resize") == "fit");
  CHECK(other.at("scale")[0].get<double>() == doctest::Approx(1 / 127.5).epsilon(1e-5));
  for (const char* wrong : {"--preprocess imagenet", "--resize short", "--resize short:0",
                            "--resize wide", "--resize fit:x", "--crop 0"}) {
    CAPTURE(wrong);
    const auto r = nvdlac_in(".", "compile" + model + wrong);
    CHECK(r.code == 2);
    CHECK(r.err != "");
  }
  CHECK(nvdlac_in(".", "compile" + model + "--preprocess imagenet")
            .complains("none of imagenet-torch, imagenet-caffe, mobilenet, darknet"));
}

TEST_CASE("a mean picture gives the mean of each channel") {
  const scratch dir;
  const auto mean = [&](const std::string& given) -> nlohmann::json {
    const auto r = nvdlac_in(dir.path, "compile" + model + "--mean " + given +
                                           " -o d.nvdla --report d.json");
    CAPTURE(r.err);
    if (r.code != 0) return r.err;
    return nlohmann::json::parse(content(dir.path / "d.json"))
        .at("inputs")[0].at("preprocessing").at("mean");
  };
  const auto npy = [](const std::string& shape, const std::vector<float>& values) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    return std::string("\x93NUMPY\x01\0v\0", 10) + header + "\n" +
           std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  };
  dir.write("m.npy", npy("(1, 2, 2)", {10, 20, 30, 40}));
  CHECK(mean("m.npy") == nlohmann::json{25.0});
  // BlobProto: channels 1, height 1, width 2; data 3 and 4.
  dir.write("mean.binaryproto",
            std::string("\x10\x01\x18\x01\x20\x02\x2a\x08\0\0\x40\x40\0\0\x80\x40", 16));
  CHECK(mean("mean.binaryproto") == nlohmann::json{3.5});
  dir.write("bad.npy", npy("(3,)", {1, 2, 3}));
  CHECK(mean("bad.npy") != nlohmann::json{25.0});
  CHECK(mean("absent.npy").get<std::string>().find("absent.npy") != std::string::npos);
  CHECK(nvdlac_in(dir.path, "compile" + model + "--mean 1,b").code == 2);
}

TEST_CASE("means and deviations are given as torchvision gives them, or by name") {
  const scratch dir;
  const auto how = [&](const std::string& given, const std::string& of = model) -> nlohmann::json {
    const auto r = nvdlac_in(dir.path, "compile" + of + given + " --report d.json -o d.nvdla");
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return nlohmann::json::parse(content(dir.path / "d.json"))
        .at("inputs")[0].at("preprocessing");
  };
  const auto is = [](const nlohmann::json& numbers, const std::vector<double>& expected) {
    REQUIRE(numbers.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(numbers[i].get<double>() == doctest::Approx(expected[i]).epsilon(1e-9));
  };
  const auto unit = how("--mean 0.5 --std 0.25");
  is(unit.at("mean"), {127.5});
  is(unit.at("scale"), {1 / 63.75});
  CHECK(how("--std 63.75 --mean 127.5") == unit);
  is(how("--std 1").at("scale"), {1 / 255.0});
  is(how("--std 128 --mean 0").at("scale"), {1 / 128.0});
  is(how("--preprocess mobilenet --std 0.25").at("mean"), {127.5});
  is(how("--mean 1").at("mean"), {1});
  // The notes tell numbers, from which the same is made.
  REQUIRE(how("--mean 0.5 --std 0.25") == unit);
  CHECK(nvdlac_in(dir.path, "reproduce d.nvdla '" + digits + "/digits.onnx' --calibration '" +
                                digits + "/calibration.idx'").code == 0);
  const auto options = nlohmann::json::parse(nvdlac_in(dir.path, "inspect d.nvdla --json").out)
                           .at("provenance").at("options");
  CHECK(options ==
        nlohmann::json{"--config=nv_small", "--mean=127.5", "--scale=0.01568627450980392"});

  dir.write("rgb.prototxt", "name: 'rgb' input: 'x' input_shape { dim: 1 dim: 3 dim: 8 dim: 8 }\n"
                            "layer { name: 'c' type: 'Convolution' bottom: 'x' top: 'c'\n"
                            "  convolution_param { num_output: 4 kernel_size: 3 } }\n");
  std::string ppm = "P6 8 8 255\n";
  for (int i = 0; i < 8 * 8 * 3; ++i) ppm += static_cast<char>(i * 41 % 256);
  dir.write("a.ppm", ppm);
  const std::string rgb = " rgb.prototxt --random-weights 1 -c nv_small --calibration a.ppm ";
  // torchvision.transforms.Normalize of pixels / 255.
  const std::vector<double> means{123.675, 116.28, 103.53},
      scales{1 / 58.395, 1 / 57.12, 1 / 57.375};
  const auto named = how("--mean imagenet --std imagenet", rgb);
  is(named.at("mean"), means);
  is(named.at("scale"), scales);
  CHECK(how("--mean 0.485,0.456,0.406 --std 0.229,0.224,0.225", rgb) == named);
  const auto blue_first = how("--std imagenet --mean imagenet --order bgr", rgb);
  is(blue_first.at("mean"), {means.rbegin(), means.rend()});
  is(blue_first.at("scale"), {scales.rbegin(), scales.rend()});
  is(how("--mean imagenet --scale 0.5", rgb).at("mean"), means);

  for (const auto& [given, reason] : {
           std::pair{"--mean 123 --std 0.2", "--mean 123 and --std 0.2 are not of the same pixels"},
           std::pair{"--mean 0.4 --std 58", "--mean 0.4 and --std 58 are not of the same pixels"},
           std::pair{"--mean 0.4 --scale 0.017", "--mean 0.4 is of pixels from 0 to 1: give --std"},
           std::pair{"--std 0.2,58,0.2", "--std 0.2,58,0.2 has numbers of pixels from 0 to 1"},
           std::pair{"--std 0", "--std: 0 is no deviation"},
           std::pair{"--std cifar", "--std: 'cifar' is neither a number nor imagenet"},
           std::pair{"--std 0.2 --scale 1", "excludes"}}) {
    CAPTURE(given);
    const auto r = nvdlac_in(dir.path, "compile" + rgb + given);
    CHECK(r.code == 2);
    CHECK(r.complains(reason));
  }
  CHECK(nvdlac_in(dir.path, "compile" + model + "--mean imagenet")
            .complains("input mean has 3 numbers"));
}

TEST_CASE("the header of a network says how pixels become values") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "import" + model + "--resize fit --cpp d.hpp").code == 0);
  CHECK(content(dir.path / "d.hpp")
            .find("// Pixels become values by mean 0, scale 1, order rgb, resize fit.") !=
        std::string::npos);
}

TEST_CASE("layers of a run have names") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla").code == 0);
  const auto inspected = nlohmann::json::parse(nvdlac_in(dir.path, "inspect d.nvdla --json").out);
  const auto r = nvdlac_in(dir.path, "run d.nvdla -c nv_small --json --layers --input '" + digits +
                                         "/images/7_a.pgm'");
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  const auto run = nlohmann::json::parse(r.out);
  CHECK(run.at("inputs")[0].at("outputs")[0].at("largest")[0].at("index") == 7);
  std::size_t convolutions = 0;
  for (const auto& l : run.at("layers")) {
    if (!l.at("units").get<std::string>().starts_with("CONV")) continue;
    // The convolutions run in the order of the program.
    while (inspected.at("layers")[convolutions].at("unit") != "CONV") ++convolutions;
    const auto& planned = inspected.at("layers")[convolutions++];
    const auto name = l.at("name").get<std::string>();
    CHECK(name.substr(0, name.find(',')) == planned.at("name").get<std::string>());
    CHECK(l.at("input").at("shape") == planned.at("input"));
    CHECK(l.at("macs") == planned.at("macs"));
  }
  CHECK(convolutions > 3);
  const auto table = nvdlac_in(dir.path, "run d.nvdla -c nv_small --layers --input '" + digits +
                                             "/images/7_a.pgm'");
  CHECK(table.says("conv1/x0"));
  CHECK(table.says("pool1"));
}
