// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::host {

// The products of the matrices in the channels of two tensors: [c][rows][n] by [c][n][columns].
struct matrix_product {
  static constexpr net::arity inputs{2, 2};
  static constexpr std::string_view description = "a product of two computed tensors";

  static constexpr void fields(auto&&) {}

  std::uint64_t operations(std::span<const net::shape> in) const;
  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<matrix_product>);

// Products of matrices side by side, [c * columns][rows][1]: as layers behind attention read what
// its heads give, a column for each channel.
struct joined_matrix_products {
  static constexpr net::arity inputs{2, 2};
  static constexpr std::string_view description = "products of two computed tensors, side by side";

  static constexpr void fields(auto&&) {}

  std::uint64_t operations(std::span<const net::shape> in) const {
    return matrix_product{}.operations(in);
  }
  net::shape infer(std::span<const net::shape> in) const;
  net::float_tensor evaluate(std::span<const net::float_tensor* const> in) const;
};
static_assert(net::operation<joined_matrix_products>);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/matrix_product.ipp>
#endif
