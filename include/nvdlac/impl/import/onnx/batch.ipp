// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/hub/model.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/onnx/batch.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/cube_builder.hpp>
#include <nvdlac/import/onnx/meaning.hpp>
#include <nvdlac/import/onnx/moving.hpp>
#include <nvdlac/import/onnx/operators.hpp>
#include <nvdlac/import/onnx/value.hpp>
#include <nvdlac/import/user_names.hpp>

namespace nvdlac::import::onnx_format {

NVDLAC_IMPL bool counts_pictures(const hub::graph& graph, std::int64_t n) {
  return std::ranges::all_of(graph.outputs, [&](const hub::tensor& o) {
    const dims* d = o.type && o.type->shape ? &*o.type->shape : nullptr;
    return d == nullptr || d->empty() || d->front() < 1 || d->front() == n;
  });
}

NVDLAC_IMPL std::vector<problem> inputs_of_other_batches(const hub::graph& graph,
                                                         std::int64_t batch) {
  std::vector<problem> found;
  if (batch <= 1) return found;
  for (const auto& i : graph.inputs) {
    const dims d = i.type ? i.type->shape.value_or(dims{}) : dims{};
    if (!d.empty() && d[0] >= 1 && d[0] != batch)
      found.push_back({.layer = i.name,
                       .reason = text("the input ", to_text(d), " is no batch of ",
                                      count_of(batch, "picture"),
                                      ", as another input is"),
                       .remedy = "export the model for a batch of 1"});
  }
  return found;
}

NVDLAC_IMPL std::vector<problem> notes_of_wide_inputs(cube_builder& net, const std::string& file) {
  std::vector<problem> notes;
  for (const auto& [n, g] : net.grids_of_inputs()) {
    if (g.most - g.least <= 255) continue;
    const auto integer = g.zero == 0 ? text("integer")
                                     : text("(integer ", g.zero < 0 ? "+ " : "- ",
                                            g.zero < 0 ? -g.zero : g.zero, ")");
    notes.push_back({.file = file, .layer = net.net().graph()[n].name,
                     .reason = text("the file takes this input as integers from ", g.least,
                                    " to ", g.most,
                                    "; it takes the real numbers that they stand for"),
                     .remedy = text("real = ", g.scale, " * ", integer)});
  }
  return notes;
}

namespace batch_detail {

NVDLAC_IMPL error mixes_pictures(const context& c, const std::string& how) {
  return error(problem{.reason = text(how, ", which mixes the ", count_of(c.batch, "picture"),
                                      " of the batch"),
                       .remedy = "export the model for a batch of 1"});
}

NVDLAC_IMPL std::optional<dims> worked_along(const context& c, std::string_view type) {
  // Operators with an attribute `axis`, and its default.
  static const std::map<std::string_view, std::int64_t> with_axis{
      {"ArgMax", 0}, {"ArgMin", 0}, {"Concat", 1},
      {"DFT", c.n.opset() < 20 ? 1 : -2}, {"Flatten", 1},
      {"Gather", 0}, {"GatherElements", 0}, {"Hardmax", -1}, {"LayerNormalization", -1},
      {"LogSoftmax", -1},
      {"LpNormalization", -1}, {"QLinearConcat", 1}, {"QLinearSoftmax", -1},
      {"RMSNormalization", -1}, {"Softmax", -1}, {"Split", 0}, {"TopK", -1}};
  const auto axes = [&](std::size_t input) -> std::optional<dims> {
    if (auto given = c.n.integers("axes")) return given;
    if (c.is_constant(input)) return c.integers(input, "axes");
    return std::nullopt;
  };
  if (type == "DFT" && c.is_constant(2) && c.constant(2, "axis").size() == 1)
    return dims{static_cast<std::int64_t>(c.constant(2, "axis").number(0))};
  if (const auto found = with_axis.find(type); found != with_axis.end()) {
    const auto opset = type == "QLinearSoftmax" ? c.n.integer("opset", 0) : c.n.opset();
    const bool flat = opset < 13 && (type == "Hardmax" || type.ends_with("oftmax"));
    return dims{c.n.integer("axis", flat ? 1 : found->second)};
  }
  if (type == "MeanVarianceNormalization")
    return c.n.integers("axes").value_or(dims{0, 2, 3});
  if (type == "Squeeze") return axes(1);
  if (type == "Slice") return axes(3);
  if (type == "QLinearReduceMean") return c.n.integers("axes");
  if (type.starts_with("Reduce")) {
    auto given = axes(1);
    const bool all = given && given->empty() && !c.n.flag("noop_with_empty_axes", false);
    return all ? std::nullopt : given;
  }
  return dims{};
}

NVDLAC_IMPL bool aligns_inputs(std::string_view type) {
  static const std::set<std::string_view> all = {
      "Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Sum", "Mean", "PRelu", "MatMul",
      "FusedMatMul", "QLinearAdd", "QLinearMul", "QLinearMatMul", "MatMulInteger",
      "QLinearWhere", "Where", "And", "Or", "Equal", "Greater", "GreaterOrEqual", "Less",
      "LessOrEqual"};
  return all.contains(type);
}

NVDLAC_IMPL void require_batch_first(const context& c, const computed& x, const std::string& what) {
  if (x.shape.empty() || x.shape[0] != 1)
    throw mixes_pictures(c, text(what, " has the shape ", to_text(x.shape),
                                 " for one picture, whose first dimension is not the batch"));
}

}  // namespace batch_detail

NVDLAC_IMPL void require_pictures_apart(const context& c) {
  namespace d = batch_detail;
  if (c.batch <= 1) return;
  const computed* first = nullptr;
  for (std::size_t i = 0; i < c.inputs(); ++i)
    if (const auto* x = std::get_if<computed>(&c.in[i])) {
      d::require_batch_first(c, *x, text("its input ", i));
      if (first == nullptr) first = x;
    }
  if (first == nullptr) return;
  std::string_view type = c.n.type();
  constexpr std::string_view of_runtime = "com.microsoft:";
  if (type.starts_with(of_runtime)) type.remove_prefix(of_runtime.size());
  const auto rank = static_cast<std::int64_t>(first->shape.size());
  const auto is_batch = [&](std::int64_t axis) { return axis == 0 || axis == -rank; };

  if (const auto axes = d::worked_along(c, type); !axes || std::ranges::any_of(*axes, is_batch))
    throw d::mixes_pictures(c, "it works along axis 0");
  if (type == "Unsqueeze")
    if (const auto axes = axes_of(c, 1))
      for (const auto a : *axes)
        if (checked_axis(a, first->shape.size() + axes->size()) == 0)
          throw d::mixes_pictures(c, "it puts an axis before axis 0");
  if (type == "Transpose") {
    const auto perm = c.n.integers("perm");
    if (perm ? perm->empty() || perm->front() != 0 : rank > 1)
      throw d::mixes_pictures(c, "it moves axis 0");
  }
  if (type == "Reshape" && (c.is_constant(1) || c.n.opset() < 5)) {
    const dims target = target_of_reshape(c);
    if (target.empty() || (target[0] != c.batch && target[0] != 0 && target[0] != -1))
      throw d::mixes_pictures(c, "it reshapes axis 0");
  }
  if (type == "Pad")
    if (const auto pads = attribute_or_input(c, name_of_pads(c), 1)) {
      const dims axes = c.is_constant(3) ? c.integers(3, "axes") : ascending(rank, 1);
      for (std::size_t i = 0; i < axes.size() && i + axes.size() < pads->size(); ++i)
        if (is_batch(axes[i]) && ((*pads)[i] != 0 || (*pads)[i + axes.size()] != 0))
          throw d::mixes_pictures(c, "it pads axis 0");
    }
  if (type == "Expand" && c.is_constant(1) &&
      std::cmp_greater(c.integers(1, "dimensions").size(), rank))
    throw d::mixes_pictures(c, "it puts an axis before axis 0");
  const bool fused = type == "FusedMatMul";
  const auto transposes = [&](const char* what) { return c.n.flag(what, false); };
  if (((type.ends_with("Gemm") || (fused && rank < 3)) && transposes("transA")) ||
      (fused && (transposes("transBatchA") || transposes("transBatchB"))))
    throw d::mixes_pictures(c, "it moves axis 0");
  const bool product =
      fused || type == "MatMul" || type == "QLinearMatMul" || type == "MatMulInteger";
  if (product && rank < 3 && !c.is_constant(type == "QLinearMatMul" ? 3 : 1))
    throw d::mixes_pictures(c, "it works along axis 0");
  if (d::aligns_inputs(type))
    for (std::size_t i = 0; i < c.inputs(); ++i)
      if (c.given(i) && std::cmp_not_equal(shape_of(c.in[i]).size(), rank) &&
          (!c.is_constant(i) || std::cmp_greater(shape_of(c.in[i]).size(), rank)))
        throw d::mixes_pictures(c, text("its input ", i, " of shape ", to_text(shape_of(c.in[i])),
                                        " does not have the batch's axis 0 of ",
                                        to_text(first->shape)));
}

NVDLAC_IMPL void require_batch_first(const context& c, const std::vector<value>& out) {
  if (c.batch <= 1) return;
  for (const auto& v : out)
    if (const auto* y = std::get_if<computed>(&v))
      batch_detail::require_batch_first(c, *y, "its output");
}

NVDLAC_IMPL tensor_readers::tensor_readers(const std::vector<node>& nodes,
                                           const std::vector<bool>& live) : nodes_(&nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (live[i])
      for (const auto& name : nodes[i].inputs()) by_name_[name].push_back(i);
}

NVDLAC_IMPL const std::vector<std::size_t>& tensor_readers::of(const std::string& name) const {
  static const std::vector<std::size_t> none;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

NVDLAC_IMPL bool tensor_readers::is_dequantised_first(const std::string& name) const {
  return std::ranges::all_of(of(name), [&](std::size_t i) {
    const auto type = (*nodes_)[i].type();
    return is_of_integers(type) && !type.ends_with("Integer");
  });
}

NVDLAC_IMPL bool tensor_readers::has_channels_last(const std::string& name) const {
  static const std::set<std::string> through = {"Cast", "CastLike", "Identity",
                                              "Add",  "Sub",      "Mul", "Div"};
  std::vector<std::string> open{name};
  std::set<std::string> seen{name};
  while (!open.empty()) {
    const auto& all = of(std::exchange(open.back(), {}));
    open.pop_back();
    if (all.empty()) return false;
    for (const auto i : all) {
      const node& n = (*nodes_)[i];
      if (n.type() == "Transpose") {
        if (!turns_around(n)) return false;
      } else if (!through.contains(n.type()) || n.outputs().size() != 1) {
        return false;
      } else if (seen.insert(n.outputs()[0]).second) {
        open.push_back(n.outputs()[0]);
      }
    }
  }
  return true;
}

NVDLAC_IMPL bool tensor_readers::turns_around(const node& n) {
  try {
    return n.integers("perm") == dims{0, 3, 1, 2};
  } catch (const error&) {
    return false;
  }
}

NVDLAC_IMPL std::vector<problem> unsupported_nodes::take() {
  std::vector<problem> found;
  for (const auto& [type, names] : std::exchange(names_, {})) {
    const auto many = text(" (", count_of(names.size(), "node"), ')');
    problem p{.layer = names.front()};
    p.reason = text("the operator ", type, known_.contains(type)
                                               ? " is supported for constants only"
                                               : " is not supported", many);
    if (!known_.contains(type)) p.remedy = meant_instead_of(type, supported_operators(known_));
    if (!std::exchange(listed_, true)) {
      std::string own;
      for (const auto& name : supported_operators(known_))
        if (!operators().contains(name)) own += ", " + name;
      p.remedy = "supported are those of docs/formats.md" + own + behind(p.remedy);
    }
    if (!own_domain(type).empty())
      p.remedy += text(p.remedy.empty() ? "" : "; ",
                       "an operator of your own is one of those that the importer is given: "
                       "import::network_with<..>, nvdlac_add_cli(.. OPERATOR ..)");
    found.push_back(std::move(p));
  }
  return found;
}

NVDLAC_IMPL std::vector<cut_node> cut_nodes_of(
    const std::vector<node>& nodes, const std::vector<std::string>& outputs,
    const operator_table& known, const std::set<std::size_t>& failed,
    const std::function<bool(const std::string&)>& is_stored) {
  const std::set<std::string> of_network(outputs.begin(), outputs.end());
  std::map<std::string, cut_port> from;
  std::set<std::string> names;
  std::vector<cut_node> all(nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& given = nodes[n].outputs();
    all[n].layer = nodes[n].name();
    const bool alone = given.size() == 1 && names.insert(nodes[n].name()).second;
    for (std::size_t o = 0; o < given.size(); ++o) {
      if (!given[o].empty()) from.emplace(given[o], cut_port{n, o});
      all[n].outputs.push_back(alone ? nodes[n].name() : given[o]);
      all[n].of_network.push_back(of_network.contains(given[o]));
    }
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const auto& type = nodes[n].type();
    const auto is_known = [&](const std::string& i) {
      const auto f = from.find(i);
      return i.empty() || (f == from.end() ? is_stored(i) : all[f->second.node].constant);
    };
    const auto inner = nodes[n].captured();
    all[n].constant = type == "Shape" || type == "Size" ||
                      (std::ranges::all_of(nodes[n].inputs(), is_known) && inner.empty());
    const auto entry = known.find(type);
    all[n].refused = failed.contains(n) || entry == known.end() ||
                     (entry->second.of_constants && !all[n].constant);
    for (const auto* list : {&nodes[n].inputs(), &inner})
      for (const auto& i : *list)
        if (const auto f = from.find(i); f != from.end()) all[n].inputs.push_back(f->second);
  }
  return all;
}

}  // namespace nvdlac::import::onnx_format
