// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/tensorflow/elementwise.hpp>
#include <nvdlac/import/tensorflow/layout.hpp>
#include <nvdlac/import/tensorflow/operators.hpp>
#include <nvdlac/import/translation/shared_operators.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL const std::map<std::string_view, operator_entry>& operators() {
  static const std::map<std::string_view, operator_entry> all = [] {
    std::map<std::string_view, operator_entry> m = {
        {"AccumulateNV2", {on_add_n}}, {"Add", {binary_of<"Add">}}, {"AddN", {on_add_n}},
        {"AddV2", {binary_of<"Add">}}, {"BatchMatMul", {on_batch_mat_mul}},
        {"BatchMatMulV2", {on_batch_mat_mul}},
        {"BatchToSpaceND", {on_batch_to_space, 0, true, true}},
        {"BiasAdd", {on_bias_add, 0, false, true}},
        {"BroadcastTo", {on_broadcast_to, 0, true}}, {"Cast", {on_cast, 0, true}},
        {"CheckNumerics", {on_identity, 0, true, true}}, {"ClipByValue", {on_clip}},
        {"Concat", {on_concat, 1, true}}, {"ConcatV2", {on_concat_v2, 0, true}},
        {"Conv2D", {on_conv, 0, false, true}},
        {"Conv2DBackpropInput", {on_conv_transpose, 2}},
        {"DepthwiseConv2dNative", {on_depthwise_conv, 0, false, true}},
        {"Div", {binary_of<"Div">}}, {"Erf", {unary_of<"Erf">}},
        {"ExpandDims", {on_expand_dims, 0, true, true}},
        {"FakeQuantWithMinMaxArgs", {on_fake_quant_args}},
        {"FakeQuantWithMinMaxVars", {on_fake_quant_vars}},
        {"FakeQuantWithMinMaxVarsPerChannel", {on_fake_quant_vars}}, {"Fill", {on_fill, 1}},
        {"FloorDiv", {on_floor_div}}, {"FusedBatchNorm", {on_batch_norm, 0, false, true}},
        {"FusedBatchNormV2", {on_batch_norm, 0, false, true}},
        {"FusedBatchNormV3", {on_batch_norm, 0, false, true}},
        {"Gather", {on_gather, 0, true}}, {"GatherV2", {on_gather, 0, true}},
        {"Identity", {on_identity, 0, true, true}}, {"Inv", {unary_of<"Reciprocal">}},
        {"LRN", {on_lrn}}, {"LeakyRelu", {on_leaky_relu, 0, false, true}},
        {"LogSoftmax", {on_log_softmax}}, {"MatMul", {on_mat_mul}},
        {"MirrorPad", {on_mirror_pad, 0, true}}, {"Mul", {binary_of<"Mul">}},
        {"OnesLike", {on_ones_like, 0, true}}, {"Pack", {on_pack, 0, true}},
        {"Pad", {on_pad, 0, true}}, {"PadV2", {on_pad, 0, true}},
        {"PlaceholderWithDefault", {on_placeholder_with_default, 0, true}},
        {"PreventGradient", {on_identity, 0, true, true}}, {"Range", {on_range}},
        {"Rank", {on_rank, 0, true}}, {"ReadVariableOp", {on_identity, 0, true}},
        {"RealDiv", {binary_of<"Div">}}, {"Reciprocal", {unary_of<"Reciprocal">}},
        {"Reshape", {on_reshape, 0, true}}, {"ResizeBilinear", {on_resize_bilinear}},
        {"ResizeNearestNeighbor", {on_resize_nearest, 0, true}},
        {"ReverseV2", {on_reverse, 0, true}}, {"Rint", {unary_of<"Round">}},
        {"Rsqrt", {on_rsqrt}}, {"Selu", {unary_of<"Selu">}}, {"Shape", {on_shape, 0, true}},
        {"Size", {on_size, 0, true}}, {"Slice", {on_slice, 0, true}},
        {"Snapshot", {on_identity, 0, true, true}}, {"Softmax", {on_softmax}},
        {"Softplus", {unary_of<"Softplus">}}, {"Softsign", {unary_of<"Softsign">}},
        {"SpaceToBatchND", {on_space_to_batch}}, {"Split", {on_split, 1, true}},
        {"SplitV", {on_split_v, 0, true}}, {"Square", {on_square}},
        {"SquaredDifference", {on_squared_difference}},
        {"Squeeze", {on_squeeze, 0, true, true}},
        {"StopGradient", {on_identity, 0, true, true}},
        {"StridedSlice", {on_strided_slice, 0, true}}, {"Sub", {binary_of<"Sub">}},
        {"Tan", {unary_of<"Tan">}}, {"Tile", {on_tile, 0, true}},
        {"Transpose", {on_transpose, 0, true}}, {"Unpack", {on_unpack, 0, true}},
        {"ZerosLike", {on_zeros_like, 0, true}},
    };
    for (const auto& o : translation::shared_operators<conversion>)
      m.emplace(o.tensorflow, operator_entry{o.convert, 0, o.of_any_type, o.of_blocks});
    return m;
  }();
  return all;
}

NVDLAC_IMPL bool is_variable(std::string_view op) {
  return op == "VarHandleOp" || op == "Variable" || op == "VariableV2";
}

NVDLAC_IMPL bool is_placeholder(std::string_view op) {
  return op == "Placeholder" || op == "PlaceholderV2";
}

NVDLAC_IMPL schedule::schedule(const std::vector<node>& nodes,
                               const std::vector<named_port>& outputs, std::set<port> starts)
    : nodes_(nodes), starts_(std::move(starts)), constant_(nodes.size(), true),
      state_(nodes.size(), fresh) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const auto& p : nodes[i].inputs) readers_[p].push_back(i);
  for (const auto& o : outputs) {
    outputs_.insert(o.at);
    visit(o.at.node);
  }
  for (const auto n : sorted_)
    if (!is_start(n) && !is_known(nodes_[n])) add_unsupported(n);
}

NVDLAC_IMPL std::vector<port> schedule::starts_of(std::size_t n) const {
  std::vector<port> all;
  for (auto p = starts_.lower_bound({n, 0}); p != starts_.end() && p->node == n; ++p)
    all.push_back(*p);
  return all;
}

NVDLAC_IMPL const std::vector<std::size_t>& schedule::readers_of(port p) const {
  static const std::vector<std::size_t> none;
  const auto found = readers_.find(p);
  return found == readers_.end() ? none : found->second;
}

NVDLAC_IMPL std::vector<std::size_t> schedule::outputs_of(std::size_t n) const {
  std::vector<std::size_t> all;
  for (auto p = readers_.lower_bound({n, 0}); p != readers_.end() && p->first.node == n; ++p)
    all.push_back(p->first.output);
  return all;
}

NVDLAC_IMPL bool schedule::feeds_unsupported_alone(std::size_t n) const {
  const auto outputs = outputs_of(n);
  return !outputs.empty() && std::ranges::all_of(outputs, [&](std::size_t k) {
    return std::ranges::all_of(readers_of({n, k}),
                               [&](std::size_t r) { return refused_.contains(r); });
  });
}

NVDLAC_IMPL std::vector<problem> schedule::take_problems() {
  std::vector<problem> found;
  for (const auto& [op, all] : unsupported_) refused_.insert(all.begin(), all.end());
  for (const auto& [op, all] : std::exchange(unsupported_, {}))
    found.push_back(problem_of(op, all));
  if (found.empty() && refused_.empty() && !cycle_.empty())
    found.push_back({.layer = std::exchange(cycle_, {}), .reason = "nodes lie on a cycle"});
  return found;
}

NVDLAC_IMPL bool schedule::is_known(const node& n) {
  return operators().contains(n.op()) || is_placeholder(n.op()) || is_variable(n.op()) ||
         n.op() == "Const";
}

NVDLAC_IMPL bool schedule::is_control_flow(std::string_view op) {
  static const std::set<std::string_view> all = {
      "Enter", "Exit", "If", "LoopCond", "Merge", "NextIteration", "RefEnter", "RefExit",
      "RefMerge", "RefNextIteration", "RefSwitch", "StatelessIf", "StatelessWhile", "Switch",
      "While"};
  return all.contains(op);
}

NVDLAC_IMPL void schedule::visit(std::size_t first) {
  std::vector<std::pair<std::size_t, std::size_t>> stack;
  const auto enter = [&](std::size_t n) {
    if (state_[n] != fresh) return;
    state_[n] = open;
    stack.emplace_back(n, 0);
  };
  enter(first);
  while (!stack.empty()) {
    auto& [n, next] = stack.back();
    const auto& in = nodes_[n].inputs;
    if (next < in.size() && !is_start(n)) {
      const auto from = in[next++].node;
      if (state_[from] == open) cycle_ = nodes_[from].name();
      else enter(from);
      continue;
    }
    state_[n] = done;
    constant_[n] = !is_start(n) && !is_placeholder(nodes_[n].op()) &&
                   std::ranges::all_of(in, [&](port p) { return bool{constant_[p.node]}; });
    sorted_.push_back(n);
    stack.pop_back();
  }
}

NVDLAC_IMPL problem schedule::problem_of(const std::string& op,
                                         const std::vector<std::size_t>& all) const {
  std::string layers;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i)
    layers += (i == 0 ? "" : ", ") + nodes_[all[i]].name();
  const bool control = is_control_flow(op);
  return {.layer = nodes_[all.front()].name(),
          .reason = text("the operator ", escape::is_printable(op) ? op : "?",
                         control ? ", which is control flow," : "", " is not supported (",
                         all.size(), all.size() == 1 ? " node" : " nodes: " + layers,
                         all.size() > 3 ? ", ..)" : ")"),
          .remedy = {}};
}

NVDLAC_IMPL std::vector<cut_node> schedule::cut_nodes() const {
  std::vector<cut_node> all(nodes_.size());
  for (const auto n : sorted_) {
    const bool tells_shape = nodes_[n].op() == "Shape" || nodes_[n].op() == "Rank" ||
                             nodes_[n].op() == "Size";
    all[n].constant = constant_[n] || tells_shape || is_placeholder(nodes_[n].op());
    all[n].layer = nodes_[n].name();
    all[n].refused = refused_.contains(n) || failed_.contains(n);
    for (const auto& p : nodes_[n].inputs) {
      if (is_start(n)) break;
      all[n].inputs.push_back({p.node, p.output});
      auto& ends = all[p.node].outputs;
      for (auto k = ends.size(); k <= p.output; ++k)
        ends.push_back(nodes_[p.node].name() + (k == 0 ? "" : text(":", k)));
    }
  }
  for (const auto& o : outputs_) {
    auto& n = all[o.node];
    for (auto k = n.outputs.size(); k <= o.output; ++k)
      n.outputs.push_back(nodes_[o.node].name() + (k == 0 ? "" : text(":", k)));
    n.of_network.resize(n.outputs.size(), false);
    n.of_network[o.output] = true;
  }
  return all;
}

NVDLAC_IMPL std::optional<dims> placeholder_shape(const node& n) {
  const auto shape = n.message("shape", "shape");
  auto declared = shape ? shape_of(*shape) : std::nullopt;
  if (declared && declared->empty()) declared.reset();
  return declared;
}

NVDLAC_IMPL std::optional<dims> told_shape(const std::vector<node>& nodes, const node& n) {
  if (is_placeholder(n.op())) return placeholder_shape(n);
  if (n.op() != "Reshape" || n.inputs.size() != 2) return std::nullopt;
  const node& shape = nodes[n.inputs[1].node];
  if (shape.op() != "Const") return std::nullopt;
  const auto value = shape.message("value", "tensor");
  if (!value) return std::nullopt;
  const auto rank = shape_of(value->child("tensor_shape"));
  if (!rank || rank->size() != 1 || (*rank)[0] > 8) return std::nullopt;
  const array a = to_array(*value);
  return a.real ? std::nullopt : std::optional(a.integers);
}

}  // namespace nvdlac::import::tensorflow_format
