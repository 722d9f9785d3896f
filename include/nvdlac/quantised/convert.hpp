// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// SDP from one precision to another. Integers become out(x), saturated; int16 also becomes the
// nearest fp16, of two the even one. fp16 becomes int16 alone: the nearest integer, halves away
// from 0, saturated.
struct convert {
  static constexpr net::arity inputs{1, 1};

  hw::precision to = hw::precision::fp16;
  converter out{};
  static constexpr void fields(auto&& field) {
    field("to", &convert::to);
    field("out", &convert::out);
  }

  constexpr net::shape infer(std::span<const net::shape> in) const { return in[0]; }
  template <class T>
  net::any_tensor evaluate(std::span<const net::tensor<T>* const> in) const {
    net::any_tensor y = make_tensor(to, in[0]->shape);
    nvdlac::visit([&]<class U>(net::tensor<U>& result) {
      for (std::size_t i = 0; i < result.values.size(); ++i)
        result.values[i] = finish<U>(in[0]->values[i]);
    }, y);
    return y;
  }

 private:
  template <class U, class T>
  constexpr U finish(T x) const {
    if constexpr (is_real<T> != is_real<U> && (sizeof(T) == 1 || sizeof(U) == 1))
      throw error("SDP brings neither int8 to fp16 nor fp16 to int8 at once");
    else if constexpr (!is_real<T> && !is_real<U>) return written<U>(x, false, out);
    else if constexpr (!is_real<T>)
      return {static_cast<std::uint16_t>(arithmetic::from_integer<fp16>(out(x)).bits)};
    else if constexpr (is_real<U>) return x;
    else return static_cast<U>(arithmetic::to_integer<16>(fp16{x.bits}));
  }
};
static_assert(net::operation<convert>);

}  // namespace nvdlac::quantised
