// SPDX-License-Identifier: Apache-2.0
#pragma once
// Formats whose pictures have their channels first, as ONNX has them: PyTorch, MXNet and Caffe2.
// Their operators are written in ONNX's terms, so that all formats mean the same by the same
// operator.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/reader.hpp>
#include <nvdlac/import/onnx/writer.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/translation/complaints.hpp>
#include <nvdlac/import/translation/input_shapes.hpp>
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

  std::vector<attribute> attributes() const {
    std::vector<attribute> all{{"strides", strides}, {"dilations", dilations}};
    if (same) all.push_back({"auto_pad", std::string("SAME_UPPER")});
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

// One operator of a file. Tensors have names that are given once.
struct file_layer {
  std::string name{}, type{};
  std::vector<std::string> inputs{}, outputs{};
};
struct file_input {
  std::string name{};
  std::optional<dims> shape{};  // -1 where it is open; nothing: not known
};

// What a format tells of a file, in the order of computation.
struct file_graph {
  std::vector<file_layer> layers{};
  std::vector<file_input> inputs{};
  std::vector<std::string> outputs{};
};

// Translates the part of a file that is wanted. All problems are told together.
class channels_first_translator {
 public:
  // The operands that layer k gives, in the order of its outputs; it may give fewer. `convert`
  // throws what is wrong with it.
  using convert = std::function<std::vector<operand>(std::size_t k)>;

  channels_first_translator(std::string file, const file_graph& graph, const part& wanted,
                            std::size_t bytes)
      : file_(std::move(file)), graph_(graph), wanted_(wanted), bytes_(bytes), problems_(file_),
        shapes_(wanted) {
    require_within(&budget::nodes, graph.layers.size());
    for (std::size_t k = 0; k < graph.layers.size(); ++k)
      for (const auto& o : graph.layers[k].outputs)
        if (!o.empty() && !producers_.emplace(o, k).second)
          problems_.add(graph.layers[k].name, error("its output '" + o + "' is produced twice"));
  }

  layer_writer& to() { return to_; }
  // A tensor whose numbers the file holds.
  void hold(const std::string& name, operand o) { tensors_[name] = std::move(o); }
  bool is_held(const std::string& name) const { return tensors_.contains(name); }
  const operand& at(const std::string& name) const {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw error("nothing produces its input '" + name + "'");
    return found->second;
  }
  // Whether what is wanted depends on a tensor.
  bool needs(const std::string& name) const { return read_.contains(name); }
  // Of the inputs that were converted.
  const std::map<std::string, dims>& shapes_of_inputs() const { return given_; }

  // Inputs first, for what depends on their shapes.
  void read_inputs() {
    choose();
    for (const auto& i : graph_.inputs)
      if (read_.contains(i.name)) problems_.attempt(i.name, [&] { input(i.name, i.shape); });
    for (const auto& name : starts_)
      problems_.attempt(name, [&] { input(name, std::nullopt); });
    shapes_.report_unused(problems_);
    for (const auto& i : graph_.inputs)
      if (!read_.contains(i.name) && wanted_.cuts() == false)
        problems_.add(i.name, error(problem{.reason = "no output depends on this input",
                                            .remedy = "remove it from the network"}));
    for (const auto& i : graph_.inputs)
      if (!is_held(i.name)) broken_.insert(i.name);
  }
  // `known` tells of an operator whether the format's table has it.
  network translate(const std::function<bool(const std::string&)>& known, const convert& how,
                    const std::string& supported) {
    for (std::size_t k = 0; k < graph_.layers.size(); ++k) {
      const auto& l = graph_.layers[k];
      if (!needed_[k]) continue;
      if (!known(l.type)) unsupported_[l.type].push_back(l.name);
      else if (std::ranges::none_of(l.inputs, [&](const auto& i) { return broken_.contains(i); }))
        problems_.attempt(l.name, [&] { apply(k, how); });
      for (const auto& o : l.outputs)
        if (!is_held(o)) broken_.insert(o);
    }
    report_unsupported(supported);
    std::vector<std::pair<std::string, operand>> outputs;
    for (const auto& name : ends_)
      if (!broken_.contains(name))
        problems_.attempt(name, [&] {
          const auto& o = at(name);
          if (o.value.empty()) throw error("this output is constant");
          outputs.emplace_back(name, o);
        });
    problems_.check();
    return to_.finish(file_, bytes_, outputs);
  }
  complaints& problems() { return problems_; }

 private:
  // A tensor by its name, or by that of the layer that gives it first.
  std::optional<std::string> tensor_called(const std::string& name) const {
    if (producers_.contains(name)) return name;
    for (const auto& l : graph_.layers)
      if (l.name == name && !l.outputs.empty()) return l.outputs.front();
    return std::nullopt;
  }
  std::vector<std::string> called(const std::vector<std::string>& wanted) {
    std::vector<std::string> found;
    for (const auto& name : wanted) {
      if (auto t = tensor_called(name)) found.push_back(std::move(*t));
      else problems_.add(name, error("the file has no such layer"));
    }
    return found;
  }
  // The layers on which what is wanted depends.
  void choose() {
    ends_ = wanted_.to.empty() ? graph_.outputs : called(wanted_.to);
    starts_ = called(wanted_.from);
    if (ends_.empty() && wanted_.to.empty())
      problems_.add("", error("the network has no outputs"));
    needed_.assign(graph_.layers.size(), false);
    const std::set<std::string> begin(starts_.begin(), starts_.end());
    std::vector<std::string> open = ends_;
    while (!open.empty()) {
      const auto name = std::move(open.back());
      open.pop_back();
      if (!read_.insert(name).second || begin.contains(name)) continue;
      const auto from = producers_.find(name);
      if (from == producers_.end() || needed_[from->second]) continue;
      needed_[from->second] = true;
      for (const auto& i : graph_.layers[from->second].inputs) open.push_back(i);
    }
  }
  void input(const std::string& name, const std::optional<dims>& told) {
    const auto shape = shapes_.of(name, told);
    hold(name, to_.input(name, shape));
    given_[name] = shape;
  }
  void apply(std::size_t k, const convert& how) {
    const auto& l = graph_.layers[k];
    try {
      auto results = how(k);
      for (std::size_t i = 0; i < std::min(results.size(), l.outputs.size()); ++i)
        // What begins the part is an input already.
        if (!l.outputs[i].empty() && !is_held(l.outputs[i]))
          hold(l.outputs[i], std::move(results[i]));
    } catch (const error& e) {
      auto all = e.problems();
      for (auto& p : all)
        if (p.reason.find(l.type) == p.reason.npos) p.reason = l.type + ": " + p.reason;
      throw error(std::move(all));
    }
  }
  void report_unsupported(const std::string& supported) {
    bool first = true;
    for (const auto& [type, layers] : unsupported_) {
      problem p{.reason = text("the operator ", type, " is not supported (", layers.size(),
                               layers.size() == 1 ? " layer)" : " layers)")};
      if (std::exchange(first, false)) p.remedy = "supported are " + supported;
      problems_.add(layers.front(), error(std::move(p)));
    }
  }

  std::string file_;
  const file_graph& graph_;
  const part& wanted_;
  std::size_t bytes_;
  complaints problems_;
  input_shapes shapes_;
  layer_writer to_;
  std::map<std::string, std::size_t> producers_;
  std::map<std::string, operand> tensors_;
  std::map<std::string, dims> given_;
  std::set<std::string> read_, broken_;
  std::vector<bool> needed_;
  std::vector<std::string> starts_, ends_;
  std::map<std::string, std::vector<std::string>> unsupported_;
};

// The operators of a format's table, for messages.
template <class Table>
std::string names_of(const Table& table) {
  std::string all;
  for (const auto& [type, ignored] : table) all += (all.empty() ? "" : ", ") + std::string(type);
  return all;
}

}  // namespace nvdlac::import::translation
