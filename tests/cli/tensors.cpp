// SPDX-License-Identifier: Apache-2.0
// The tensors of a run in files, and where those of a device differ.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

const std::string a_seven = " -c nv_small --input '" + digits + "/images/7_a.pgm' ";

// The demo model and all tensors of one of its runs.
struct saved : scratch {
  nlohmann::json index{};

  saved() {
    REQUIRE(nvdlac_in(path, "compile" + model + "-o d.nvdla").code == 0);
    const auto r = nvdlac_in(path, "run d.nvdla --save-tensors all" + a_seven);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    CHECK(r.says(" tensors in all\n"));
    index = nlohmann::json::parse(content(path / "all/index.json"));
  }
  std::string bytes(const nlohmann::json& t) const {
    return content(path / "all" / std::string(t["file"]));
  }
  // Where an element of int8 is in its file.
  std::size_t place(const nlohmann::json& t, std::size_t c, std::size_t y, std::size_t x) const {
    const std::size_t atom = index["atom_bytes"];
    return c / atom * std::size_t{t["surface_stride"]} + y * std::size_t{t["line_stride"]} +
           x * atom + c % atom;
  }
  void change(const nlohmann::json& t, std::size_t at) const {
    auto b = bytes(t);
    b.at(at) = static_cast<char>(b[at] ^ 3);
    write("all/" + std::string(t["file"]), b);
  }
  outcome locate(const std::string& more = "") const {
    return nvdlac_in(path, "locate all d.nvdla" + a_seven + more);
  }
};

}  // namespace

TEST_CASE("every tensor of a run is in files, as it is in memory and as numbers") {
  const saved dir;
  CHECK(dir.index["configuration"] == "nv_small");
  std::size_t cubes = 0, from_zero = 0;
  for (const auto& t : dir.index["tensors"]) {
    CAPTURE(t.dump());
    const auto bytes = dir.bytes(t);
    CHECK(bytes.size() == std::size_t{t["bytes"]});
    for (const char c : std::string(t["file"])) {
      const bool safe = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                        c == '-' || c == '+' || c == '%';
      CHECK(safe);
    }
    if (t["type"] == "pixels") continue;
    ++cubes;
    REQUIRE(t["type"] == "int8");
    const auto numbers =
        nvdlac::data::read_npy(dir.path / "all" / std::string(t["numbers"])).content;
    const auto dims = t["shape"].get<std::vector<std::size_t>>();
    REQUIRE(numbers.dims == dims);
    std::size_t i = 0, wrong = 0;
    for (std::size_t c = 0; c < dims[0]; ++c)
      for (std::size_t y = 0; y < dims[1]; ++y)
        for (std::size_t x = 0; x < dims[2]; ++x, ++i)
          wrong += static_cast<float>(static_cast<signed char>(bytes.at(dir.place(t, c, y, x)))) !=
                   numbers.values[i];
    CHECK(wrong == 0);
    REQUIRE(t.contains("real"));
    const auto reals = nvdlac::data::read_npy(dir.path / "all" / std::string(t["real"])).content;
    REQUIRE(reals.dims == dims);
    // Behind a ReLU no real number is negative, however many integers are.
    const bool positive = std::string(t["layer"]).starts_with("pool") ||
                          std::string(t["layer"]).starts_with("fc1");
    if (positive) CHECK(*std::ranges::min_element(reals.values) == 0);
    from_zero += t["zero"] == -128;
    for (i = 0; i < reals.values.size(); ++i)
      CHECK(reals.values[i] ==
            doctest::Approx((numbers.values[i] - double{t["zero"]}) * double{t["scale"]}));
  }
  CHECK(cubes > 6);
  CHECK(from_zero >= 4);
  // The last is the output.
  REQUIRE(nvdlac_in(dir.path, "run d.nvdla --raw -o o.npy" + a_seven).code == 0);
  const auto output = nvdlac::data::read_npy(dir.path / "o.npy").content.values;
  const auto& last = dir.index["tensors"].back();
  CHECK(nvdlac::data::read_npy(dir.path / "all" / std::string(last["numbers"])).content.values ==
        output);
  const auto several = nvdlac_in(dir.path, "run d.nvdla -c nv_small --save-tensors more --input" +
                                               pictures);
  CHECK(several.code == 2);
  CHECK(several.complains("--save-tensors takes one run, but there are 20 inputs"));
}

TEST_CASE("locate names the first layer that differs") {
  const saved dir;
  const auto same = dir.locate();
  CAPTURE(same.err);
  CHECK(same.code == 0);
  CHECK(same.says("no difference: "));

  const auto& tensors = dir.index["tensors"];
  const auto early = tensors[1], late = tensors[tensors.size() - 2];
  const auto named = [](const nlohmann::json& t) {
    return "layer '" + std::string(t["layer"]) + "' differs in ";
  };
  dir.change(late, dir.place(late, 3, 0, 0));
  const auto later = dir.locate();
  CHECK(later.code == 1);
  CHECK(later.says(named(late) + "1 of "));
  CHECK(later.says("first at (c 3, y 0, x 0): "));
  CHECK(later.says("\nRegisters of '" + std::string(late["layer"]) +
                   "', the same in both groups\n"));
  dir.change(early, dir.place(early, 2, 3, 1));
  dir.change(early, dir.place(early, 2, 3, 3));
  const auto earlier = dir.locate();
  CHECK(earlier.code == 1);
  CAPTURE(earlier.out);
  CHECK(earlier.says(named(early) + "2 of "));
  const int is = static_cast<signed char>(dir.bytes(early)[dir.place(early, 2, 3, 1)]);
  CHECK(earlier.says("first at (c 2, y 3, x 1): " +
                     std::to_string(static_cast<signed char>(is ^ 3)) + " expected, " +
                     std::to_string(is) + " found"));
  // A tensor that has no dump is passed over, and that is said.
  std::filesystem::remove(dir.path / "all" / std::string(early["file"]));
  const auto without = dir.locate();
  CHECK(without.says(named(late) + "1 of "));
  CHECK(without.says("1 tensor before it without a dump"));
  // Another picture is told as what it is.
  const auto other = nvdlac_in(dir.path, "locate all d.nvdla -c nv_small --input '" + digits +
                                             "/images/3_a.pgm'");
  CHECK(other.code == 1);
  CHECK(other.says("input 'data' differs in "));
  CHECK(other.says("the device was given something else"));
}

TEST_CASE("what cannot be located is trouble, not a difference") {
  const saved dir;
  std::filesystem::create_directory(dir.path / "empty");
  const auto trouble = [&](const std::string& arguments, std::string_view reason) {
    CAPTURE(arguments);
    const auto r = nvdlac_in(dir.path, "locate " + arguments);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(r.complains(reason));
  };
  trouble("empty d.nvdla" + a_seven, "empty: holds no dump of this program's tensors");
  trouble("absent d.nvdla" + a_seven, "absent: is no directory");
  dir.write("m.onnx", content(digits + "/digits.onnx"));
  trouble("all m.onnx" + a_seven, "m.onnx: is not a loadable, or is truncated or corrupt (a model "
                                  "becomes a loadable by `nvdlac compile`)");
  trouble("all absent.nvdla" + a_seven, "absent.nvdla: there is no such file");
  trouble("all d.nvdla -c nv_small --input" + pictures, "of one run, but there are 20 inputs");
  dir.write("all/" + std::string(dir.index["tensors"].back()["file"]), "abc");
  trouble("all d.nvdla" + a_seven, "has 3 bytes, not the ");
}

TEST_CASE("of a tall network whose maps stand transposed everything is as the file has it") {
  const scratch dir;
  std::string picture = "P5 10 49 255\n";
  for (int i = 0; i < 490; ++i) picture += static_cast<char>(i * 37 % 251);
  dir.write("x.pgm", picture);
  dir.write("tall.prototxt",
            "layer { name: 'data' type: 'Input' top: 'data' input_param { shape { dim: 1 dim: 1 "
            "dim: 49 dim: 10 } } }\n"
            "layer { name: 'filter' type: 'Convolution' bottom: 'data' top: 'filter' "
            "convolution_param { num_output: 64 kernel_h: 10 kernel_w: 4 stride: 2 pad_h: 4 pad_w: "
            "1 } }\n"
            "layer { name: 'mixed' type: 'Convolution' bottom: 'filter' top: 'mixed' "
            "convolution_param { num_output: 32 kernel_size: 3 pad: 1 } }\n");
  const auto compile = [&](const std::string& more) {
    const auto r = nvdlac_in(dir.path, "compile tall.prototxt --random-weights 1 -c nv_large "
                                       "--calibration x.pgm " + more);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return r.says("lines and columns of all tensors are exchanged in memory");
  };
  CHECK(compile("-o turned.nvdla"));
  CHECK_FALSE(compile("-o plain.nvdla --without transpose_maps"));
  const auto tensors = [&](const std::string& of) {
    const auto r = nvdlac_in(dir.path, "run " + of + ".nvdla -c nv_large --input x.pgm -o " + of +
                                           ".npy --save-tensors " + of);
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    return nlohmann::json::parse(content(dir.path / of / "index.json"))["tensors"];
  };
  const auto turned = tensors("turned"), plain = tensors("plain");
  CHECK(content(dir.path / "turned.npy") == content(dir.path / "plain.npy"));
  std::size_t compared = 0;
  for (const auto& t : turned) {
    CHECK(t["transposed"] == true);
    for (const auto& other : plain) {
      if (!t.contains("numbers") || other.value("layer", "") != t.value("layer", "-")) continue;
      CHECK_FALSE(other.contains("transposed"));
      CHECK(t["shape"] == other["shape"]);
      CHECK(content(dir.path / "turned" / std::string(t["numbers"])) ==
            content(dir.path / "plain" / std::string(other["numbers"])));
      ++compared;
    }
  }
  CHECK(compared > 0);
}
