// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/import/host_results.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

namespace detail {

// Whether a move of matrices of this shape makes a channel of each of their columns.
NVDLAC_IMPL bool joins_matrices(const net::move& m, net::shape in) {
  if (std::int64_t{m.target.c} != std::int64_t{in.c} * in.w || m.target.h != in.h ||
      m.target.w != 1)
    return false;
  bool joins = true;
  for (const net::box& b : m.boxes) {
    if (b.input == net::box::filled) return false;
    net::for_each_element(b, [&](net::position to, net::position from) {
      joins = joins && from == net::position{to.c / in.w, to.y, to.c % in.w};
    });
  }
  return joins;
}

}  // namespace detail

NVDLAC_IMPL void join_products(net::graph& g, const std::vector<bool>& needed) {
  for (net::graph::id n = 0; n < g.size(); ++n) {
    const auto* call = std::get_if<net::on_host>(&g[n].op);
    if (call == nullptr || !needed[n] || g[n].output ||
        call->call != host::call_of(host::matrix_product{}))
      continue;
    std::vector<net::graph::id> readers;
    for (const auto reader : g.consumers(n))
      if (needed[reader]) readers.push_back(reader);
    if (readers.empty() || !std::ranges::all_of(readers, [&](auto reader) {
          const auto* m = std::get_if<net::move>(&g[reader].op);
          return m != nullptr && !g[reader].output && g.inputs(reader).size() == 1 &&
                 detail::joins_matrices(*m, g[n].shape);
        }))
      continue;
    g[n].op = host::on_host(host::joined_matrix_products{});
    g[n].shape = g[readers[0]].shape;
    for (const auto reader : readers) g.replace_uses(reader, n);
  }
}

}  // namespace nvdlac::import
