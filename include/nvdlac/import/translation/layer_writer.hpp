// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers of formats whose pictures have their channels first, as ONNX has them, in ONNX's terms.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/hub/writer.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

// A tensor of a file: what the ONNX model computes, or numbers that the file holds.
struct operand {
  std::string value{};  // its name in the ONNX model; empty: only the file's numbers are known yet
  std::size_t rank = 0;
  std::shared_ptr<const array> known{};

  static operand of(array a);
  const array& numbers(const char* what) const;
};

// How windows step over a picture of one or two dimensions. Padding counts as in ONNX: all before,
// then all behind.
struct sliding_window {
  dims kernel{}, strides{}, pads{}, dilations{};
  bool ceil = false;
  bool same = false;  // padding that keeps the size, what is odd behind; instead of `pads`
  bool odd_before = false;  // of such padding what is odd

  std::vector<attribute> attributes() const {
    std::vector<attribute> all{{"strides", strides}, {"dilations", dilations}};
    if (same) all.push_back({"auto_pad", std::string(odd_before ? "SAME_LOWER" : "SAME_UPPER")});
    else all.push_back({"pads", pads});
    return all;
  }
  static dims both_sides(const dims& pads);
};

// Writes the layers of a file into an ONNX model. Nodes have the names of layers; where a layer
// becomes several nodes, the last one.
class layer_writer {
 public:
  operand input(const std::string& name, const dims& shape);
  operand node(const std::string& type, const std::string& layer,
               const std::vector<operand>& inputs, std::size_t rank,
               const std::vector<attribute>& attributes = {});
  std::vector<operand> several(const std::string& type, const std::string& layer,
                               const std::vector<operand>& inputs,
                               const std::vector<std::size_t>& ranks,
                               const std::vector<attribute>& attributes = {});
  operand number(float v) const { return operand::of(array::of_reals({}, {v})); }
  operand integers(const dims& d) const {
    return operand::of(array::of_integers({static_cast<std::int64_t>(d.size())}, d));
  }
  static operand left_out() { return {"", 0}; }

  operand convolve(const std::string& layer, const operand& x, const operand& weights,
                   const std::optional<operand>& bias, const sliding_window& w,
                   std::int64_t groups);
  operand convolve_transposed(const std::string& layer, const operand& x, const operand& weights,
                              const std::optional<operand>& bias, const sliding_window& w,
                              std::int64_t groups, const dims& output_padding);
  // "MaxPool" or "AveragePool", which has no dilation.
  operand pool(const std::string& layer, const std::string& type, const operand& x,
               const sliding_window& w, bool counts_padding = false);
  // Weights [outputs][inputs].
  operand fully_connected(const std::string& layer, const operand& x, const operand& weights,
                          const std::optional<operand>& bias);
  operand batch_norm(const std::string& layer, const operand& x, const operand& scales,
                     const operand& offsets, const operand& means, const operand& variances,
                     float epsilon);
  // Numbers for the elements along an axis, beside a tensor of so many dimensions.
  static operand along(const array& a, std::size_t rank, std::size_t axis = 1);
  operand prelu(const std::string& layer, const operand& x, const operand& slopes) {
    return node("PRelu", layer, {x, along(slopes.numbers("slopes"), x.rank)}, x.rank);
  }
  operand clipped(const std::string& layer, const operand& x, float low, float high) {
    return node("Clip", layer, {x, number(low), number(high)}, x.rank);
  }
  operand reshaped(const std::string& layer, const operand& x, const dims& shape) {
    return node("Reshape", layer, {x, integers(shape)}, shape.size());
  }
  operand transposed(const std::string& layer, const operand& x, const dims& order) {
    return node("Transpose", layer, {x}, x.rank, {{"perm", order}});
  }
  // Elements [begin, end) of an axis.
  operand sliced(const std::string& layer, const operand& x, std::int64_t axis, std::int64_t begin,
                 std::int64_t end, std::int64_t step = 1);
  operand squeezed(const std::string& layer, const operand& x, const dims& axes) {
    return node("Squeeze", layer, {x, integers(axes)}, x.rank - std::min(axes.size(), x.rank));
  }
  // As numpy's rules align both.
  operand binary(const std::string& layer, const std::string& type, const operand& a,
                 const operand& b);
  operand resized(const std::string& layer, const operand& x, const operand& scales,
                  const operand& sizes, const std::string& mode, const std::string& places);
  // Repeats the elements of a tensor of rank 4, by whole numbers.
  operand repeated(const std::string& layer, const operand& x, float height, float width);

  // The network whose outputs these are; they and their layers are named by the file.
  network finish(const std::string& file, std::size_t bytes, const budget& limits,
                 const std::vector<std::pair<std::string, operand>>& outputs);

 private:
  static std::vector<operand> with_bias(std::vector<operand> inputs,
                                        const std::optional<operand>& bias);
  static std::vector<attribute> grouped(const sliding_window& w, std::int64_t groups);
  std::string fresh(const std::string& hint) { return text(hint, "@", ++last_); }
  // The name of an operand; what the file holds is written where it is read first.
  std::string name_of(const operand& o, const std::string& layer);

  hub::writer to_{opset};
  std::map<const array*, std::pair<std::string, std::shared_ptr<const array>>> written_;
  std::size_t last_ = 0;
};

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/layer_writer.ipp>
#endif
