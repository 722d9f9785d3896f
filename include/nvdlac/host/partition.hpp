// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::host {

// Who computes what, so that the fewest tensors go from NVDLA to the host or back.

// Who can compute an operator.
enum class side : std::uint8_t { nvdla, host, either };

// The operators that write or read one tensor: it crosses if they are not all on one side.
using tensor_users = std::vector<std::size_t>;

// Who computes each operator, none of them `either`: with the fewest crossings, and among these
// with the fewest operators on the host.
inline std::vector<side> minimum_cut(std::span<const side> operators,
                                     std::span<const tensor_users> tensors) {
  using traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::bidirectionalS>;
  struct vertex {
    boost::default_color_type color{};
    std::int64_t distance = 0;
    traits::edge_descriptor predecessor{};
  };
  struct edge { std::int64_t capacity = 0, residual = 0; traits::edge_descriptor reverse{}; };
  using flow =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, vertex, edge>;

  const std::size_t n = operators.size(), source = n, sink = n + 1;
  flow g(n + 2 + 2 * tensors.size());
  const auto connect = [&](std::size_t from, std::size_t to, std::int64_t capacity) {
    const auto there = add_edge(from, to, edge{.capacity = capacity}, g).first;
    const auto back = add_edge(to, from, edge{}, g).first;
    g[there].reverse = back;
    g[back].reverse = there;
  };
  // What NVDLA computes stays with the source. All operators on the host cost less than a crossing.
  const auto crossing = static_cast<std::int64_t>(n) + 1;
  const auto never = crossing * (static_cast<std::int64_t>(tensors.size()) + 1);
  for (std::size_t i = 0; i < n; ++i) {
    if (operators[i] == side::host) connect(i, sink, never);
    else connect(source, i, operators[i] == side::nvdla ? never : 1);
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const std::size_t any_nvdla = n + 2 + 2 * t, all_nvdla = any_nvdla + 1;
    connect(any_nvdla, all_nvdla, crossing);
    for (const auto user : tensors[t]) {
      connect(user, any_nvdla, never);
      connect(all_nvdla, user, never);
    }
  }
  boykov_kolmogorov_max_flow(g, get(&edge::capacity, g), get(&edge::residual, g),
                             get(&edge::reverse, g), get(&vertex::predecessor, g),
                             get(&vertex::color, g), get(&vertex::distance, g),
                             get(boost::vertex_index, g), source, sink);
  const auto reached = g[source].color;
  std::vector<side> result;
  for (std::size_t i = 0; i < n; ++i)
    result.push_back(g[i].color == reached ? side::nvdla : side::host);
  return result;
}

// Divides a network between NVDLA and the host.
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
    std::vector<side> sides;
    bool any = false;
    for (id n = 0; n < g_.size(); ++n) {
      sides.push_back(side_of(n));
      any = any || sides.back() == side::host;
    }
    if (remaining_.empty() && any) move(minimum_cut(sides, tensors()));
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
                                  "of the network nor an operator that the host knows")});
    found.check();
  }

  // The node computed by the host; nothing if it cannot.
  std::optional<net::on_host> moved(id n) const {
    if (g_.inputs(n).size() > net::most_host_inputs) return std::nullopt;
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
    if (refused == refused_.end() && !only_host) return allowed ? side::either : side::nvdla;
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

  // What the user gives, and constants, are in the memory of both.
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
