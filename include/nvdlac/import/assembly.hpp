// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/types.hpp>
#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/net/convolution.hpp>
#include <nvdlac/net/deconvolution.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/large_window.hpp>
#include <nvdlac/net/normalisation.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::net {

// What an operator takes for one picture on the way that nvdlac computes it.
struct work {
  std::uint64_t operations = 0;  // multiplications, comparisons and copies
  std::uint64_t parts = 1;       // smaller layers that it becomes
  std::uint64_t moved = 0;       // elements that are moved one by one for it
};

namespace detail {

constexpr std::uint64_t size_of(std::int64_t n) { return static_cast<std::uint64_t>(n); }

// Taps that meet padding alone are left out, strides beyond the engine's are computed at a divisor
// of theirs, and large kernels in parts. `each`: the operations of a position with all taps.
inline work of_window(const window& whole, shape in, shape out, std::uint64_t each) {
  const window w = with_busy_taps(whole, in);
  each = each / size_of(product({whole.kernel_h, whole.kernel_w})) *
         size_of(product({w.kernel_h, w.kernel_w}));
  const auto axes = convolution_axes::of(w, in);
  const auto positions = [](const convolution_axis& a) {
    return size_of(std::max(a.positions(), a.out));
  };
  work result{.operations = positions(axes.h) * positions(axes.w) * each,
              .parts = size_of(axes.h.parts * axes.w.parts)};
  if (axes.copied())
    result.moved = size_of(product({in.c, axes.h.size, axes.w.size}));
  if (axes.h.keep != 1 || axes.w.keep != 1) result.moved += out.size();
  return result;
}

inline work of_pool(const pool& op, shape in, shape out) {
  const window w = padded_for(op.window_on(in), in, out);
  if (is_convolved(op, in))
    return of_window(w, in, out, size_of(product({in.c, w.kernel_h, w.kernel_w})));
  const auto positions = [](std::int32_t n, std::int32_t stride, std::int32_t engine) {
    return size_of(n) * size_of(std::max(stride / engine, 1));
  };
  return {.operations =
              size_of(in.c) *
              positions(out.h, w.stride_h, static_cast<std::int32_t>(engine_stride(w.stride_h))) *
              positions(out.w, w.stride_w, static_cast<std::int32_t>(engine_stride(w.stride_w))) *
              size_of(std::min(w.kernel_h, in.h)) * size_of(std::min(w.kernel_w, in.w))};
}

// A convolution for each phase; too many are only counted.
inline work of_phases(const deconvolution& op, shape in, shape out) {
  work result{.operations = out.size(),
              .parts = size_of(std::min(op.window.stride_h, out.h)) *
                       size_of(std::min(op.window.stride_w, out.w))};
  if (result.parts > budget::in_force().parts) return result;
  result.parts = 0;
  for (const auto& phase : phases_of(op, in)) {
    const window w = phase.window(in);
    const auto each = size_of(product({op.kernels, in.c / op.groups, w.kernel_h, w.kernel_w}));
    const shape given{op.kernels, phase.rows.count + phase.rows.skip,
                      phase.columns.count + phase.columns.skip};
    const auto of = of_window(w, in, given, each);
    result.operations += of.operations;
    result.parts += of.parts;
    result.moved = std::max(result.moved, of.moved);
  }
  return result;
}

}  // namespace detail

template <operation Op>
work work_of(const Op& op, std::span<const shape> in, shape out) {
  using detail::size_of;
  const auto kernels_apart = [](std::int32_t n) {
    return size_of((n + hw::conv_kernels - 1) / hw::conv_kernels);
  };
  if constexpr (std::is_same_v<Op, convolution>) {
    auto w = detail::of_window(op.window, in[0], out, size_of(op.weight_count(in[0])));
    w.parts *= kernels_apart(op.kernels);
    return w;
  } else if constexpr (std::is_same_v<Op, deconvolution>) {
    return detail::of_phases(op, in[0], out);
  } else if constexpr (std::is_same_v<Op, fully_connected>) {
    auto w = detail::of_window({.kernel_h = in[0].h, .kernel_w = in[0].w}, in[0], out,
                               size_of(op.outputs) * in[0].size());
    w.parts *= kernels_apart(op.outputs);
    return w;
  } else if constexpr (std::is_same_v<Op, pool>) {
    return detail::of_pool(op, in[0], out);
  } else if constexpr (std::is_same_v<Op, lrn>) {
    return {.operations = out.size() * size_of(std::min(op.local_size, in[0].c))};
  } else {
    std::uint64_t elements = out.size();
    for (const shape s : in) elements += s.size();
    return {.operations = elements};
  }
}

}  // namespace nvdlac::net

namespace nvdlac::import {

// What a file calls a tensor that has its elements in the order of a cube.
inline net::file_tensor in_file(const std::string& name, const std::vector<std::int64_t>& shape) {
  return {.name = name, .shape = {shape.begin(), shape.end()}};
}
// The same of a tensor [1, height, width, channels].
inline net::file_tensor channels_last_in_file(const std::string& name, const net::shape& cube) {
  net::file_tensor t{.name = name, .shape = {1, cube.h, cube.w, cube.c}};
  const auto area = cube.h * cube.w;
  if (cube.c > 1 && area > 1) t.walk = {{area, 1}, {cube.c, area}};
  return t;
}

// A graph under construction, where each node's shape is known and its weights are checked when it
// is added. Importers need the shapes on the way: a file may reshape relative to them.
class assembly {
 public:
  using id = net::graph::id;

  assembly(std::string file, diagnostics& problems) : file_(std::move(file)), problems_(problems) {}

  const std::string& file() const { return file_; }
  const net::shape& shape(id n) const { return graph_[n].shape; }
  const std::string& name(id n) const { return graph_[n].name; }

  // Throws `error` with the bare reason if the operator does not accept its inputs; problems of
  // its weights are collected, unless they are known to be wrong already (`checked`).
  template <class Op>
  id add(const std::string& layer, Op op, const std::vector<id>& inputs, std::size_t line = 0,
         bool checked = true) {
    std::vector<net::shape> shapes;
    for (const id n : inputs) shapes.push_back(graph_[n].shape);
    const std::span<const net::shape> in(shapes);
    check_name(layer);
    if (!Op::inputs.contains(in.size()))
      throw error(text("it has ", in.size(), " inputs instead of ", Op::inputs.least));
    const net::shape out = op.infer(in);
    spend(net::work_of(op, in, out), weights_of(op), out);
    if constexpr (requires(diagnostics& found) { op.check(in, found, layer); }) {
      diagnostics found;
      if (checked) op.check(in, found, layer);
      for (problem p : found.problems()) {
        p.file = file_;
        p.line = line;
        problems_.add(std::move(p));
      }
    }
    const id n = graph_.add(unique(layer), net::on_host{}, inputs);
    if constexpr (contains<Op, net::graph::operators>) graph_[n].op = std::move(op);
    else own_.emplace(n, std::move(op));
    graph_[n].shape = out;
    return n;
  }

  // What an input is in the file.
  void mark_input(id n, net::file_tensor form) { graph_[n].in_file = {std::move(form)}; }
  // The next output of the file. One that is an input is a copy of it.
  void mark_output(id n, net::file_tensor form) {
    if (std::holds_alternative<net::input>(graph_[n].op))
      n = add(form.name, net::identity{}, {n});
    check_name(form.name);
    form.place = outputs_++;
    graph_[n].output = true;
    graph_[n].in_file.push_back(std::move(form));
  }

  // Gives n the name of another node, whose own gets a suffix.
  void take_name(id n, id from, const std::string& suffix) {
    taken_.erase(graph_[n].name);
    graph_[n].name = graph_[from].name;
    graph_[from].name = unique(graph_[from].name + suffix);
  }

  const net::graph& graph() const { return graph_; }

  // What the file says of a tensor's int8 values, from `low` on; the first word counts. Gives the
  // scale that does.
  double note_scale(id n, double scale, double low) {
    return scales_.emplace(n, noted{scale, low}).first->second.scale;
  }
  // How the file would have bytes become the values of an input; nothing if it has no bytes for it.
  // Readers of an input that do not agree leave nothing.
  void note_bytes(id n, const std::optional<net::preprocessing>& how) {
    if (const auto [found, is_new] = bytes_.emplace(n, how); !is_new && found->second != how)
      found->second.reset();
  }
  // The preprocessing of the finished graph, if it is the same for all inputs.
  const std::optional<net::preprocessing>& preprocessing() const { return preprocessing_; }

  // What was noted for the nodes of the finished graph, in its order.
  const quant::scale_table& scales() const { return table_; }

  // The graph without the nodes that no output needs, inputs excepted; with operators of the user's
  // own it is one that holds them.
  template <class Graph = net::graph>
  Graph finish() {
    problems_.check();
    std::vector<bool> needed(graph_.size());
    std::vector<id> open = graph_.outputs();
    while (!open.empty()) {
      const id n = open.back();
      open.pop_back();
      if (needed[n]) continue;
      needed[n] = true;
      for (const id from : graph_.inputs(n)) open.push_back(from);
    }
    for (id n = 0; n < graph_.size(); ++n)
      if (!needed[n] && std::holds_alternative<net::input>(graph_[n].op))
        problems_.add({.file = file_, .layer = graph_[n].name,
                       .reason = "no output depends on this input",
                       .remedy = "remove it from the network"});
    problems_.check();
    for (const auto& [n, of] : scales_) {
      if (!needed[n]) continue;
      table_.entries.push_back({graph_[n].name, of.scale});
      table_.entries.back().note_lowest(of.low);
    }
    preprocessing_ = common_preprocessing();
    auto whole = widened<Graph>(std::move(graph_), std::move(own_));
    if (std::find(needed.begin(), needed.end(), false) == needed.end()) return whole;
    return std::move(whole).filtered([&](id n) { return needed[n]; });
  }

 private:
  static void check_name(std::string_view name) {
    if (name.empty() || !escape::is_printable(name))
      throw error("its name is empty or no printable UTF-8 text");
  }

  // Throws before the network becomes larger than any that is meant.
  void spend(const net::work& w, std::uint64_t weights, net::shape out) {
    require_within(&budget::nodes, graph_.size() + 1);
    require_within(&budget::weights, weights_ + weights);
    require_within(&budget::tensors, elements_ + out.size());
    require_within(&budget::parts, w.parts);
    require_within(&budget::moved, w.moved);
    require_within(&budget::operations, operations_ + w.operations);
    weights_ += weights;
    elements_ += out.size();
    operations_ += w.operations;
  }
  // Those that the node keeps: many may have copies of what the file holds once.
  template <class Op>
  static std::uint64_t weights_of(const Op& op) {
    if constexpr (requires { op.weights.size(); }) return op.weights.size();
    else if constexpr (std::is_same_v<Op, net::constant>) return op.value.values.size();
    else return 0;
  }
  // Names of nodes are unique in a graph; a second node of one name gets a number.
  std::string unique(const std::string& layer) {
    std::string name = layer;
    for (int& i = names_[layer]; !taken_.insert(name).second; name = text(layer, "#", i))
      i = std::max(i + 1, 2);
    return name;
  }

  std::optional<net::preprocessing> common_preprocessing() const {
    std::optional<net::preprocessing> common;
    for (id n = 0; n < graph_.size(); ++n) {
      if (!std::holds_alternative<net::input>(graph_[n].op)) continue;
      const auto found = bytes_.find(n);
      if (found == bytes_.end() || !found->second) return std::nullopt;
      if (common && *common != *found->second) return std::nullopt;
      common = found->second;
    }
    return common;
  }

  std::string file_;
  diagnostics& problems_;
  net::graph graph_;
  own_by_node own_{};
  std::set<std::string> taken_;
  std::map<std::string, int> names_;  // as layers have them: the last number that was tried
  std::uint64_t weights_ = 0, elements_ = 0, operations_ = 0;  // of all nodes
  std::int32_t outputs_ = 0;
  struct noted {
    double scale, low;
  };
  std::map<id, noted> scales_;
  std::map<id, std::optional<net::preprocessing>> bytes_;
  std::optional<net::preprocessing> preprocessing_{};
  quant::scale_table table_{.method = "the model's own"};
};

}  // namespace nvdlac::import
