// SPDX-License-Identifier: Apache-2.0
// Transpositions at the beginning and the end of a network cost nothing beside a selection.
#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../import/onnx_model.hpp"
#include "cli.hpp"

namespace orders {

using namespace onnx_model;

inline constexpr auto turned = "channels become lines or columns, or these channels";

// x [1, 3, 11, 11], or [1, 11, 11, 3] for `last`, a convolution of 16 kernels, and what is around.
inline std::string picture(const std::string& before, const std::string& behind, bool last = false,
                    const std::string& outputs = "y") {
  std::mt19937 random(7);
  std::vector<float> weights(16 * 3 * 9);
  for (float& w : weights) w = static_cast<float>(random() % 2001) / 1000 - 1;
  std::string graph = "input " + value_info("x", last ? std::vector<std::int64_t>{1, 11, 11, 3}
                                                      : std::vector<std::int64_t>{1, 3, 11, 11});
  for (const char c : outputs) graph += "output " + value_info(std::string(1, c), {1});
  const auto from = before.empty() ? "x" : "t";
  return onnx_model::model(graph + floats("w", {16, 3, 3, 3}, weights) + before +
               node("Conv", std::string(from) + " w", behind.empty() ? "y" : "c",
                    ints("pads", {1, 1, 1, 1})) +
               behind);
}

inline const auto to_last = ints("perm", {0, 2, 3, 1}), to_first = ints("perm", {0, 3, 1, 2});
inline std::string slice(const std::string& in, const std::string& out, std::int64_t first,
                  std::int64_t end, std::int64_t axis, std::int64_t step = 1) {
  return integers(out + "_a", {first}) + integers(out + "_b", {end}) +
         integers(out + "_c", {axis}) + integers(out + "_d", {step}) +
         node("Slice", text(in, ' ', out, "_a ", out, "_b ", out, "_c ", out, "_d"), out);
}

struct prediction {
  std::uint64_t cycles = 0;
  bool turns = false;
};
inline prediction compiled(const scratch& dir, const std::string& model,
                           const std::string& options) {
  dir.write("net.onnx", model);
  const auto done = nvdlac_in(dir.path, "compile net.onnx " + options + " --host allow -o n.nvdla "
                                        "--report n.json");
  INFO(done.err);
  REQUIRE(done.code == 0);
  const auto report = nlohmann::json::parse(content(dir.path / "n.json"));
  prediction c{report.at("prediction").at("cycles").get<std::uint64_t>()};
  for (const auto& conversion : report.at("conversions"))
    c.turns = c.turns || conversion.at("why") == turned;
  return c;
}

TEST_CASE("a selection beside a transposition at an output or an input costs what it does alone") {
  const scratch dir;
  const auto last = node("Transpose", "d", "y", to_last);
  struct pair {
    const char* what;
    std::string with, without;
  };
  const auto pads = integers("p", {0, 0, 1, 0, 0, 0, 0, 0});
  const auto twice = floats("s", {4}, {1, 1, 2, 2});
  const auto nearest = word("mode", "nearest") + word("nearest_mode", "floor") +
                       word("coordinate_transformation_mode", "asymmetric");
  const auto flat = integers("i", {1});
  const std::vector<pair> pairs{
      {"channels", picture({}, slice("c", "d", 0, 12, 1) + last),
       picture({}, slice("c", "y", 0, 12, 1))},
      {"lines", picture({}, slice("c", "d", 1, 99, 2) + last),
       picture({}, slice("c", "y", 1, 99, 2))},
      {"padding", picture({}, pads + node("Pad", "c p", "d") + last),
       picture({}, pads + node("Pad", "c p", "y"))},
      {"upsampling", picture({}, twice + node("Resize", "c - s", "d", nearest) + last),
       picture({}, twice + node("Resize", "c - s", "y", nearest))},
      {"one channel", picture({}, flat + node("Gather", "c i", "y", integer("axis", 1))),
       picture({}, slice("c", "y", 1, 2, 1))},
      {"flat", picture({}, slice("c", "d", 0, 4, 1) + node("Flatten", "d", "y")),
       picture({}, slice("c", "y", 0, 4, 1))},
      {"reversed", picture({}, slice("c", "d", -1, -99, 1, -1) + last),
       picture({}, slice("c", "y", -1, -99, 1, -1))},
      {"tokens", picture({}, integers("q", {1, 16, 121}) + node("Reshape", "c q", "r") +
                                 node("Transpose", "r", "t", ints("perm", {0, 2, 1})) +
                                 slice("t", "y", 1, 121, 1)),
       picture({}, integers("q", {1, 16, 121}) + node("Reshape", "c q", "r") +
                       slice("r", "y", 1, 121, 2))},
      {"two outputs", picture({}, node("Transpose", "c", "y", to_last) +
                                      slice("y", "z", 0, 99, 1, 2), false, "yz"),
       picture({}, node("Relu", "c", "y") + slice("y", "z", 0, 99, 2, 2), false, "yz")},
      {"colours", picture(slice("x", "z", -1, -99, 3, -1) + node("Transpose", "z", "t", to_first),
                          {}, true),
       picture(slice("x", "t", -1, -99, 1, -1), {})},
      {"part of the input", picture(slice("x", "z", 1, 99, 1) +
                                        node("Transpose", "z", "t", to_first), {}, true),
       picture(slice("x", "t", 1, 99, 2), {})},
  };
  for (const std::string options : {"-c nv_full --precision fp16"}) {
    for (const auto& p : pairs) {
      INFO(p.what);
      const auto with = compiled(dir, p.with, options), without = compiled(dir, p.without, options);
      CHECK_FALSE(with.turns);
      CHECK(with.cycles <= 2 * without.cycles);
    }
  }
}

TEST_CASE("a gate that was turned and repeated costs what it does alone") {
  const scratch dir;
  const auto gate = node("GlobalAveragePool", "c", "g") + integers("a", {3}) +
                    node("Squeeze", "g a", "h") +
                    node("Transpose", "h", "i", ints("perm", {0, 2, 1})) +
                    floats("k", {1, 1, 3}, {1, 2, 3}) +
                    node("Conv", "i k", "j", ints("pads", {1, 1})) +
                    node("Transpose", "j", "l", ints("perm", {0, 2, 1})) +
                    node("Unsqueeze", "l a", "m") + node("Relu", "m", "s");
  const auto repeated = integers("q", {1, 16, 11, 11}) + node("Expand", "s q", "e");
  const std::string options = "-c nv_full --precision fp16";
  const auto with = compiled(dir, picture({}, gate + repeated + node("Mul", "c e", "y")), options);
  const auto without = compiled(dir, picture({}, gate + node("Mul", "c s", "y")), options);
  CHECK(with.cycles == without.cycles);
}

TEST_CASE("a picture that is flat for the host or a normalisation alone stays as it stands") {
  const scratch dir;
  const std::string options = "-c nv_full --precision fp16";
  const auto plain = compiled(dir, picture({}, {}), options);
  const auto flat = node("Flatten", "c", "d");
  const auto likely = compiled(
      dir, picture({}, flat + node("Softmax", "d", "y", integer("axis", 1))), options);
  CHECK_FALSE(likely.turns);
  CHECK(likely.cycles <= 2 * plain.cycles);
  std::string constants;
  for (const char* name : {"f", "b", "m", "v"}) {
    std::vector<float> values;
    for (int i = 0; i < 1936; ++i) values.push_back(static_cast<float>(i % 7) / 4 + 0.5F);
    constants += floats(name, {1936}, values);
  }
  const auto normal = compiled(
      dir, picture({}, flat + constants + node("BatchNormalization", "d f b m v", "y")), options);
  CHECK_FALSE(normal.turns);
  CHECK(normal.cycles <= 4 * plain.cycles);
}

}  // namespace orders
