// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/pass/observers.hpp>

namespace nvdlac::pass {

// A rewrite of a graph whose shapes are inferred. What it changes computes the same outputs.
template <class P, class Graph>
concept pass = requires(Graph& g) {
  { P::name } -> std::convertible_to<std::string_view>;
  { P::description } -> std::convertible_to<std::string_view>;
  { P::run(g) } -> std::same_as<void>;
};

// What runs passes over a graph: a pipeline, or what looks like one.
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
    (run_one<Ps>(g, without, observer), ...);
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

}  // namespace nvdlac::pass
