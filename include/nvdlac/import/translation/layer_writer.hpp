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
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/onnx/schema.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

// A tensor of a file: what the ONNX model computes, or numbers that the file holds.
struct operand {
  std::string value{};  // its name in the ONNX model; empty: only the file's numbers are known yet
  std::size_t rank = 0;
  std::shared_ptr<const array> known{};

  static operand of(array a) {
    const auto rank = a.shape.size();
    return {{}, rank, std::make_shared<const array>(std::move(a))};
  }
  const array& numbers(const char* what) const {
    if (!known)
      throw error(problem{.reason = text("its ", what, " are not constant"),
                          .remedy = "they must be known when the file is read"});
    return *known;
  }
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
  static dims both_sides(const dims& pads) {
    dims all = pads;
    all.insert(all.end(), pads.begin(), pads.end());
    return all;
  }
};

// Writes the layers of a file into an ONNX model. Nodes have the names of layers; where a layer
// becomes several nodes, the last one.
class layer_writer {
 public:
  operand input(const std::string& name, const dims& shape) {
    to_.input(name, shape);
    return {name, shape.size()};
  }
  operand node(const std::string& type, const std::string& layer,
               const std::vector<operand>& inputs, std::size_t rank,
               const std::vector<attribute>& attributes = {}) {
    return several(type, layer, inputs, {rank}, attributes).front();
  }
  std::vector<operand> several(const std::string& type, const std::string& layer,
                               const std::vector<operand>& inputs,
                               const std::vector<std::size_t>& ranks,
                               const std::vector<attribute>& attributes = {}) {
    names in, out;
    for (const auto& i : inputs) in.push_back(name_of(i, layer));
    std::vector<operand> all;
    for (const auto rank : ranks) {
      all.push_back({fresh(layer), rank});
      out.push_back(all.back().value);
    }
    to_.node(type, layer, in, out, attributes);
    return all;
  }
  operand number(float v) const { return operand::of(array::of_reals({}, {v})); }
  operand integers(const dims& d) const {
    return operand::of(array::of_integers({static_cast<std::int64_t>(d.size())}, d));
  }
  static operand left_out() { return {"", 0}; }

  operand convolve(const std::string& layer, const operand& x, const operand& weights,
                   const std::optional<operand>& bias, const sliding_window& w,
                   std::int64_t groups) {
    return node("Conv", layer, with_bias({x, weights}, bias), x.rank, grouped(w, groups));
  }
  operand convolve_transposed(const std::string& layer, const operand& x, const operand& weights,
                              const std::optional<operand>& bias, const sliding_window& w,
                              std::int64_t groups, const dims& output_padding) {
    auto how = grouped(w, groups);
    how.push_back({"output_padding", output_padding});
    return node("ConvTranspose", layer, with_bias({x, weights}, bias), x.rank, how);
  }
  // "MaxPool" or "AveragePool", which has no dilation.
  operand pool(const std::string& layer, const std::string& type, const operand& x,
               const sliding_window& w, bool counts_padding = false) {
    auto how = w.attributes();
    how.push_back({"kernel_shape", w.kernel});
    how.push_back({"ceil_mode", std::int64_t{w.ceil}});
    if (type != "MaxPool") {
      if (std::ranges::any_of(w.dilations, [](auto d) { return d != 1; }))
        throw error(text("its dilation is ", onnx_format::to_text(w.dilations),
                         ", which averages do not have"));
      std::erase_if(how, [](const attribute& a) { return a.name == "dilations"; });
      how.push_back({"count_include_pad", std::int64_t{counts_padding}});
    }
    return node(type, layer, {x}, x.rank, how);
  }
  // Weights [outputs][inputs].
  operand fully_connected(const std::string& layer, const operand& x, const operand& weights,
                          const std::optional<operand>& bias) {
    if (x.rank == 2)
      return node("Gemm", layer, with_bias({x, weights}, bias), 2, {{"transB", std::int64_t{1}}});
    const auto turned = node("Transpose", layer + "/weights", {weights}, 2, {{"perm", dims{1, 0}}});
    if (!bias) return node("MatMul", layer, {x, turned}, x.rank);
    const auto product = node("MatMul", layer + "/product", {x, turned}, x.rank);
    return node("Add", layer, {product, *bias}, x.rank);
  }
  operand batch_norm(const std::string& layer, const operand& x, const operand& scales,
                     const operand& offsets, const operand& means, const operand& variances,
                     float epsilon) {
    return node("BatchNormalization", layer, {x, scales, offsets, means, variances}, x.rank,
                {{"epsilon", epsilon}});
  }
  // Numbers for the elements along an axis, beside a tensor of so many dimensions.
  static operand along(const array& a, std::size_t rank, std::size_t axis = 1) {
    array longer = a;
    if (a.size() == 1) longer.shape.clear();
    else if (a.shape.size() == 1 && rank > axis) longer.shape.resize(rank - axis, 1);
    return operand::of(std::move(longer));
  }
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
                 std::int64_t end, std::int64_t step = 1) {
    return node("Slice", layer,
                {x, integers({begin}), integers({end}), integers({axis}), integers({step})},
                x.rank);
  }
  operand squeezed(const std::string& layer, const operand& x, const dims& axes) {
    return node("Squeeze", layer, {x, integers(axes)}, x.rank - std::min(axes.size(), x.rank));
  }
  // As numpy's rules align both.
  operand binary(const std::string& layer, const std::string& type, const operand& a,
                 const operand& b) {
    return node(type, layer, {a, b}, std::max(a.rank, b.rank));
  }
  operand resized(const std::string& layer, const operand& x, const operand& scales,
                  const operand& sizes, const std::string& mode, const std::string& places) {
    std::vector<attribute> how{{"mode", mode}, {"coordinate_transformation_mode", places}};
    if (mode == "nearest") how.push_back({"nearest_mode", std::string("floor")});
    return node("Resize", layer, {x, left_out(), scales, sizes}, x.rank, how);
  }
  // Of a tensor of rank 4, by whole numbers.
  operand repeated(const std::string& layer, const operand& x, float height, float width) {
    return resized(layer, x, operand::of(array::of_reals({4}, {1, 1, height, width})), left_out(),
                   "nearest", "asymmetric");
  }

  // The network whose outputs these are; they and their layers are named by the file.
  network finish(const std::string& file, std::size_t bytes,
                 const std::vector<std::pair<std::string, operand>>& outputs) {
    for (const auto& o : outputs) to_.output(o.second.value);
    auto result = onnx_format::reader(file, to_.model(), {}, bytes).read();
    for (net::graph::id n = 0; n < result.graph.size(); ++n)
      if (!std::holds_alternative<net::input>(result.graph[n].op))
        for (auto& form : result.graph[n].in_file)
          form.name = outputs[static_cast<std::size_t>(form.place)].first;
    return result;
  }

 private:
  static std::vector<operand> with_bias(std::vector<operand> inputs,
                                        const std::optional<operand>& bias) {
    if (bias) inputs.push_back(*bias);
    return inputs;
  }
  static std::vector<attribute> grouped(const sliding_window& w, std::int64_t groups) {
    auto how = w.attributes();
    how.push_back({"group", groups});
    if (!w.kernel.empty()) how.push_back({"kernel_shape", w.kernel});  // must fit the weights
    return how;
  }
  std::string fresh(const std::string& hint) { return text(hint, "@", ++last_); }
  // What the file holds is written where it is read first.
  std::string name_of(const operand& o, const std::string& layer) {
    if (!o.value.empty() || !o.known) return o.value;
    auto& [name, kept] = written_[o.known.get()];
    if (name.empty()) {
      name = fresh(layer);
      kept = o.known;  // its address names it
      to_.constant(name, *o.known);
    }
    return name;
  }

  onnx_format::writer to_{opset};
  std::map<const array*, std::pair<std::string, std::shared_ptr<const array>>> written_;
  std::size_t last_ = 0;
};

}  // namespace nvdlac::import::translation
