// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/lookup.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// CDP: v = saturate<9>(in(x)); s the sum of v^2 over local_size channels around the element's own,
// as far as they exist; y = saturate<8>(out(table(s) * v)). In int16 saturate<17> and saturate<16>;
// in fp16 y = table(s) * x, and there are no converters.
struct lrn {
  static constexpr net::arity inputs{1, 1};

  std::int32_t local_size = 5;          // 3, 5, 7 or 9
  converter in{}, out{};                // offsets of 8 and 25 bits in int8, shifts of 5 and 6
  arithmetic::lut_settings table{};
  table_entries le{}, lo{};             // 65 and 257 entries
  static constexpr void fields(auto&& field) {
    field("local_size", &lrn::local_size);
    field("in", &lrn::in);
    field("out", &lrn::out);
    field("table", &lrn::table);
    field("le", &lrn::le);
    field("lo", &lrn::lo);
  }

  constexpr net::fitting fit(std::span<const net::shape> shapes) const {
    if (local_size < 3 || local_size > 9 || local_size % 2 == 0)
      return {net::rule::local_size_is_not_3_5_7_or_9, {local_size}};
    if (in.shift > 31) return {net::rule::shift_above_its_range, "input shift", {31}};
    if (out.shift > 63) return {net::rule::shift_above_its_range, "output shift", {63}};
    if (!fits_registers<38, 8>(table)) return net::rule::offset_or_table_beyond_the_registers;
    return shapes[0];
  }
  // In int8, CDP compares the starts with sums of 22 bits and takes 6 bits of a step; in int16 it
  // takes 7.
  constexpr net::fitting fit_in(hw::precision p, net::shape s) const {
    const bool fits = p == hw::precision::int8
                          ? fits_registers<22, 6>(table) && saturate<8>(in.offset) == in.offset &&
                                saturate<25>(out.offset) == out.offset
                          : p == hw::precision::fp16 || fits_registers<38, 7>(table);
    return fits ? net::fitting(s) : net::rule::offset_or_table_beyond_the_registers;
  }
  constexpr net::shape infer(std::span<const net::shape> shapes) const {
    return fit(shapes).value();
  }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const {
    check_tables(le, lo, found, layer);
  }
  constexpr net::fitting fit_constants(std::span<const net::shape> shapes) const {
    return net::all_of({fit_tables(le, lo), shapes[0]});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> inputs_of) const {
    const net::tensor<T>& x = *inputs_of[0];
    infer(std::array{x.shape});
    fit_in(net::precision_of_type<T>, x.shape).value();
    fit_constants(std::array{x.shape}).value();
    if constexpr (is_real<T>) return evaluate_real(x);
    else return evaluate_integers(x);
  }

 private:
  template <class T>
  net::tensor<T> evaluate_integers(const net::tensor<T>& x) const {
    constexpr int bits = 8 * sizeof(T);
    net::tensor<T> y{x.shape};
    const auto entries = tables_of(le, lo);
    const auto channels = static_cast<std::size_t>(x.shape.c);
    const auto reach = static_cast<std::size_t>(local_size / 2);
    const std::size_t area = x.values.size() / channels;
    std::vector<std::int64_t> below(channels + 1, 0);  // sums of the squares of lower channels
    std::vector<std::int64_t> v(channels, 0);
    arithmetic::lut_counts counts;
    for (std::size_t p = 0; p < area; ++p) {
      for (std::size_t c = 0; c < channels; ++c) {
        v[c] = arithmetic::cdp_input<bits>(widened(in), x.values[c * area + p]);
        below[c + 1] = below[c] + v[c] * v[c];
      }
      for (std::size_t c = 0; c < channels; ++c) {
        const auto first = c < reach ? 0 : c - reach, end = std::min(c + reach + 1, channels);
        const auto sum = below[end] - below[first];
        const std::int64_t factor = arithmetic::cdp_lut(table, entries, sum, counts);
        y.values[c * area + p] = static_cast<T>(
            arithmetic::cdp_output<bits>(widened(out), factor * v[c]).value);
      }
    }
    return y;
  }
  // The order of the sum counts, and the zeros beside the first and the last channel.
  net::fp16_tensor evaluate_real(const net::fp16_tensor& x) const {
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

  static constexpr arithmetic::cdp_converter widened(const converter& c) {
    return {c.offset, c.scale, c.shift};
  }
};
static_assert(net::operation<lrn>);

}  // namespace nvdlac::quantised
