// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/matrix_product.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

NVDLAC_IMPL net::shape matrix_product::infer(std::span<const net::shape> in) const {
  const auto &a = in[0], &b = in[1];
  if (a.c != b.c || a.w != b.h)
    throw error(text("its matrices ", a, " and ", b, " cannot be multiplied"));
  return net::checked_shape(a.c, a.h, b.w);
}

NVDLAC_IMPL std::uint64_t matrix_product::operations(std::span<const net::shape> in) const {
  return std::uint64_t{infer(in).size()} * static_cast<std::uint64_t>(in[0].w);
}

NVDLAC_IMPL net::float_tensor matrix_product::evaluate(
    std::span<const net::float_tensor* const> in) const {
  const net::float_tensor &a = *in[0], &b = *in[1];
  net::float_tensor y{infer(net::shapes_of(in))};
  std::vector<double> row(static_cast<std::size_t>(y.shape.w));
  for (std::int32_t c = 0; c < y.shape.c; ++c)
    for (std::int32_t i = 0; i < y.shape.h; ++i) {
      row.assign(row.size(), 0);
      for (std::int32_t k = 0; k < a.shape.w; ++k)
        for (std::int32_t j = 0; j < y.shape.w; ++j)
          row[static_cast<std::size_t>(j)] += double{a.at(c, i, k)} * double{b.at(c, k, j)};
      for (std::int32_t j = 0; j < y.shape.w; ++j)
        y.at(c, i, j) = static_cast<float>(row[static_cast<std::size_t>(j)]);
    }
  return y;
}

NVDLAC_IMPL net::shape joined_matrix_products::infer(std::span<const net::shape> in) const {
  const net::shape each = matrix_product{}.infer(in);
  return net::checked_shape(std::int64_t{each.c} * each.w, each.h, 1);
}

NVDLAC_IMPL net::float_tensor joined_matrix_products::evaluate(
    std::span<const net::float_tensor* const> in) const {
  const net::float_tensor each = matrix_product{}.evaluate(in);
  net::float_tensor y{infer(net::shapes_of(in))};
  for (std::int32_t c = 0; c < y.shape.c; ++c)
    for (std::int32_t i = 0; i < y.shape.h; ++i)
      y.at(c, i, 0) = each.at(c / each.shape.w, i, c % each.shape.w);
  return y;
}

}  // namespace nvdlac::host
