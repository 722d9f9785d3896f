// SPDX-License-Identifier: Apache-2.0
#pragma once
// How passes become a pipeline, who watches it, and the standard one.
#include <array>
#include <concepts>
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/chain_pools.hpp>
#include <nvdlac/pass/compose_convolutions.hpp>
#include <nvdlac/pass/constant_channels.hpp>
#include <nvdlac/pass/cut_cubes.hpp>
#include <nvdlac/pass/fold_windows.hpp>
#include <nvdlac/pass/join_branches.hpp>
#include <nvdlac/pass/join_slices.hpp>
#include <nvdlac/pass/mean_last.hpp>
#include <nvdlac/pass/merge_blocks.hpp>
#include <nvdlac/pass/merge_channels.hpp>
#include <nvdlac/pass/merge_selections.hpp>
#include <nvdlac/pass/part_outputs.hpp>
#include <nvdlac/pass/repeat_last.hpp>
#include <nvdlac/pass/select_first.hpp>
#include <nvdlac/pass/separate_deconvolution.hpp>
#include <nvdlac/pass/simplify.hpp>
#include <nvdlac/pass/split.hpp>
#include <nvdlac/pass/split_features.hpp>
#include <nvdlac/pass/split_maps.hpp>
#include <nvdlac/pass/split_windows.hpp>

namespace nvdlac::pass {

// Observers see the graph after every pass: `template <class P> void after(const Graph&)`.

struct silent {
  template <class P, class Graph>
  void after(const Graph&) const {}
};

// Throws std::logic_error, for it is a defect of the pass, if the graph is not sound any more.
struct verify {
  template <class P, class Graph>
  void after(const Graph& g) const {
    std::string found;
    for (const auto& p : net::verify(g)) found.append("\n").append(to_string(p));
    if (!found.empty())
      throw std::logic_error("after the pass " + std::string(P::name) + ":" + found);
  }
};

// One line per pass: its name and the number of nodes.
struct trace {
  std::ostream& out;

  template <class P, class Graph>
  void after(const Graph& g) const {
    out << std::left << std::setw(20) << P::name << std::right << std::setw(5) << g.size()
        << " nodes\n";
  }
};

// Prints the graph as text after the pass of this name, or after every pass if no name is given.
struct dump {
  std::ostream& out;
  std::string pass = {};

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (!pass.empty() && pass != P::name) return;
    out << "# after " << P::name << '\n';
    net::dump(out, g);
  }
};

// Prints the graph in Graphviz's language after the pass of this name, or after every pass if no
// name is given.
struct dot {
  std::ostream& out;
  std::string pass = {};

  template <class P, class Graph>
  void after(const Graph& g) const {
    if (pass.empty() || pass == P::name) net::graphviz(out, g, P::name);
  }
};

// Both observers, one after the other.
template <class First, class Second>
struct both {
  both(First one, Second two) : first(std::move(one)), second(std::move(two)) {}

  First first;
  Second second;

  template <class P, class Graph>
  void after(const Graph& g) {
    first.template after<P>(g);
    second.template after<P>(g);
  }
};

// A rewrite of a graph whose shapes are inferred. What it changes computes the same outputs.
template <class P, class Graph>
concept pass = requires(Graph& g) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::description } -> std::convertible_to<std::string_view>;
  { P::run(g) } -> std::same_as<void>;
};

// A type that runs passes over a graph: a pipeline, or what looks like one.
template <class P, class Graph>
concept runs_over = requires(Graph& g, const std::set<std::string>& without, silent observer) {
  P::run(g, without, observer);
};

struct pass_info {
  std::string_view name, description;
};

// Passes in the order in which they run; the observer sees the graph after each.
template <class... Ps>
struct pipeline {
  static constexpr std::array<pass_info, sizeof...(Ps)> passes{
      pass_info{Ps::name, Ps::description}...};

  // Runs all passes but those named in `without`. Throws if a name is unknown, and the problems of
  // a graph whose shapes cannot be inferred.
  template <class Graph, class Observer = silent>
  static void run(Graph& g, const std::set<std::string>& without = {}, Observer&& observer = {}) {
    static_assert(
        (pass<Ps, Graph> && ...),
        "nvdlac: a pass needs `name`, `description` and `static void run(Graph&)`");
    check_names(without);
    net::infer_shapes(g);
    const bool has_outputs = !g.outputs().empty();
    (run_one<Ps>(g, without, observer), ...);
    if (has_outputs && g.outputs().empty())
      throw error("the network has no output any more behind the passes");
    net::infer_shapes(g);  // the constants that the passes made, too
  }

  // Throws if a name is not that of a pass, nor of what runs besides.
  static void check_names(const std::set<std::string>& names,
                          std::span<const pass_info> besides = {}) {
    std::string known;
    std::set<std::string> all;
    for (const auto list : {std::span<const pass_info>(passes), besides})
      for (const auto& p : list) {
        known += (known.empty() ? "" : ", ") + std::string(p.name);
        all.insert(std::string(p.name));
      }
    diagnostics problems;
    for (const auto& name : names)
      if (!all.contains(name))
        problems.add(
            {.reason = "there is no pass '" + name + "'", .remedy = "the passes are " + known});
    problems.check();
  }

 private:
  template <class P, class Graph, class Observer>
  static void run_one(Graph& g, const std::set<std::string>& without, Observer& observer) {
    if (without.contains(std::string(P::name))) return;
    P::run(g);
    net::infer_shapes(g, net::check_constants::no);
    observer.template after<P>(g);
  }
};

template <class... A, class... B>
consteval pipeline<A..., B...> operator|(pipeline<A...>, pipeline<B...>) {
  return {};
}

// The passes that every network goes through before its scales are chosen.
using standard = pipeline<remove_dead,
                          fold_constants,
                          remove_identity,
                          merge_bias,
                          merge_batch_norm,
                          fuse_relu,
                          join_slices,
                          merge_selections,
                          constant_channels,
                          repeat_last,
                          compose_convolutions,
                          join_branches,
                          merge_blocks,
                          chain_pools,
                          part_outputs,
                          select_first,
                          fold_windows,
                          separate_deconvolution,
                          split_deconvolution,
                          mean_last,
                          split_global_pool,
                          cut_cubes,
                          split_features,
                          split_maps,
                          split_windows,
                          split_kernels>;

}  // namespace nvdlac::pass
