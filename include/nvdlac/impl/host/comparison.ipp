// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/comparison.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

namespace detail {

NVDLAC_IMPL net::shape one_shape(std::span<const net::shape> in) {
  for (const auto& s : in)
    if (s != in[0]) throw error(text("its inputs are of ", in[0], " and ", s));
  return in[0];
}

NVDLAC_IMPL bool holds(relation r, float a, float b) {
  switch (r) {
    case relation::equal: return a == b;
    case relation::greater: return a > b;
    case relation::greater_or_equal: return a >= b;
    case relation::less: return a < b;
    case relation::less_or_equal: return a <= b;
  }
  throw error("it compares by no relation that the host knows");
}

}  // namespace detail

NVDLAC_IMPL net::shape compare::infer(std::span<const net::shape> in) const {
  return detail::one_shape(in);
}

NVDLAC_IMPL net::float_tensor compare::evaluate(
    std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{in[0]->shape};
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = detail::holds(relation, in[0]->values[i],
                                in.size() == 2 ? in[1]->values[i] : number) ? 1.0F : 0.0F;
  return y;
}

NVDLAC_IMPL net::shape peak::infer(std::span<const net::shape> in) const {
  const net::shape s = net::pool{.kind = net::pool_kind::maximum, .window = window}.infer(in);
  if (s != in[0]) throw error(text("its windows make ", s, " of ", in[0]));
  return s;
}

NVDLAC_IMPL net::float_tensor peak::evaluate(std::span<const net::float_tensor* const> in) const {
  auto y = net::pool{.kind = net::pool_kind::maximum, .window = window}.evaluate(in);
  for (std::size_t i = 0; i < y.values.size(); ++i)
    y.values[i] = y.values[i] == in[0]->values[i] ? 1.0F : 0.0F;
  return y;
}

NVDLAC_IMPL net::shape where::infer(std::span<const net::shape> in) const {
  return detail::one_shape(in);
}

NVDLAC_IMPL net::float_tensor where::evaluate(std::span<const net::float_tensor* const> in) const {
  net::float_tensor y{in[0]->shape};
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    const bool first = in.back()->values[i] != 0;
    if (in.size() == 3) y.values[i] = in[first ? 0 : 1]->values[i];
    else y.values[i] = first == of_number ? number : in[0]->values[i];
  }
  return y;
}

}  // namespace nvdlac::host
