// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/lookup.hpp>

namespace nvdlac::quantised {

NVDLAC_IMPL void check_tables(const table_entries& le, const table_entries& lo, diagnostics& found,
                              const std::string& layer) {
  check_values(le, arithmetic::lut::le_last + 1, "table LE", found, layer);
  check_values(lo, arithmetic::lut::lo_last + 1, "table LO", found, layer);
}

NVDLAC_IMPL void lookup::check(std::span<const net::shape>, diagnostics& found,
                               const std::string& layer) const {
  if (interpolates()) check_tables(le, lo, found, layer);
  else check_values(values, size, "table", found, layer);
}

NVDLAC_IMPL net::fp16_tensor lrn::evaluate_real(const net::fp16_tensor& x) const {
  net::fp16_tensor y{x.shape};
  const auto entries = tables_of(le, lo);
  const auto channels = static_cast<std::size_t>(x.shape.c);
  const std::size_t area = x.values.size() / channels, halo = 4;
  std::vector<fp17> v(channels);
  std::vector<fp32> squares(channels + 2 * halo);
  arithmetic::lut_counts counts;
  for (std::size_t p = 0; p < area; ++p) {
    for (std::size_t c = 0; c < channels; ++c) {
      v[c] = arithmetic::convert<fp17>(fp16{x.values[c * area + p].bits});
      const auto wide = arithmetic::convert<fp32>(v[c]);
      squares[c + halo] = arithmetic::mul(wide, wide);
    }
    for (std::size_t c = 0; c < channels; ++c) {
      const auto sum = arithmetic::cdp_sum(squares.data() + c + halo, local_size / 2);
      const auto factor = arithmetic::cdp_lut(table, entries, sum, counts);
      const auto result = arithmetic::cdp_product(v[c], factor, false);
      y.values[c * area + p] = net::half{static_cast<std::uint16_t>(result.bits)};
    }
  }
  return y;
}

}  // namespace nvdlac::quantised
