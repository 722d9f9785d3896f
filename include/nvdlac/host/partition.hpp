// SPDX-License-Identifier: Apache-2.0
#pragma once
// Divides a network between NVDLA and the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/edit_distance.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/host/minimum_cut.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/on_host.hpp>

namespace nvdlac::host {

namespace detail {

template <class Graph>
class partitioner {
 public:
  partitioner(Graph& g, const choice& allowed, const std::vector<problem>& refused)
      : g_(g), allowed_(allowed) {
    for (const auto& p : refused) {
      if (p.layer.empty()) remaining_.push_back(p);
      else refused_[p.layer].push_back(&p);
    }
  }

  std::vector<problem> run() && {
    check_names();
    narrow();
    let_softmaxes_read_pictures();
    std::vector<side> sides;
    bool any = false;
    for (id n = 0; n < g_.size(); ++n) {
      sides.push_back(side_of(n));
      any = any || sides.back() == side::host;
    }
    if (remaining_.empty() && any) {
      leave_movements(sides);
      keep_results(sides);
      move(minimum_cut(sides, tensors()));
    }
    return std::move(remaining_);
  }

 private:
  using id = typename Graph::id;

  // Operators, layers of the host, and layers of the network.
  void check_names() const {
    std::set<std::string_view> known;
    for (const auto name : standard().names()) known.insert(name);
    for_each(typename Graph::operators{}, [&]<class Op>(std::type_identity<Op>) {
      if constexpr (callable<Op>) known.insert(type_name<Op>());
    });
    for (id n = 0; n < g_.size(); ++n) {
      known.insert(g_[n].name);
      if (const auto* op = std::get_if<net::on_host>(&g_[n].op)) known.insert(op->call.layer);
    }
    diagnostics found;
    for (const auto& name : allowed_.names)
      if (!known.contains(name))
        found.add({.reason = text("the host is to compute '", name, "', which is neither a layer "
                                  "of the network nor an operator that the host knows"),
                   .remedy = meant_instead_of(name, {known.begin(), known.end()})});
    found.check();
  }

  // The node computed by the host; nothing if it cannot.
  std::optional<net::on_host> moved(id n) const {
    if (is_wide(n) && !is_join(n)) return std::nullopt;
    return nvdlac::visit([]<class Op>(const Op& op) -> std::optional<net::on_host> {
      if constexpr (std::is_same_v<Op, net::on_host>) return op;
      else if constexpr (callable<Op>) return on_host(op);
      else return std::nullopt;
    }, g_[n].op);
  }
  bool allows(id n, const net::host_call& c) const {
    const auto kind = nvdlac::visit([]<class Op>(const Op&) { return type_name<Op>(); }, g_[n].op);
    return allowed_.allows({c.layer, kind, g_[n].name});
  }

  side side_of(id n) {
    const auto refused = refused_.find(g_[n].name);
    const bool only_host = std::holds_alternative<net::on_host>(g_[n].op);
    if (refused == refused_.end() && std::holds_alternative<net::softmax>(g_[n].op)) {
      if (allowed_.what == choice::kind::nothing)
        refuse(n, {.reason = "softmax is computed on the host"}, "softmax");
      return side::host;
    }
    const auto on_host = moved(n);
    const bool allowed = on_host && allows(n, on_host->call);
    if (refused == refused_.end() && !only_host)
      return allowed && !is_wide(n) ? side::either : side::nvdla;
    if (allowed) return side::host;
    const std::string_view helps = on_host ? std::string_view(on_host->call.layer) : "";
    if (only_host)
      refuse(n, {.reason = text("no engine of NVDLA computes '", on_host->call.layer, "'",
                                described(*on_host))}, helps);
    else
      for (const auto* why : refused->second) refuse(n, *why, helps);
    return side::nvdla;
  }
  static std::string described(const net::on_host& op) {
    const bool more = op.layer != nullptr && !op.layer->description.empty();
    return more ? ", " + op.layer->description : "";
  }
  void refuse(id n, problem why, std::string_view layer) {
    why.layer = g_[n].name;
    if (!layer.empty()) {
      if (!why.remedy.empty()) why.remedy += "; or ";
      why.remedy += text("let the host compute it: --host allow, or --host ", layer);
    }
    remaining_.push_back(std::move(why));
  }

  static bool is_native(const Graph& g, id n) {
    return std::holds_alternative<net::softmax>(g[n].op);
  }
  bool is_join(id n) const {
    return std::holds_alternative<net::concat>(g_[n].op) ||
           std::holds_alternative<net::move>(g_[n].op);
  }
  // More tensors than one call takes.
  bool is_wide(id n) const { return g_.inputs(n).size() > net::most_host_inputs; }
  bool moves(id n) const {
    return nvdlac::visit([]<class Op>(const Op&) { return contains<Op, movements>; }, g_[n].op);
  }
  // Whether the host has to compute the node, which NVDLA does not.
  bool needs_host(id n) const {
    if (std::holds_alternative<net::on_host>(g_[n].op)) return true;
    if (!refused_.contains(g_[n].name)) return false;
    const auto on_host = moved(n);
    return on_host && allows(n, on_host->call);
  }
  // Whether the host has to read a tensor: nobody else does.
  bool is_for_host(id n) const {
    const auto readers = g_.consumers(n);
    return !g_[n].output && !readers.empty() && std::ranges::all_of(readers, [&](id r) {
      return needs_host(r) || (moves(r) && is_for_host(r));
    });
  }

  // Brings many tensors together some at a time, where the host is to do it.
  void narrow() {
    for (id n = 0, all = g_.size(); n < all; ++n) {
      if (!is_join(n) || !is_wide(n) || !allows(n, moved(n)->call)) continue;
      if (refused_.contains(g_[n].name) || is_for_host(n)) chain(n);
    }
  }
  void chain(id n) {
    const std::vector<id> in(g_.inputs(n).begin(), g_.inputs(n).end());
    const auto* const m = std::get_if<net::move>(&g_[n].op);
    const auto whole = m != nullptr ? std::optional(*m) : std::nullopt;  // g_ grows
    std::size_t first = 0;
    std::optional<id> before;
    while (true) {
      const std::size_t room = net::most_host_inputs - (before ? 1 : 0);
      const std::size_t end = std::min(in.size(), first + room);
      std::vector<id> inputs;
      if (before) inputs.push_back(*before);
      for (auto i = first; i < end; ++i) inputs.push_back(in[i]);
      typename Graph::any_operator op = net::concat{};
      if (whole) op = part_of(*whole, first, end, before.has_value());
      if (end == in.size()) {
        g_[n].op = std::move(op);
        return g_.set_inputs(n, inputs);
      }
      std::vector<net::shape> shapes;
      for (const auto i : inputs) shapes.push_back(g_[i].shape);
      const auto shape = nvdlac::visit([&]<class Op>(const Op& o) -> net::shape {
        if constexpr (std::is_same_v<Op, net::concat> || std::is_same_v<Op, net::move>)
          return o.infer(shapes);
        else return {};
      }, op);
      before = g_.add(unused_name(g_[n].name + "/some"), std::move(op), inputs);
      g_[*before].shape = shape;
      first = end;
    }
  }
  // The boxes of the inputs from `first` up to `end`, and of those before, which are where they
  // belong; places of the others are filled until they come.
  static net::move part_of(const net::move& whole, std::size_t first, std::size_t end,
                           bool behind_others) {
    net::move part{.target = whole.target, .fill = whole.fill};
    std::vector<net::box> boxes;
    for (net::box b : whole.boxes) {
      const auto input = b.input == net::box::filled ? end : static_cast<std::size_t>(b.input);
      if (b.input != net::box::filled && input < first) {
        b.input = 0;
        b.from = b.to;
        for (auto& loop : b.loops) loop.from = loop.to;
      } else if (input < end) {
        b.input = static_cast<std::int32_t>(input - first) + (behind_others ? 1 : 0);
      } else {
        b.input = net::box::filled;
      }
      boxes.push_back(b);
    }
    part.boxes = std::move(boxes);
    return part;
  }
  std::string unused_name(const std::string& wish) const {
    std::set<std::string_view> names;
    for (id n = 0; n < g_.size(); ++n) names.insert(g_[n].name);
    std::string name = wish;
    for (int i = 2; names.contains(name); ++i) name = text(wish, '_', i);
    return name;
  }

  // NVDLA's runtime has a softmax of features. The host's own, where it is allowed, may read the
  // picture that they were before they were flattened, for which NVDLA would turn each element.
  void let_softmaxes_read_pictures() {
    for (id n = 0; n < g_.size(); ++n) {
      if (!is_native(g_, n) || refused_.contains(g_[n].name)) continue;
      const id from = g_.inputs(n)[0];
      if (!rearranges(from) || g_[from].output || g_.consumers(from).size() > 1 ||
          !allows(n, moved(n)->call) || !allows(from, moved(from)->call))
        continue;
      const net::shape in = g_[g_.inputs(from)[0]].shape;
      if (in.c != g_[from].shape.c && (in.h > 1 || in.w > 1)) g_[n].op = *moved(n);
    }
  }
  // Leaves movements of elements that the host alone reads to the host: NVDLA would take cycles,
  // and one scale for what comes together.
  void leave_movements(std::vector<side>& sides) const {
    const auto order = g_.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) {
      const auto readers = g_.consumers(*n);
      if (sides[*n] == side::either && moves(*n) && !g_[*n].output && !readers.empty() &&
          std::ranges::all_of(readers, [&](id r) {
            return sides[r] == side::host && !is_native(g_, r);
          }))
        sides[*n] = side::host;
    }
  }

  // Whether a node gives all elements of its one input in another order or under another shape;
  // what takes neighbouring channels as they stand may be a part of the cube, without a layer.
  bool rearranges(id n) const {
    if (std::holds_alternative<net::reshape>(g_[n].op) ||
        std::holds_alternative<net::flatten>(g_[n].op))
      return true;
    const auto* m = std::get_if<net::move>(&g_[n].op);
    if (m == nullptr || g_.inputs(n).size() != 1) return false;
    const net::shape in = g_[g_.inputs(n)[0]].shape;
    return m->target.size() == in.size() &&
           !net::first_channel_taken(m->target, {m->boxes.data(), m->boxes.size()}, {&in, 1});
  }
  // Leaves what only rearranges a result of the host to the host, which writes it in any order.
  void keep_results(std::vector<side>& sides) const {
    for (const id n : g_.order())
      if (sides[n] == side::either && rearranges(n) && sides[g_.inputs(n)[0]] == side::host &&
          !is_native(g_, g_.inputs(n)[0]))
        sides[n] = side::host;
  }

  // Inputs of the user and constants are in the memory of both.
  std::vector<tensor_users> tensors() const {
    std::vector<tensor_users> result;
    for (id n = 0; n < g_.size(); ++n) {
      if (g_.inputs(n).empty()) continue;
      tensor_users users{n};
      for (const id reader : g_.consumers(n)) users.push_back(reader);
      if (users.size() > 1) result.push_back(std::move(users));
    }
    return result;
  }

  void move(const std::vector<side>& sides) {
    for (id n = 0; n < g_.size(); ++n) {
      const bool native = std::holds_alternative<net::softmax>(g_[n].op) &&
                          !refused_.contains(g_[n].name);
      if (sides[n] == side::host && !native) g_[n].op = *moved(n);
    }
  }

  Graph& g_;
  const choice& allowed_;
  std::map<std::string, std::vector<const problem*>> refused_{};  // of several configurations
  std::vector<problem> remaining_{};
};

}  // namespace detail

// Moves operators to the host: those that NVDLA does not run, as `refused` says by their names, and
// those between them whose tensors need not cross then; all as far as the user allows it. The
// graph has its shapes. What is refused still is returned, with what would help. Names that the
// user allows and nothing has are an `error`.
template <class Graph>
std::vector<problem> partition(Graph& g, const choice& allowed,
                               const std::vector<problem>& refused) {
  return detail::partitioner<Graph>(g, allowed, refused).run();
}

}  // namespace nvdlac::host
