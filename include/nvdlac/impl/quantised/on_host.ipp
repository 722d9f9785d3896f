// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/quantised/on_host.hpp>

namespace nvdlac::quantised {

NVDLAC_IMPL net::any_tensor on_host::evaluate(std::span<const net::any_tensor* const> in,
                                              std::span<const double> scales,
                                              hw::precision precision, double scale) const {
  if (!(scale > 0)) throw error("a layer of the host has a scale that is not above 0");
  std::vector<net::float_tensor> values;
  for (std::size_t i = 0; i < in.size(); ++i) values.push_back(real_of(*in[i], scales[i]));
  std::vector<const net::float_tensor*> each;
  for (const auto& t : values) each.push_back(&t);
  const auto result = net::on_host{call, layer}.evaluate(each);
  for (const float x : result.values)
    if (std::isnan(x))
      throw error(text("the host's layer '", call.layer,
                       "' gives a value that is not a number"));
  return numbers_of(result, scale, precision);
}

NVDLAC_IMPL float half_precision(float x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const int unit = std::max(exponent, -13) - 11;  // 11 bits, steps of at least 2^-24
  return std::ldexp(std::round(std::ldexp(x, -unit)), unit);
}

}  // namespace nvdlac::quantised
