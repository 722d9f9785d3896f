// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/axes.hpp>
#include <nvdlac/host/top_k.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::shape best_of_axis::infer(std::span<const net::shape> in) const {
  if (std::ranges::count(axes, true) != 1)
    throw error(text("it goes over ", std::ranges::count(axes, true), " axes, not over one"));
  const auto along = static_cast<std::int64_t>(in[0].size() / reduced(in[0], axes).size());
  if (count < 1 || count > along)
    throw error(text("it gives the best ", count, " of ", count_of(along, "value")));
  return {axes[0] ? count : in[0].c, axes[1] ? count : in[0].h, axes[2] ? count : in[0].w};
}

template <class Give>
void best_of_axis::visit(const net::float_tensor& x, Give give) const {
  const net::shape shapes[]{x.shape};
  const net::shape out = infer(shapes);
  std::vector<std::vector<std::size_t>> to;
  for_each_line(out, axes, [&](const auto& line) { to.push_back(line); });
  std::size_t next = 0;
  std::vector<std::size_t> order;
  for_each_line(x.shape, axes, [&](const std::vector<std::size_t>& line) {
    order.resize(line.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const float va = x.values[line[a]], vb = x.values[line[b]];
      return least ? va < vb : va > vb;
    });
    for (std::size_t k = 0; k < to[next].size(); ++k)
      give(to[next][k], x.values[line[order[k]]], order[k]);
    ++next;
  });
}

NVDLAC_IMPL net::float_tensor top_k::evaluate(std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  visit(*in[0], [&](std::size_t i, float value, std::size_t) { y.values[i] = value; });
  return y;
}

NVDLAC_IMPL std::int64_t places_of_top_k::counts_to(std::span<const net::shape> in) const {
  return static_cast<std::int64_t>(in[0].size() / reduced(in[0], axes).size()) - 1;
}

NVDLAC_IMPL net::float_tensor places_of_top_k::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  visit(*in[0],
        [&](std::size_t i, float, std::size_t place) { y.values[i] = static_cast<float>(place); });
  return y;
}

}  // namespace nvdlac::host
