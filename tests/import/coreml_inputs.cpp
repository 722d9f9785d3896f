// SPDX-License-Identifier: Apache-2.0
// Input by input of the operations of Core ML's programs: another value changes the result, or is
// refused.
#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/coreml.hpp>
#include <nvdlac/import/coreml/operations.hpp>

#include "coreml_model.hpp"
#include "outcome.hpp"

using namespace nvdlac;
using namespace coreml_model;

namespace {

// The inputs but x, each a part.
struct program_subject {
  std::string kind;
  shape input;
  std::vector<std::string> parts;
  std::vector<std::pair<std::string, std::string>> changes{};
  std::vector<std::string> x{of_x};  // how x is given
  std::string outputs = "outputs { name: 'y' }";
};

floats ascent(std::size_t n, float first = -0.5F) {
  floats v;
  for (std::size_t i = 0; i < n; ++i) v.push_back(first + 0.25F * static_cast<float>(i % 5));
  return v;
}

const shape program_picture{1, 4, 5, 6};

std::vector<program_subject> operation_subjects() {
  const auto kernel = reals("weight", {2, 4, 3, 3}, ascent(72));
  const auto two = integers("kernel_sizes", {2, 2});
  return {
      {"conv", program_picture,
       {kernel, integers("strides", {1, 1}), integers("dilations", {1, 1}), integer("groups", 1),
        word("pad_type", "valid"), reals("bias", {2}, {1, 2})},
       {{integers("strides", {1, 1}), integers("strides", {2, 1})},
        {integers("dilations", {1, 1}), integers("dilations", {1, 2})},
        {integer("groups", 1), integer("groups", 2)},
        {word("pad_type", "valid"), word("pad_type", "same")},
        {word("pad_type", "valid"), word("pad_type", "x")},
        {word("pad_type", "valid"), word("pad_type", "custom") + integers("pad", {1, 0, 0, 0})},
        {reals("bias", {2}, {1, 2}), ""}, {kernel, ""}}},
      {"max_pool", program_picture,
       {two, integers("strides", {2, 2}), word("pad_type", "valid"), flags("ceil_mode", {0})},
       {{two, integers("kernel_sizes", {3, 2})},
        {integers("strides", {2, 2}), integers("strides", {1, 2})},
        {word("pad_type", "valid"), word("pad_type", "same")},
        {flags("ceil_mode", {0}), flags("ceil_mode", {1})}}},
      {"avg_pool", program_picture,
       {integers("kernel_sizes", {3, 3}), word("pad_type", "same"),
        flags("exclude_padding_from_average", {0})},
       {{flags("exclude_padding_from_average", {0}), flags("exclude_padding_from_average", {1})}}},
      {"clip", program_picture, {number("alpha", -1), number("beta", 1)},
       {{number("alpha", -1), number("alpha", 0)}, {number("beta", 1), number("beta", 2)}}},
      {"leaky_relu", program_picture, {number("alpha", 0.1F)},
       {{number("alpha", 0.1F), number("alpha", 0.3F)}}},
      {"gelu", program_picture, {word("mode", "EXACT")},
       {{word("mode", "EXACT"), word("mode", "SIGMOID_APPROXIMATION")},
        {word("mode", "EXACT"), word("mode", "x")}}},
      {"softmax", program_picture, {integer("axis", 1)},
       {{integer("axis", 1), integer("axis", 3)}}},
      {"reduce_mean", program_picture, {integers("axes", {1}), flags("keep_dims", {1})},
       {{integers("axes", {1}), integers("axes", {2})},
        {flags("keep_dims", {1}), flags("keep_dims", {0})}}},
      {"cast", program_picture, {word("dtype", "fp32")},
       {{word("dtype", "fp32"), word("dtype", "int32")}}},
      {"transpose", program_picture, {integers("perm", {0, 2, 3, 1})},
       {{integers("perm", {0, 2, 3, 1}), integers("perm", {0, 1, 3, 2})}}},
      {"pad", program_picture, {integers("pad", {1, 0}), number("constant_val", 0.5F)},
       {{integers("pad", {1, 0}), integers("pad", {0, 1})},
        {number("constant_val", 0.5F), number("constant_val", 1)},
        {number("constant_val", 0.5F), word("mode", "replicate")}}},
      {"upsample_bilinear", program_picture,
       {number("scale_factor_width", 2), flags("align_corners", {0})},
       {{number("scale_factor_width", 2), number("scale_factor_width", 3)},
        {flags("align_corners", {0}), flags("align_corners", {1})}}},
  };
}

// Beside them those of the other operations, and those that give the inputs that these leave out.
std::vector<program_subject> further_operation_subjects() {
  const auto picture = program_picture;
  const auto kernel = reals("weight", {2, 4, 3, 3}, ascent(72));
  const auto strides = integers("strides", {2, 2}), sizes = integers("kernel_sizes", {3, 3});
  const auto custom = word("pad_type", "custom");
  const auto of_channels = [](const char* key, float first) {
    return reals(key, {4}, ascent(4, first));
  };
  auto square = ascent(36);
  square[1] = 3;  // no longer the same as its transpose
  const std::string two = "outputs { name: 'y' } outputs { name: 'z' }";
  std::vector<program_subject> all{
      {"conv", picture,
       {kernel, strides, custom, integers("pad", {1, 0, 0, 0}), integers("dilations", {1, 1}),
        integer("groups", 1)}},
      {"conv_transpose", picture,
       {reals("weight", {4, 2, 3, 3}, ascent(72)), reals("bias", {2}, {1, 2}), strides, custom,
        integers("pad", {1, 0, 0, 0}), integers("dilations", {1, 1}), integer("groups", 1)},
       {{"", integers("output_shape", {1, 2, 10, 12})}}},
      {"conv_transpose", picture,
       {reals("weight", {4, 2, 3, 3}, ascent(72)), strides,
        integers("output_shape", {1, 2, 10, 12})}},
      {"linear", {1, 6}, {reals("weight", {2, 6}, ascent(12)), reals("bias", {2}, {1, 2})}},
      {"matmul", {1, 4, 6},
       {reals("y", {6, 6}, square), flags("transpose_y", {0})},
       {{"", flags("transpose_x", {1})}}},
      {"max_pool", picture,
       {sizes, strides, custom, integers("pad", {1, 0, 0, 0}), integers("dilations", {1, 1}),
        flags("ceil_mode", {0})}},
      {"avg_pool", picture,
       {sizes, strides, custom, integers("pad", {1, 0, 0, 0}), integers("dilations", {1, 1}),
        flags("ceil_mode", {0}), flags("exclude_padding_from_average", {0})}},
      {"batch_norm", picture,
       {of_channels("mean", 0), of_channels("variance", 1), of_channels("gamma", 1),
        of_channels("beta", 0), number("epsilon", 0.001F)}},
      {"instance_norm", picture,
       {of_channels("gamma", 1), of_channels("beta", 0), number("epsilon", 0.001F)}},
      {"local_response_norm", picture,
       {integer("size", 3), number("alpha", 0.5F), number("beta", 0.75F), number("k", 1)}},
      {"thresholded_relu", picture, {number("alpha", 0.5F)}},
      {"elu", picture, {number("alpha", 0.5F)}},
      {"prelu", picture, {of_channels("alpha", 0)}},
      {"sigmoid_hard", picture, {number("alpha", 0.2F), number("beta", 0.5F)}},
      {"linear_activation", picture, {number("alpha", 2), number("beta", 0.5F)}},
      {"reshape", picture, {integers("shape", {1, 20, 6})}},
      {"expand_dims", {1, 4, 5}, {integers("axes", {1})}},
      {"squeeze", {1, 4, 1, 5}, {integers("axes", {2})}},
      {"concat", picture, {integer("axis", 2), flags("interleave", {0})}, {},
       {argument("values", "name: 'x' } arguments { name: 'x'")}},
      {"split", picture, {integer("num_splits", 2), integer("axis", 1)}, {}, {of_x}, two},
      {"split", picture, {integers("split_sizes", {1, 3}), integer("axis", 1)}, {}, {of_x}, two},
      {"slice_by_index", {1, 4, 5},
       {integers("begin", {0, 1, 2}), integers("end", {1, 3, 4}), integers("stride", {1, 2, 1})},
       {{"", flags("begin_mask", {0, 1, 0})}, {"", flags("end_mask", {0, 0, 1})},
        {"", flags("squeeze_mask", {0, 0, 1})}}},
      {"pad", picture,
       {integers("pad", {1, 0}), number("constant_val", 0.5F), word("mode", "constant")}},
      {"upsample_bilinear", picture,
       {number("scale_factor_height", 2), number("scale_factor_width", 2),
        flags("align_corners", {0}), flags("half_pixel_centers", {1})}},
      {"upsample_nearest_neighbor", picture,
       {number("scale_factor_height", 2), number("scale_factor_width", 2)}},
      {"pixel_shuffle", picture, {integer("upscale_factor", 2)}},
      {"depth_to_space", picture, {integer("block_size", 2)}},
      {"space_to_depth", {1, 4, 6, 6}, {integer("block_size", 2)}},
  };
  for (const char* kind : {"abs", "ceil", "cos", "erf", "exp", "floor", "identity", "relu", "relu6",
                           "round", "sigmoid", "sign", "silu", "sin", "softplus", "softsign",
                           "sqrt", "square", "tanh"})
    all.push_back({kind, picture, {}});
  for (const char* kind : {"inverse", "log", "rsqrt"})
    all.push_back({kind, picture, {number("epsilon", 4)}});
  for (const char* kind : {"add", "sub", "mul", "real_div", "maximum", "minimum"})
    all.push_back({kind, picture, {reals("y", {4, 1, 1}, ascent(4, 1))}});
  all.push_back({"pow", picture, {number("y", 2)}});
  for (const char* norm : {"l1_norm", "l2_norm", "max", "min", "sum", "sum_square"})
    all.push_back({std::string("reduce_") + norm, picture,
                   {integers("axes", {2}), flags("keep_dims", {1})}});
  return all;
}

std::string with_change(const program_subject& s, const std::string& from, const std::string& to) {
  std::string all;
  for (const auto& x : s.x) all += x;
  for (const auto& p : s.parts) all += !from.empty() && p == from ? to : p;
  return from.empty() ? all + to : all;
}
outcome outcome_of(const program_subject& s, const std::string& from = {},
                   const std::string& to = {}) {
  const auto model =
      model_of(program_text(op(s.kind, with_change(s, from, to), s.outputs), s.input));
  return ::outcome_of([&] { return import::coreml_network_from({"m", model}).graph; });
}
std::string key_of(const std::string& input) {
  const auto from = input.find("key: '") + 6;
  return input.substr(from, input.find('\'', from) - from);
}
// Another last value of an input: the next number, the other truth, a strange word.
std::string another(const std::string& input) {
  const auto at = input.rfind("values: ");
  if (at == input.npos) return {};
  const auto from = at + 8, end = input.find(' ', from);
  const auto value = input.substr(from, end - from);
  const bool truth = mentions(input, "bools {"), word = value.starts_with("'");
  const auto changed = word    ? "'strange'"
                       : truth ? std::string(value == "0" ? "1" : "0")
                               : text(std::stof(value) + 1);
  return input.substr(0, from) + changed + input.substr(end);
}

}  // namespace

TEST_CASE("Core ML's operations: another input gives another result or is refused") {
  std::map<std::string, std::set<std::string>> asked, changing;
  auto subjects = operation_subjects();
  for (auto& s : further_operation_subjects()) subjects.push_back(std::move(s));
  for (const auto& s : subjects) {
    CAPTURE(s.kind);
    const auto base = outcome_of(s);
    CHECK(base.complaint == "");
    const auto changes_result = [&](const std::string& from, const std::string& to) {
      const auto changed = outcome_of(s, from, to);
      const bool differs = !changed.accepted() || !changed.same_result(base);
      if (differs) changing[s.kind].insert(key_of(from.empty() ? to : from));
      return differs;
    };
    for (const auto& [from, to] : s.changes) {
      INFO(from << " -> " << to);
      CHECK(changes_result(from, to));
    }
    for (const auto& p : s.parts) {
      INFO(p << " -> " << another(p));
      CHECK(changes_result(p, another(p)));
    }
    for (const auto& x : s.x) {
      auto without = s;
      without.x.clear();
      CHECK_FALSE(outcome_of(without).accepted());
      changing[s.kind].insert(key_of(x));
    }
    const auto complaint = outcome_of(s, "", number("strange", 1)).complaint;
    CHECK(mentions(complaint, "its input strange is not understood (understood are "));
    const std::string before = "understood are ";
    for (auto i = complaint.find(before) + before.size(); i < complaint.size();) {
      const auto end = complaint.find_first_of(",)", i);
      asked[s.kind].insert(complaint.substr(i, end - i));
      if (end == complaint.npos || complaint[end] == ')') break;
      i = end + 2;
    }
    const auto attribute = [](const std::string& key) {
      return "attributes { key: '" + key + "' value { " +
             value_text(11, {}, "floats { values: 1 }") + "} } ";
    };
    CHECK(outcome_of(s, "", attribute("name")) == base);
    CHECK(mentions(outcome_of(s, "", attribute("strange")).complaint,
                   "its attribute strange is not understood"));
    CHECK(mentions(outcome_of(s, "", "blocks { } ").complaint, "its blocks"));
  }
  for (const auto& [type, ignored] : import::coreml_format::program::operations()) {
    const std::string kind(type);
    CAPTURE(kind);
    CHECK_FALSE(asked[kind].empty());
    for (const auto& key : asked[kind]) CHECK_MESSAGE(changing[kind].contains(key), key);
  }
}
