// SPDX-License-Identifier: Apache-2.0
// Core ML's programs (MIL) and packages.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/model.hpp>

#include "coreml_model.hpp"
#include "files.hpp"
#include "tensorflow_files.hpp"

using namespace nvdlac;
using namespace coreml_model;

namespace {

floats program_gives(const std::string& operations, const shape& input) {
  return result_of(program_text(operations, input),
                   static_cast<std::size_t>(import::onnx_format::count(input)));
}
floats does(const std::string& type, const std::string& inputs, const shape& input) {
  return program_gives(op(type, of_x + inputs), input);
}

}  // namespace

TEST_CASE("the operations of Core ML's programs") {
  const shape in{1, 2, 2, 2};
  const auto ones = reals("weight", {1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1});
  CHECK(near(does("conv", ones + reals("bias", {1}, {0.5F}), in), {28.5F}));
  CHECK(near(does("conv", ones + word("pad_type", "same"), in), {28, 16, 18, 10}));
  CHECK(near(does("conv", ones + word("pad_type", "same_lower"), in), {4, 10, 12, 28}));
  CHECK(near(does("conv", ones + word("pad_type", "custom") + integers("pad", {1, 0, 0, 1}), in),
             {10, 6, 28, 16}));
  CHECK(near(does("conv", reals("weight", {2, 1, 1, 1}, {2, 3}) + integer("groups", 2) +
                              integers("strides", {2, 2}) + integers("dilations", {1, 1}),
                  in),
             {0, 12}));
  CHECK(near(does("conv_transpose", reals("weight", {1, 1, 2, 2}, {1, 2, 3, 4}) +
                                        integers("strides", {2, 2}),
                  {1, 1, 1, 2}),
             {0, 0, 1, 2, 0, 0, 3, 4}));
  CHECK(near(does("linear", reals("weight", {2, 2}, {1, 0, 0, 2}) + reals("bias", {2}, {1, 2}),
                  {1, 2}),
             {1, 4}));
  CHECK(near(does("matmul", reals("y", {1, 2}, {2, 3}) + flags("transpose_y", {1}), {1, 2}), {3}));
  CHECK(near(does("batch_norm", reals("mean", {2}, {0, 2}) + reals("variance", {2}, {3, 8}) +
                                    reals("gamma", {2}, {2, 3}) + number("epsilon", 1),
                  {1, 2, 1, 2}),
             {0, 1, 0, 1}));
  const auto two = integers("kernel_sizes", {2, 2}) + integers("strides", {2, 2});
  CHECK(near(does("max_pool", two, {1, 1, 3, 3}), {4}));
  CHECK(near(does("max_pool", two + flags("ceil_mode", {1}), {1, 1, 3, 3}), {4, 5, 7, 8}));
  CHECK(near(does("avg_pool", two + word("pad_type", "same") +
                                  flags("exclude_padding_from_average", {1}),
                  {1, 1, 3, 3}),
             {2, 3.5F, 6.5F, 8}));
  CHECK(near(does("clip", number("alpha", 1) + number("beta", 2), {1, 4}), {1, 1, 2, 2}));
  CHECK(near(does("linear_activation", number("alpha", 2) + number("beta", 1), {1, 2}), {1, 3}));
  CHECK(near(does("real_div", number("y", 2), {1, 2}), {0, 0.5F}));
  CHECK(near(does("inverse", number("epsilon", 1), {1, 2}), {1, 0.5F}));
  CHECK(near(does("rsqrt", number("epsilon", 1), {1, 4}),
             {1, 1 / std::sqrt(2.0F), 1 / std::sqrt(3.0F), 0.5F}));
  CHECK(near(does("reduce_mean", integers("axes", {-1, -2}) + flags("keep_dims", {1}), in),
             {1.5F, 5.5F}));
  CHECK(near(does("transpose", integers("perm", {0, 1, -1, 2}), in), {0, 2, 1, 3, 4, 6, 5, 7}));
  CHECK(near(does("slice_by_index", integers("begin", {0, 1, 0, 0}) +
                                        integers("end", {1, 2, 0, 2}) +
                                        integers("stride", {1, 1, 1, 2}) +
                                        flags("end_mask", {0, 0, 1, 0}) +
                                        flags("squeeze_mask", {0, 1, 0, 0}),
                  in),
             {4, 6}));
  CHECK(near(does("pad", integers("pad", {1, 0}) + number("constant_val", 9), {1, 1, 1, 2}),
             {9, 0, 1}));
  CHECK(near(does("pad", integers("pad", {1, 0}) + word("mode", "replicate"), {1, 1, 1, 2}),
             {0, 0, 1}));
  CHECK(near(does("upsample_nearest_neighbor", number("scale_factor_width", 2), {1, 1, 1, 2}),
             {0, 0, 1, 1}));
  CHECK(near(does("upsample_bilinear", number("scale_factor_width", 2) +
                                           flags("align_corners", {0}),
                  {1, 1, 1, 2}),
             {0, 0.25F, 0.75F, 1}));
  CHECK(near(does("pixel_shuffle", integer("upscale_factor", 2), {1, 4, 1, 1}), {0, 1, 2, 3}));
  CHECK(near(does("cast", word("dtype", "fp16"), {1, 2}), {0, 1}));
  CHECK(near(program_gives(op("concat", "inputs { key: 'values' value { arguments { name: 'x' } "
                                        "arguments { name: 'x' } } } " + integer("axis", -1)),
                           {1, 2}),
             {0, 1, 0, 1}));
  CHECK(near(program_gives(op("split", of_x + integer("axis", 1) + integer("num_splits", 2),
                              "outputs { name: 'a' } outputs { name: 'b' }") +
                               op("sub", named("x", "b") + named("y", "a")),
                           in),
             {4, 4, 4, 4}));
  for (const char* type : {"relu", "silu", "softsign", "gelu"}) {
    CAPTURE(type);
    CHECK(does(type, "", {1, 2}).size() == 2);
  }
}

TEST_CASE("the constants of Core ML's programs") {
  const auto attribute = [](const std::string& key, const std::string& value) {
    return "attributes { key: '" + key + "' value { " + value + "} } ";
  };
  const auto of = [&](const std::string& type, const std::string& attributes) {
    return program_gives(op(type, attributes, "outputs { name: 'k' }") +
                             op("add", of_x + named("y", "k")),
                         {1, 2, 1, 2});
  };
  const auto bytes = [](const std::string& b) { return "bytes { values: '" + b + "' }"; };
  CHECK(near(of("const", attribute("val", value_text(10, {2}, bytes(R"(\x00\x3c\x00\x40)")))),
             {1, 3, 3, 5}));
  CHECK(near(of("constexpr_affine_dequantize",
                attribute("quantized_data",
                          value_text(21, {2, 1, 2}, bytes(R"(\x01\xff\x02\x03)"))) +
                    attribute("scale", value_text(11, {2}, "floats { values: 2 values: 3 }")) +
                    attribute("zero_point", value_text(21, {}, bytes(R"(\x01)"))) +
                    attribute("axis", value_text(23, {}, "ints { values: 0 }"))),
             {0, -3, 5, 9}));
  const auto table = [&](const char* indices) {
    return of("constexpr_lut_to_dense",
              attribute("indices", value_text(31, {1}, bytes(indices))) +
                  attribute("lut", value_text(11, {4}, "floats { values: 1 values: 2 values: 3 "
                                                       "values: 4 }")) +
                  attribute("shape", value_text(33, {3}, bytes(R"(\x02\x00\x00\x00\x01\x00\x00)"
                                                               R"(\x00\x02\x00\x00\x00)"))));
  };
  CHECK(near(table(R"(\xe4)"), {1, 3, 5, 7}));
  CHECK(mentions(complaints([&] { (void)table(R"(\xe4\xe4)"); }), "2 values for the shape [1]"));
  CHECK(mentions(complaints([&] {
          (void)of("const", attribute("val", value_text(11, {3}, "floats { values: 1 }")));
        }),
        "1 value for the shape [3]"));
}

TEST_CASE("what is not understood of Core ML's programs is refused by name") {
  const auto all = complaints([] {
    (void)program_gives(op("gru", of_x, "outputs { name: 'a' }") +
                            op("relu", of_x + number("odd", 1), "outputs { name: 'b' }") +
                            op("softmax", of_x + named("axis", "x"), "outputs { name: 'c' }") +
                            op("concat", "inputs { key: 'values' value { arguments { name: 'a' } "
                                         "arguments { name: 'b' } arguments { name: 'c' } } } "),
                        {1, 2});
  });
  CHECK(mentions(all, "the operator gru is not supported (1 layer)"));
  CHECK(mentions(all, "its input odd is not understood"));
  CHECK(mentions(all, "its input axis is computed"));
  CHECK(mentions(complaints([] { (void)does("cast", word("dtype", "int32"), {1, 2}); }),
                 "it casts to int32"));
  CHECK(mentions(complaints([] { (void)does("conv", "", {1, 2, 2, 2}); }),
                 "its input weight is missing"));
}

namespace {

// A blob of four real numbers behind its record, at byte 64.
std::string weight_file() {
  std::string file(64, '\0');
  const auto append = [&](auto v) {
    file.append(reinterpret_cast<const char*>(&v), sizeof v);
  };
  append(std::uint32_t{0xDEADBEEF});
  append(std::uint32_t{2});
  append(std::uint64_t{16});
  append(std::uint64_t{128});
  file.resize(128, '\0');
  for (const float v : {1.0F, 2.0F, 3.0F, 4.0F}) append(v);
  return file;
}
std::string with_weights(const std::string& file, int offset) {
  return program_text(
      op("const",
         text("attributes { key: 'val' value { type { tensorType { dataType: 11 rank: 1 "
              "dimensions { constant { size: 4 } } } } blobFileValue { fileName: '", file,
              "' offset: ", offset, " } } } "),
         "outputs { name: 'k' }") +
          op("add", of_x + named("y", "k")),
      {1, 4});
}

}  // namespace

TEST_CASE("packages of Core ML") {
  const scratch at;
  const std::string manifest = R"({"fileFormatVersion": "1.0.0", "itemInfoEntries": {"a": {"path":
      "inside/model.mlmodel"}}, "rootModelIdentifier": "a"})";
  std::filesystem::create_directories(at.path / "Data/inside/weights");
  at.write("Manifest.json", manifest);
  at.write("Data/inside/weights/w.bin", weight_file());
  const auto with = [&](const std::string& file, int offset) {
    at.write("Data/inside/model.mlmodel", model_of(with_weights(file, offset)));
    return import::any_network(at.path);
  };
  const std::string beside = "@model_path/weights/w.bin";
  const auto n = with(beside, 64);
  CHECK(near(tensorflow_files::run(n, {{"x", {0, 1, 2, 3}}}).at("y"), {1, 3, 5, 7}));
  CHECK(n.external.size() == 2);
  CHECK(mentions(complaints([&] { (void)with(beside, 0); }), "have no record"));
  CHECK(mentions(complaints([&] { (void)with(beside, 100); }), "lie behind its end"));
  CHECK(mentions(complaints([&] { (void)with("@model_path/../../Manifest.json", 0); }),
                 "not below the directory"));
  CHECK(mentions(complaints([&] { (void)with("/etc/hostname", 0); }), "not beside the model"));
  CHECK(mentions(complaints([&] { (void)with("@model_path/none", 0); }), "cannot be read"));
  at.write("Manifest.json", R"({"itemInfoEntries": {}, "rootModelIdentifier": "a"})");
  CHECK(mentions(complaints([&] { (void)import::any_network(at.path); }),
                 "does not tell where its model is"));

  // Damaged weights and programs.
  at.write("Manifest.json", manifest);
  std::mt19937 random(7);
  const auto sound = model_of(with_weights(beside, 64));
  for (int k = 0; k < 400; ++k) {
    auto model = sound, weights = weight_file();
    auto& damaged = k % 4 == 0 ? weights : model;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    if (k % 8 == 7) model.resize(random() % model.size() + 1);
    at.write("Data/inside/model.mlmodel", model);
    at.write("Data/inside/weights/w.bin", weights);
    try {
      (void)import::any_network(at.path);
    } catch (const error& e) {
      CHECK(!e.problems().empty());
    }
  }
}
