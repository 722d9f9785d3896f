// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nvdlac/net/integer/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// Any function of int8: y = values[x + 128].
struct lookup {
  static constexpr arity inputs{1, 1};
  static constexpr std::int64_t size = 256;

  constants<std::int8_t> values{};

  constexpr std::int8_t finish(std::int8_t x) const {
    return values[static_cast<std::size_t>(x + 128)];
  }

  constexpr shape infer(std::span<const shape> in) const { return in[0]; }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(values, size, "table", found, layer);
  }
  constexpr fitting fit_constants(std::span<const shape> in) const {
    return all_of({fit_values(values, size, "table"), fit_known(values, "table"), in[0]});
  }
  template <std::same_as<std::int8_t> T>
  tensor<T> evaluate(std::span<const tensor<T>* const> in) const {
    tensor<T> y = *in[0];
    fit_constants(std::array{y.shape}).value();
    for (auto& v : y.values) v = finish(v);
    return y;
  }
};
static_assert(operation<lookup>);

}  // namespace nvdlac::net::integer
