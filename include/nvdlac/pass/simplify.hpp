// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passes after which there are fewer operators.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

struct fold_constants {
  static constexpr std::string_view name = "fold_constants";
  static constexpr std::string_view description = "compute what depends on constants only";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto inputs = g.inputs(n);
      std::vector<const net::float_tensor*> in;
      for (const auto i : inputs)
        if (const auto* c = as<net::constant>(g, i)) in.push_back(&c->value);
      if (inputs.empty() || in.size() != inputs.size()) continue;
      const auto value = nvdlac::visit(
          [&](const auto& op) {
            if constexpr (requires { op.evaluate(std::span<const net::float_tensor* const>(in)); })
              return op.evaluate(std::span<const net::float_tensor* const>(in));
            else
              return net::float_tensor{.values = {}};
          },
          g[n].op);
      if (value.values.empty()) continue;
      g[n].op = net::constant{value};
      r.set_inputs(n, {});
    }
    r.finish();
  }
};

struct fuse_relu {
  static constexpr std::string_view name = "fuse_relu";
  static constexpr std::string_view description =
      "make relu a part of the operator before it, also across a maximum or a concat";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (!as<net::relu>(g, n)) continue;
      const auto from = g.inputs(n).front();
      if (!r.only_feeds(from, n) || !r.can_bypass(n, from)) continue;
      const auto fusing = behind_maxima(g, r, from);
      if (as<net::concat>(g, fusing) ? fuse_all(g, r, fusing) : fuse(g, fusing))
        r.bypass(n, from);
    }
    r.finish();
  }

 private:
  // The maximum of what relu gives is what relu gives for the maximum; so is the minimum.
  template <class Graph>
  static typename Graph::id behind_maxima(const Graph& g, const rewriter<Graph>& r,
                                          typename Graph::id n) {
    while (const auto* p = as<net::pool>(g, n)) {
      const auto above = g.inputs(n).front();
      if (p->kind == net::pool_kind::average || !r.only_feeds(above, n)) break;
      n = above;
    }
    return n;
  }
  template <class Graph>
  static bool fuse(Graph& g, typename Graph::id n) {
    return nvdlac::visit(
        [](auto& op) {
          if constexpr (requires { op.relu = true; }) return op.relu = true;
          else return false;
        },
        g[n].op);
  }
  // Into all that a concat joins, or into none.
  template <class Graph>
  static bool fuse_all(Graph& g, const rewriter<Graph>& r, typename Graph::id n) {
    const auto inputs = g.inputs(n);
    const bool all = std::ranges::all_of(inputs, [&](auto i) {
      return r.only_feeds(i, n) && nvdlac::visit([](const auto& op) {
               return requires { bool{op.relu}; };
             }, g[i].op);
    });
    if (all)
      for (const auto i : inputs) fuse(g, i);
    return all;
  }
};

// A sum, a product, a maximum or a minimum of which one side is a convolution that nothing else
// reads becomes a part of it: SDP joins the other side before it rounds. The convolution takes the
// name of what joins. Whether it can is the hardware's business, so that this is no pass of a
// pipeline: `prepare` runs it when the hardware is known, behind all others.
struct fuse_sum {
  static constexpr std::string_view name = "fuse_sum";
  static constexpr std::string_view description =
      "make a sum, product, maximum or minimum a part of the convolution before it, where the "
      "hardware can compute it there";

  // can(convolution, joint) tells of the two nodes whether it can. Of two convolutions the one that
  // is computed last takes the other.
  template <class Graph, class Can>
  static void run(Graph& g, const Can& can) {
    using id = typename Graph::id;
    const auto order = g.order();
    std::vector<std::size_t> place(g.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    rewriter<Graph> r(g);
    for (const id n : order) {
      if (!joint::of(g, n)) continue;
      const auto inputs = g.inputs(n);
      const std::size_t last = place[inputs[0]] < place[inputs[1]] ? 1 : 0;
      for (const std::size_t side : {last, 1 - last})
        if (is_fusible(g, r, n, side) && can(inputs[side], n)) {
          fuse(g, r, n, side);
          break;
        }
    }
    r.finish();
  }

 private:
  // The function of its two inputs that node n computes, if it joins them element by element.
  struct joint {
    net::combination how = net::combination::sum;
    bool relu = false;
    std::array<float, 2> coefficients{1.0F, 1.0F};

    template <class Graph>
    static std::optional<joint> of(const Graph& g, typename Graph::id n) {
      using enum net::combination;
      if (const auto* a = as<net::add>(g, n)) return joint{sum, a->relu, a->coefficients};
      if (const auto* m = as<net::multiply>(g, n)) return joint{product, m->relu};
      if (const auto* e = as<net::extremum>(g, n))
        return joint{e->kind == net::extremum_kind::maximum ? maximum : minimum, e->relu};
      return std::nullopt;
    }
  };

  template <class Graph>
  static bool is_fusible(const Graph& g, const rewriter<Graph>& r, typename Graph::id n,
                         std::size_t side) {
    const auto inputs = g.inputs(n);
    const auto from = inputs[side], other = inputs[1 - side];
    const auto* c = as_alone<net::convolution>(g, from);
    return c != nullptr && !c->relu && r.only_feeds(from, n) && g[from].shape == g[n].shape &&
           g[other].shape == g[n].shape && joint::of(g, n)->coefficients[1 - side] == 1 &&
           !reads_picture(g, from);
  }
  // A convolution that may take pixels, for which CONV has no operand to join.
  template <class Graph>
  static bool reads_picture(const Graph& g, typename Graph::id n) {
    auto from = g.inputs(n)[0];
    while (as<net::scale>(g, from) != nullptr || as<net::clip>(g, from) != nullptr)
      from = g.inputs(from)[0];  // a clipping that no pixel reaches is left out
    return is_input(g, from);
  }
  template <class Graph>
  static void fuse(Graph& g, rewriter<Graph>& r, typename Graph::id n, std::size_t side) {
    const auto inputs = g.inputs(n);
    const auto from = inputs[side];
    const joint j = *joint::of(g, n);
    net::convolution c = std::move(*as<net::convolution>(g, from));
    for (auto* values : {&c.weights, &c.bias})
      for (float& v : *values) v *= j.coefficients[side];
    c.relu = j.relu;
    c.with_second = j.how;
    g[n].op = std::move(c);
    r.set_inputs(n, {g.inputs(from)[0], inputs[1 - side]});
  }
};

struct remove_dead {
  static constexpr std::string_view name = "remove_dead";
  static constexpr std::string_view description = "remove what no output depends on; inputs stay";

  template <class Graph>
  static void run(Graph& g) {
    std::vector<bool> needed(g.size(), false);
    std::vector<typename Graph::id> open = g.outputs();
    while (!open.empty()) {
      const auto n = open.back();
      open.pop_back();
      if (needed[n]) continue;
      needed[n] = true;
      for (const auto i : g.inputs(n)) open.push_back(i);
    }
    g = std::move(g).filtered([&](auto n) { return needed[n] || is_input(g, n); });
  }
};

// Removes identity; reshape and flatten that keep the shape, or whose reader takes any shape
// (fully_connected, another reshape); relu of what is not negative; scale by one; pooling of single
// elements; concat of one. An identity that must stay, because input and output of the network are
// the same, becomes a reshape.
struct remove_identity {
  static constexpr std::string_view name = "remove_identity";
  static constexpr std::string_view description = "remove operators that change nothing";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      if (r.removed(n) || g.inputs(n).size() != 1) continue;
      auto from = g.inputs(n).front();
      if (reads_any_shape(g, n))
        while (is_reshape(g, from)) {
          const auto before = g.inputs(from).front();
          r.set_inputs(n, {before});
          from = before;
        }
      if (!changes_nothing(g, n, from)) continue;
      if (r.can_bypass(n, from)) r.bypass(n, from);
      else if (as<net::identity>(g, n)) g[n].op = net::reshape{g[n].shape};
    }
    r.finish();
  }

 private:
  template <class Graph>
  static bool is_reshape(const Graph& g, typename Graph::id n) {
    return as<net::reshape>(g, n) || as<net::flatten>(g, n);
  }
  template <class Graph>
  static bool reads_any_shape(const Graph& g, typename Graph::id n) {
    return is_reshape(g, n) || as<net::fully_connected>(g, n);
  }
  template <class Graph>
  static bool is_rectified(const Graph& g, typename Graph::id n) {
    return nvdlac::visit(
        [](const auto& op) {
          if constexpr (std::same_as<std::decay_t<decltype(op)>, net::relu>) return true;
          else if constexpr (requires { op.relu; }) return bool{op.relu};
          else return false;
        },
        g[n].op);
  }
  template <class Graph>
  static bool changes_nothing(const Graph& g, typename Graph::id n, typename Graph::id from) {
    if (as<net::identity>(g, n) || as<net::concat>(g, n)) return true;
    if (is_reshape(g, n)) return g[n].shape == g[from].shape;
    if (as<net::relu>(g, n)) return is_rectified(g, from);
    if (const auto* s = as<net::scale>(g, n))
      return !s->relu && std::ranges::all_of(s->factor, [](float f) { return f == 1.0F; }) &&
             std::ranges::all_of(s->bias, [](float b) { return b == 0.0F; });
    if (const auto* p = as<net::pool>(g, n))
      return p->window_on(g[from].shape) == net::window{};
    return false;
  }
};

}  // namespace nvdlac::pass
