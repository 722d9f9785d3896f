// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace nvdlac::net {

// Computes a sound graph: apply(id, span of pointers to the inputs) gives a node's tensor, then
// visit(id, tensor) sees it. A tensor is freed after its last reader. `Tensor` has no other role.
template <class Tensor, class Graph, class Apply, class Visit>
void walk(const Graph& g, Apply apply, Visit visit) {
  std::vector<Tensor> tensors(g.size());
  std::vector<std::size_t> readers(g.size());
  for (const auto n : g.order()) {
    const auto inputs = g.inputs(n);
    std::vector<const Tensor*> in;
    for (const auto i : inputs) in.push_back(&tensors[i]);
    tensors[n] = apply(n, std::span<const Tensor* const>(in));
    visit(n, std::as_const(tensors[n]));
    readers[n] = g.consumers(n).size();
    if (readers[n] == 0) tensors[n] = Tensor{};
    for (const auto i : inputs)
      if (--readers[i] == 0) tensors[i] = Tensor{};
  }
}

}  // namespace nvdlac::net
