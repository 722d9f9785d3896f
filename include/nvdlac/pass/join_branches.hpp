// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums of convolutions of one tensor.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// Where the taps of `window` are among those of `whole`, if they are all among them at every step.
struct tap_offset {
  std::int32_t y = 0, x = 0;

  static std::optional<tap_offset> of(const net::window& window, const net::window& whole);
};

// Adds a convolution, times a factor, to one in whose window its taps are.
void add_branch(net::convolution& whole, const net::convolution& branch, float factor);
// Adds a line of each channel, times a factor, to a convolution with a tap on the element itself.
void add_branch(net::convolution& whole, const net::scale& line, float factor);

// Convolutions of one tensor whose sum is read, the lines of its channels and the tensor itself
// become one convolution, where the largest window among them holds the taps of the others: the
// branches with which RepVGG and MobileOne are trained. What else the sum has is added behind it.
// The sum of one convolution and the tensor itself stays: SDP adds that beside the convolution, and
// int8 would lose small weights beside a 1.
struct join_branches {
  static constexpr std::string_view name = "join_branches";
  static constexpr std::string_view description =
      "make a sum of several convolutions of one tensor, and of its copies, one convolution";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    const auto order = g.order();
    for (auto n = order.rbegin(); n != order.rend(); ++n) {  // the whole of a sum before its parts
      if (r.removed(*n) || !as<net::add>(g, *n)) continue;
      std::vector<term> terms;
      collect(g, r, *n, 1, terms);
      join(g, r, *n, std::move(terms));
    }
    r.finish();
  }

 private:
  struct term {
    std::size_t node = 0;
    float factor = 1;
    bool joins = false;  // whether only the sum reads it
  };

  template <class Graph>
  static void collect(const Graph& g, const rewriter<Graph>& r, typename Graph::id sum,
                      float factor, std::vector<term>& terms) {
    const auto coefficients = as<net::add>(g, sum)->coefficients;
    for (std::size_t side = 0; side < 2; ++side) {
      const auto from = g.inputs(sum)[side];
      const float times = factor * coefficients[side];
      const auto* inner = as<net::add>(g, from);
      const bool is_part = r.only_feeds(from, sum);
      if (is_part && inner != nullptr && !inner->relu && g[from].shape == g[sum].shape)
        collect(g, r, from, times, terms);
      else terms.push_back({from, times, is_part});
    }
  }

  // The convolution without activation that a term of the sum is.
  template <class Graph>
  static const net::convolution* convolution_of(const Graph& g, const term& t) {
    const auto* c = t.joins ? as_alone<net::convolution>(g, t.node) : nullptr;
    return c != nullptr && !c->relu ? c : nullptr;
  }
  // The scaling of a tensor that a term is: one that only the sum reads, or the tensor itself.
  template <class Graph>
  static std::pair<net::scale, std::size_t> scaling_of(const Graph& g, const term& t) {
    const auto* s = t.joins ? as<net::scale>(g, t.node) : nullptr;
    if (s != nullptr && !s->relu) return {*s, g.inputs(t.node)[0]};
    return {net::scale{.factor = {1.0F}}, t.node};
  }

  // The joined convolution of the term at `first`; the terms that it has are taken out.
  template <class Graph>
  static std::optional<net::convolution> joined(const Graph& g, net::shape out,
                                                std::size_t first, std::vector<term>& terms) {
    net::convolution whole = *convolution_of(g, terms[first]);
    const auto source = g.inputs(terms[first].node)[0];
    const auto channels = g[source].shape.c;
    scale_by(whole, terms[first].factor);
    std::vector<term> left;
    bool several = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (i == first) continue;
      const term& t = terms[i];
      const bool fits = g[t.node].shape == out;
      if (const auto* c = convolution_of(g, t); c != nullptr && fits) {
        if (g.inputs(t.node)[0] == source && c->groups == whole.groups &&
            tap_offset::of(c->window, whole.window)) {
          add_branch(whole, *c, t.factor);
          several = true;
          continue;
        }
      } else if (const auto& [line, of] = scaling_of(g, t);
                 fits && of == source && channels == whole.kernels &&
                 tap_offset::of(net::window{}, whole.window)) {
        add_branch(whole, line, t.factor);
        continue;
      }
      left.push_back(t);
    }
    if (!several) return std::nullopt;
    terms = std::move(left);
    return whole;
  }
  static void scale_by(net::convolution& c, float factor) {
    for (auto* values : {&c.weights, &c.bias})
      for (float& v : *values) v *= factor;
  }

  // The place of the largest window among the convolutions that are not yet tried.
  template <class Graph>
  static std::optional<std::size_t> largest(const Graph& g, net::shape out,
                                            const std::vector<term>& terms,
                                            const std::vector<std::size_t>& tried) {
    std::optional<std::size_t> best;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto* c = convolution_of(g, terms[i]);
      if (c == nullptr || g[terms[i].node].shape != out) continue;
      if (std::ranges::find(tried, terms[i].node) != tried.end()) continue;
      const std::int64_t taps = std::int64_t{c->window.kernel_h} * c->window.kernel_w;
      if (taps <= most) continue;
      most = taps;
      best = i;
    }
    return best;
  }

  template <class Graph>
  static void join(Graph& g, rewriter<Graph>& r, typename Graph::id n, std::vector<term> terms) {
    const net::shape out = g[n].shape;
    const bool relu = as<net::add>(g, n)->relu;
    std::vector<std::size_t> tried;
    std::vector<std::pair<net::convolution, std::size_t>> wholes;  // each with what it reads
    while (const auto first = largest(g, out, terms, tried)) {
      const auto node = terms[*first].node;
      tried.push_back(node);
      const auto source = g.inputs(node)[0];
      if (auto c = joined(g, out, *first, terms)) wholes.emplace_back(*std::move(c), source);
    }
    if (wholes.empty()) return;
    if (wholes.size() == 1 && terms.empty()) {
      wholes[0].first.relu = relu;
      g[n].op = std::move(wholes[0].first);
      r.set_inputs(n, {wholes[0].second});
      return;
    }
    const std::string base = g[n].name;
    std::vector<term> all;
    for (auto& [c, source] : wholes)
      all.push_back({r.add(base + "/branches", std::move(c), {source}), 1});
    all.insert(all.end(), terms.begin(), terms.end());
    term sum = all[0];
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
      const net::add part{.coefficients = {sum.factor, all[i].factor}};
      sum = {r.add(base + "/sum", part, {sum.node, all[i].node}), 1};
    }
    g[n].op = net::add{.relu = relu, .coefficients = {sum.factor, all.back().factor}};
    r.set_inputs(n, {sum.node, all.back().node});
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/join_branches.ipp>
#endif
