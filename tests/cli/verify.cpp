// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

// The digit that a file of the example shows is the first letter of its name.
std::string labels() {
  std::string lines;
  for (char digit = '0'; digit <= '9'; ++digit) lines += {digit, '\n', digit, '\n'};
  return lines;
}

}  // namespace

TEST_CASE("the demo model computes in int8 what it computes in float") {
  const scratch dir;
  dir.write("labels.txt", labels());
  const auto r = nvdlac_in(dir.path, "verify" + model + "--config nv_full --labels labels.txt " +
                                         "--input" + pictures);
  CHECK(r.code == 0);
  CAPTURE(r.out);
  for (const char* part : {"0_a.pgm  0 (", "digits on nv_small, 20 inputs", "digits on nv_full, 20",
                           "same class as float: 20 (100.00 %)", "right: float 20 (100.00 %)",
                           "equal bit for bit", " cycles predicted: ", "most is lost in layer '",
                           "first class tied with another: float 0, nv_small 0 (0.00 %)"})
    CHECK(r.says(part));
  CHECK(r.err == "");
  CHECK(dir.files() == 1);
}

TEST_CASE("a row for each input is printed for few inputs, or if wanted") {
  const std::string many = "verify" + model + "--input '" + digits + "/calibration.idx' ";
  CHECK(!nvdlac_in(".", many).says("calibration.idx[0]"));
  CHECK(nvdlac_in(".", many + "--each").says("calibration.idx[99]"));
  const auto first = nvdlac_in(".", many + "--first 3");
  CHECK(first.says("calibration.idx[2]"));
  CHECK(first.says("3 inputs"));
}

TEST_CASE("int8 inputs are verified as well as pixels") {
  const auto r = nvdlac_in(".", "verify" + model + "--input-format int8 --input" + pictures);
  CHECK(r.code == 0);
  CHECK(r.says("same class as float: 20 (100"));
}

TEST_CASE("networks in int16 and fp16 are nearer to float than those in int8") {
  const std::string common = "verify '" + digits + "/digits.onnx' -c nv_full --input" + pictures;
  const std::string calibration = "--calibration '" + digits + "/calibration.idx' ";
  for (const std::string& more : {"--precision int16 " + calibration,
                                  std::string("--precision fp16 ")}) {
    const auto r = nvdlac_in(".", common + more);
    CAPTURE(r.out + r.err);
    CHECK(r.code == 0);
    CHECK(r.says("same class as float: 20 (100"));
    CHECK(r.says("equal bit for bit"));
    CHECK(r.says("error at most 0.00"));
  }
}

TEST_CASE("layers have precisions of their own") {
  const std::string common = "verify '" + digits + "/digits.onnx' -c nv_full --input" + pictures +
                             "--calibration '" + digits + "/calibration.idx' ";
  for (const char* p : {"fp16,conv1=int8", "int8,conv1=int16,fc2=fp16", "int16,fc1=int8"}) {
    const auto r = nvdlac_in(".", common + "--precision " + p);
    CAPTURE(r.out + r.err);
    CHECK(r.code == 0);
    CHECK(r.says("same class as float: 20 (100"));
    CHECK(r.says("equal bit for bit"));
  }
  const auto refused = [&](const std::string& p, int code, const char* reason) {
    const auto r = nvdlac_in(".", common + "--precision " + p);
    CAPTURE(r.err);
    CHECK(r.code == code);
    CHECK(r.complains(reason));
  };
  refused("fp16,int8", 2, "'int8' names no layer");
  refused("fp16,conv1=int4", 2, "'int4' is none of int8, int16 and fp16");
  refused("fp16,conv1=int8,conv1=int16", 2, "'conv1' is named twice");
  refused("fp16,conv9=int8", 1, "layer 'conv9': is to be computed in int8, but is not in the "
                                "network, or was merged into another layer (perhaps 'conv");
  refused("fp16,zzzzzzzzz=int8", 1, "merged into another layer (there are ");
}

TEST_CASE("a precision is refused where it does not run or leaves an option without meaning") {
  const std::string common = "verify '" + digits + "/digits.onnx' --input" + pictures;
  const auto small = nvdlac_in(".", common + "-c nv_small --precision fp16");
  CHECK(small.code == 1);
  CHECK(small.complains("nv_small: the configuration does not have the data type fp16: nv_full "
                        "has it"));
  CHECK(nvdlac_in(".", common + "-c nv_full --precision int16").complains("no scales: int16"));
  for (const char* option : {"--scales s.json", "--observer min-max", "--input-format pixels"}) {
    const auto r = nvdlac_in(".", common + "-c nv_full --precision fp16 " + option);
    CHECK(r.code == 2);
    CHECK(r.complains("--precision"));
  }
  CHECK(nvdlac_in(".", common + "-c nv_full --precision int4").code == 2);
}

TEST_CASE("verify refuses what it cannot compare") {
  const scratch dir;
  dir.write("few.txt", "1\n2\n");
  dir.write("words.txt", "one\n");
  const auto with = [&](const std::string& file) {
    return nvdlac_in(dir.path, "verify" + model + "--labels " + file + " --input" + pictures);
  };
  CHECK(with("few.txt").code == 1);
  CHECK(with("few.txt").complains("few.txt: holds 2 labels for 20 inputs"));
  CHECK(with("words.txt").complains("words.txt:1: is no label"));
  CHECK(with("absent.txt").code == 1);
  CHECK(nvdlac_in(".", "verify" + model).code == 2);
  CHECK(nvdlac_in(".", "verify '" + digits + "/digits.onnx' --input" + pictures).code == 2);
}

TEST_CASE("the summary as JSON") {
  const auto r = nvdlac_in(".", "verify" + model + "--json --first 2 --input" + pictures);
  CHECK(r.code == 0);
  const auto all = nlohmann::json::parse(r.out);
  CHECK(all.at("inputs") == 2);
  const auto& config = all.at("configs").at(0);
  CHECK(config.at("name") == "nv_small");
  CHECK(config.at("same_class") == 2);
  CHECK(config.at("outputs").at(0).at("cosine") > 0.99);
  CHECK(config.at("outputs").at(0).at("cosine_before_softmax") > 0.99);
  CHECK(!config.contains("right"));
  const auto& rows = config.at("each");
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].at("name") == "0_a.pgm");
  CHECK(rows[0].at("bit_exact") == true);
  CHECK(rows[0].at("class") == 0);
  CHECK(rows[0].at("outputs")[0].at("largest_error") < 0.1);
}

// A topology without weights: the same seed gives the same network, another seed another one.
TEST_CASE("random weights take the place of a caffemodel and of the weights in a file") {
  const auto error_of = [](const std::string& network, const std::string& seed) {
    const auto r = nvdlac_in(".", "verify" + network + "--random-weights " + seed +
                                      " -c nv_small --json --calibration" + pictures +
                                      "--input" + pictures);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return nlohmann::json::parse(r.out).at("configs")[0].at("outputs")[0].at("largest_error");
  };
  for (const auto& network : {" '" + digits + "/digits.prototxt' ", model}) {
    CHECK(error_of(network, "1") == error_of(network, "1"));
    CHECK(error_of(network, "1") != error_of(network, "2"));
  }
}

TEST_CASE("all layers are listed, the worst first, in lines that fit a terminal") {
  const std::string verify = "verify" + model + "--input" + pictures;
  const auto r = nvdlac_in(".", verify + "--layers");
  CHECK(r.code == 0);
  const auto begin = r.out.find("\nlayer ");
  REQUIRE(begin != r.out.npos);
  std::istringstream table(r.out.substr(begin + 1));
  std::string line;
  std::getline(table, line);
  CHECK(line.find("own SNR dB") != line.npos);
  const auto json = nlohmann::json::parse(nvdlac_in(".", verify + "--json").out);
  std::set<std::string> fixed;  // about which nothing can be done
  for (const auto& l : json.at("layers"))
    if (l.at("fixed_scale").get<bool>()) fixed.insert(l.at("name"));
  CHECK(fixed == std::set<std::string>{"prob"});
  std::size_t rows = 0;
  std::string first;
  std::set<std::string> others;
  double last = -1000;
  while (std::getline(table, line)) {
    std::istringstream words(line);
    std::string name;
    double own = 0;
    if (!(words >> name >> own)) continue;  // inf
    if (rows++ == 0) first = name;
    if (!fixed.contains(name)) others.insert(name);
    CHECK(own >= last);
    CHECK(line.size() <= 80);
    last = own;
  }
  CHECK(rows > 3);
  CHECK(others.contains(json.at("worst_calibrated_layer").at("name").get<std::string>()));
  CHECK(!json.at("worst_layer").at("is_input").get<bool>());  // which is of pixels
  CHECK(r.out.find(" dB of it at an output, ") != r.out.npos);

  const auto csv = nvdlac_in(".", verify + "--csv");
  CHECK(csv.code == 0);
  CHECK(csv.out.starts_with("layer,snr_of_its_own,snr,cosine,lost_by_its_scale\n" + first + ','));
  CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') ==
        static_cast<std::ptrdiff_t>(json.at("layers").size()) + 1);
  CHECK(nvdlac_in(".", verify + "--csv --json").code == 2);
}

TEST_CASE("what does not hold is said, by how much, and the exit code is 4") {
  const scratch dir;
  dir.write("labels.txt", labels());
  auto wrong = labels();
  wrong[0] = '5';
  dir.write("wrong.txt", wrong);
  const std::string verify = "verify" + model + "--input" + pictures;
  const auto good = nvdlac_in(dir.path, verify + "--labels labels.txt --min-top1 100 --max-drop 0 "
                                                 "--min-snr 10");
  CHECK(good.code == 0);
  CHECK(good.err == "");
  CHECK(nvdlac_in(dir.path, verify + "--min-top1 100").code == 0);
  const auto bad = nvdlac_in(dir.path, verify + "--labels wrong.txt --min-top1 98 --max-drop 0 "
                                                "--min-snr 100 --html v.html --junit v.xml");
  CHECK(bad.code == 4);
  CHECK(bad.says("right: float 19 (95.00 %), nv_small 19 (95.00 %)"));
  CHECK(bad.complains("error: digits on nv_small: top-1 is 95 %, by 3 % less than --min-top1 98"));
  CHECK(bad.complains("SNR of 'prob' is "));
  CHECK(bad.complains(" dB less than --min-snr 100"));
  CHECK(!bad.complains("--max-drop"));
  CHECK(content(dir.path / "v.html").size() > 1000);  // what it shows is wanted all the more
  const auto tests = content(dir.path / "v.xml");
  CAPTURE(tests);
  for (const char* line :
       {"<testsuite name=\"digits\" tests=\"4\" failures=\"2\"",
        "<testcase classname=\"digits.nv_small\" name=\"bit-exact\"/>",
        "name=\"--min-top1 98\">\n    <failure message=\"top-1 is 95 %\"/>",
        "name=\"--max-drop 0\"/>"})
    CHECK(tests.find(line) != tests.npos);
  CHECK(nvdlac_in(dir.path, verify + "--max-drop 1").complains("give --labels"));
  for (const char* usage : {"--max-drop 1", "--min-top1 101", "--min-snr x"})
    CHECK(nvdlac_in(dir.path, verify + usage).code == 2);
}

TEST_CASE("numbers that the float network does not have are told, and what must hold is missed") {
  const scratch dir;
  dir.write("roots.prototxt", R"(name: "roots"
layer { name: "data" type: "Input" top: "data"
        input_param { shape { dim: 1 dim: 1 dim: 2 dim: 2 } } }
layer { name: "twice" type: "Power" bottom: "data" top: "twice"
        power_param { power: 1 scale: 2 } }
layer { name: "root" type: "Power" bottom: "data" top: "root" power_param { power: 0.5 } }
layer { name: "both" type: "Concat" bottom: "twice" bottom: "root" top: "both" }
)");
  using nvdlac::data::array;
  dir.write("good.npy", nvdlac::data::to_npy(array{{1, 1, 2, 2}, {1, 2, 3, 4}}));
  dir.write("bad.npy", nvdlac::data::to_npy(array{{1, 1, 2, 2}, {1, -2, 3, -4}}));
  const std::string verify =
      "verify roots.prototxt --random-weights 1 -c nv_full --calibration good.npy --min-snr 20 ";
  CHECK(nvdlac_in(dir.path, verify + "--input good.npy").code == 0);
  const auto r = nvdlac_in(dir.path, verify + "--input good.npy bad.npy --junit v.xml --layers");
  CAPTURE(r.out);
  CAPTURE(r.err);
  CHECK(r.code == 4);
  CHECK(r.says("output 'both': no error is known: of the 8 values for bad.npy the float network "
               "itself computes 2 that are no finite numbers"));
  CHECK(r.says("layer 'root' is the first of which 2 values are no finite numbers"));
  const std::string root = "SNR of part 'root' of 'both' is not known (of the 4 values for bad.npy "
                           "the float network itself computes 2 that are no finite numbers)";
  CHECK(r.complains("error: roots on nv_full: " + root + ", and so misses --min-snr 20"));
  const auto quoted = "<failure message=\"" + root + "\"/>";
  CHECK(content(dir.path / "v.xml").find(quoted) != std::string::npos);
  const auto json = nlohmann::json::parse(
      nvdlac_in(dir.path, verify + "--input good.npy bad.npy --json").out);
  const auto& output = json.at("configs")[0].at("outputs")[0];
  CHECK(output.at("not_finite") == 2);
  CHECK(output.at("snr").is_null());
  CHECK(!output.at("parts")[0].contains("not_finite"));
  CHECK(output.at("parts")[1].at("not_finite") == 2);
  CHECK(json.at("layers")[1].at("not_finite") == 2);
  CHECK(json.at("thresholds")[0].at("met") == false);
}

TEST_CASE("labels of no class and thresholds that are no numbers are refused") {
  const scratch dir;
  auto wrong = labels();
  wrong.replace(0, 1, "10");
  dir.write("labels.txt", wrong);
  const auto r = nvdlac_in(dir.path, "verify" + model + "--labels labels.txt --input" + pictures);
  CHECK(r.code == 1);
  CAPTURE(r.err);
  CHECK(r.complains("labels.txt: the label of input 1 is 10, but the network has 10 classes"));
  for (const std::string wanted : {"--min-top1 nan", "--max-drop -1", "--min-snr inf"}) {
    const auto none = nvdlac_in(dir.path, "verify" + model + wanted + " --input" + pictures);
    CHECK(none.code == 2);
    CHECK(none.complains("is no number from "));
  }
}

TEST_CASE("pixels that the arrays of the calibration do not reach are told") {
  const scratch dir;
  std::vector<float> small(28 * 28, 0.5F);
  dir.write("small.npy", nvdlac::data::to_npy(nvdlac::data::array{{1, 1, 28, 28}, small}));
  const std::string with = " '" + digits +
                           "/digits.onnx' -c nv_small --calibration small.npy "
                           "--input-format pixels ";
  const auto made = nvdlac_in(dir.path, "compile" + with + "-o o.nvdla");
  CHECK(made.code == 0);
  CHECK(made.complains("pixels become values up to 255"));
  CHECK(made.complains("give the preprocessing that the arrays have had: --mean and --scale"));
  const auto run = nvdlac_in(dir.path, "run o.nvdla -i '" + digits + "/images/3_a.pgm'");
  CHECK(run.code == 0);
  CHECK(run.complains("beyond what the calibration saw"));
  // A calibration that reaches as far as pixels do leaves no doubt, for numbers of any width.
  dir.write("large.npy", nvdlac::data::to_npy(nvdlac::data::array{
                             {1, 1, 28, 28}, std::vector<float>(28 * 28, 255.0F)}));
  for (const std::string precision : {"int8", "int16"}) {
    const auto right = nvdlac_in(dir.path, "compile '" + digits +
                                               "/digits.onnx' -c nv_full --calibration large.npy "
                                               "--input-format pixels -o l.nvdla --precision " +
                                               precision);
    CHECK(right.code == 0);
    CHECK(!right.complains("pixels become values"));
  }
}
