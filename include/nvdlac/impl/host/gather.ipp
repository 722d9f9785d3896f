// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/gather.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL std::int64_t computed_places::on_axis(float index, std::int32_t size) const {
  const float whole = std::nearbyint(index);
  if (absent && whole < 0) return -1;
  if (!(whole >= -static_cast<float>(size) && whole < static_cast<float>(size)))
    throw error(text("it takes element ", index, " of ", size));
  return static_cast<std::int64_t>(whole) + (whole < 0 ? size : 0);
}

NVDLAC_IMPL net::shape gather::infer(std::span<const net::shape> in) const {
  std::int64_t data = net::product({outer, block});
  for (const auto n : sizes) {
    if (n < 1) throw error(text("an axis has ", n, " elements"));
    data = net::product({data, n});
  }
  const auto numbers = static_cast<std::int64_t>(in[1].size());
  const auto each = static_cast<std::int64_t>(sizes.size()) * (own_places ? outer : 1);
  if (outer < 1 || block < 1 || std::cmp_not_equal(in[0].size(), data) || each < 1 ||
      numbers % each != 0)
    throw error(text("its data ", in[0], " and places ", in[1], " do not fit ", outer, " times ",
                     count_of(sizes.size(), "axis", "axes"), " of blocks of ", block));
  if (std::cmp_not_equal(target.size(), net::product({outer, numbers / each, block})))
    throw error(text("its result is not ", target));
  return target;
}

NVDLAC_IMPL net::float_tensor gather::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  const std::span<const float> data(in[0]->values), indices(in[1]->values);
  const std::size_t numbers = sizes.size(), sets = own_places ? static_cast<std::size_t>(outer) : 1,
                    places = indices.size() / numbers / sets;
  const auto each = static_cast<std::size_t>(block),
             all = data.size() / static_cast<std::size_t>(outer);
  auto to = y.values.begin();
  for (std::size_t o = 0; o < static_cast<std::size_t>(outer); ++o)
    for (std::size_t p = 0; p < places; ++p, to += block) {
      const auto place = indices.subspan(((own_places ? o : 0) * places + p) * numbers, numbers);
      std::int64_t at = 0;
      for (std::size_t a = 0; a < numbers && at >= 0; ++a) {
        const auto i = on_axis(place[a], sizes[a]);
        at = i < 0 ? i : at * sizes[a] + i;
      }
      if (at < 0) continue;
      std::ranges::copy(data.subspan(o * all + static_cast<std::size_t>(at) * each, each), to);
    }
  return y;
}

NVDLAC_IMPL net::shape gather_elements::infer(std::span<const net::shape> in) const {
  const auto sides = net::product({outer, inner});
  if (outer < 1 || size < 1 || inner < 1 ||
      std::cmp_not_equal(in[0].size(), net::product({sides, size})) ||
      static_cast<std::int64_t>(in[1].size()) % sides != 0)
    throw error(text("its data ", in[0], " and places ", in[1], " do not fit ", outer, " times ",
                     size, " times ", inner));
  return in[1];
}

NVDLAC_IMPL net::float_tensor gather_elements::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{infer(net::shapes_of(in))};
  const auto lines = static_cast<std::size_t>(size), columns = static_cast<std::size_t>(inner);
  const std::size_t of_each = y.values.size() / static_cast<std::size_t>(outer);
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const auto at = on_axis(in[1]->values[i], size);
    if (at < 0) continue;
    const auto line = i / of_each * lines + static_cast<std::size_t>(at);
    y.values[i] = in[0]->values[line * columns + i % columns];
  }
  return y;
}

}  // namespace nvdlac::host
