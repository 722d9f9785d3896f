// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions and poolings over more lines or columns than the hardware counts.
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/net/move.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/sliding.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// One dimension of a window over a cube, in parts of its positions.
struct cut_dimension {
  net::sliding window{};
  std::int32_t size = 1;       // of the input
  std::int32_t positions = 1;  // of the result
  std::int32_t each = 1;       // of a part, but for the last

  // As few parts as the registers allow, of the same size.
  static cut_dimension of(net::sliding window, std::int32_t size, std::int32_t positions);
  std::int32_t parts() const { return (positions + each - 1) / each; }
  std::int32_t count(std::int32_t part) const {
    return part + 1 < parts() ? each : positions - part * each;
  }
  // The range of the input that a part reads, with its share of the padding.
  net::range read_by(std::int32_t part) const;
};

// A convolution or pooling whose input or result is more than 8192 high or wide is computed in
// parts, whose inputs overlap as windows do.
struct cut_cubes {
  static constexpr std::string_view name = "cut_cubes";
  static constexpr std::string_view description =
      "compute what is higher or wider than the hardware's cubes in parts";

  template <class Graph>
  static void run(Graph& g) {
    if constexpr (contains<net::move, typename Graph::operators>) {
      rewriter<Graph> r(g);
      for (const auto n : g.order()) {
        if (const auto* c = as_alone<net::convolution>(g, n)) cut(g, r, n, net::convolution(*c));
        if (const auto* p = as<net::pool>(g, n); p != nullptr && !p->global)
          cut(g, r, n, net::pool(*p));
      }
      r.finish();
    }
  }

 private:
  // The part of a cube from this line and column on.
  static net::move slice(net::shape to, std::int32_t line, std::int32_t column);

  template <class Graph, class Op>
  static void cut(Graph& g, rewriter<Graph>& r, typename Graph::id n, Op whole) {
    const auto from = g.inputs(n).front();
    const net::shape in = g[from].shape, out = g[n].shape;
    const auto high = cut_dimension::of(net::vertical(whole.window), in.h, out.h),
               wide = cut_dimension::of(net::horizontal(whole.window), in.w, out.w);
    if (high.parts() == 1 && wide.parts() == 1) return;
    const std::string base = g[n].name;
    // A stack of several, or the only one.
    const auto joined = [&](const std::vector<typename Graph::id>& all, bool columns) {
      if (all.size() == 1) return all.front();
      std::vector<net::shape> shapes;
      for (const auto a : all) shapes.push_back(g[a].shape);
      return r.add(base + "/stack", net::stack(shapes, columns), all);
    };
    std::vector<typename Graph::id> rows;
    for (std::int32_t i = 0; i < high.parts(); ++i) {
      std::vector<typename Graph::id> row;
      for (std::int32_t j = 0; j < wide.parts(); ++j) {
        const net::range lines = high.read_by(i), columns = wide.read_by(j);
        const net::shape piece{in.c, lines.count, columns.count};
        Op part = whole;
        part.window.pad_top = lines.pad_before;
        part.window.pad_bottom = lines.pad_after;
        part.window.pad_left = columns.pad_before;
        part.window.pad_right = columns.pad_after;
        const auto source =
            r.add(base + "/lines", slice(piece, lines.first, columns.first), {from});
        row.push_back(r.add(base + "/cut", std::move(part), {source}));
      }
      rows.push_back(joined(row, true));
    }
    // The node itself becomes the last step, so that its name and its readers stay.
    const auto last = joined(rows, false);
    g[n].op = *as<net::move>(g, last);
    const std::vector<typename Graph::id> inputs(g.inputs(last).begin(), g.inputs(last).end());
    r.set_inputs(n, inputs);
    r.remove(last);
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/cut_cubes.ipp>
#endif
