// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that look up in the tables of SDP and CDP.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/arithmetic/cdp.hpp>
#include <nvdlac/arithmetic/lut.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>

namespace nvdlac::quantised {

// The interpolated tables of `lookup` and `lrn` as their members: LE of 65 entries, LO of 257.
using table_entries = net::constants<std::int16_t>;

void check_tables(const table_entries& le, const table_entries& lo, diagnostics& found,
                  const std::string& layer);
constexpr net::fitting fit_tables(const table_entries& le, const table_entries& lo) {
  return net::all_of({fit_values(le, arithmetic::lut::le_last + 1, "table LE"),
                      fit_values(lo, arithmetic::lut::lo_last + 1, "table LO"),
                      fit_known(le, "table LE"), fit_known(lo, "table LO")});
}
constexpr arithmetic::lut_tables tables_of(const table_entries& le, const table_entries& lo) {
  arithmetic::lut_tables t;
  std::copy(le.begin(), le.end(), t.le.begin());
  std::copy(lo.begin(), lo.end(), t.lo.begin());
  return t;
}

// Whether registers hold the settings: starts of `start_bits`, steps of `select_bits`.
template <int StartBits, int SelectBits>
constexpr bool fits_registers(const arithmetic::lut_settings& s) {
  for (const auto* d : {&s.le, &s.lo})
    if (saturate<StartBits>(d->start) != d->start || saturate<32>(d->end) != d->end ||
        saturate<SelectBits>(d->select) != d->select ||
        saturate<5>(d->underflow.shift) != d->underflow.shift ||
        saturate<5>(d->overflow.shift) != d->overflow.shift)
      return false;
  return saturate<8>(s.offset) == s.offset;
}

// Any function of int8: y = values[x + 128]. In int16 and fp16 what SDP interpolates between the
// entries of two tables, which are of the precision of the tensor.
struct lookup {
  static constexpr net::arity inputs{1, 1};
  static constexpr std::int64_t size = 256;

  net::constants<std::int8_t> values{};
  arithmetic::lut_settings table{};  // in 16 bits, and these instead of `values`:
  table_entries le{}, lo{};          // 65 and 257 entries
  static constexpr void fields(auto&& field) {
    field("values", &lookup::values);
    field("table", &lookup::table);
    field("le", &lookup::le);
    field("lo", &lookup::lo);
  }

  constexpr bool interpolates() const { return !le.empty(); }

  constexpr std::int8_t finish(std::int8_t x) const {
    return values[static_cast<std::size_t>(x + 128)];
  }

  constexpr net::fitting fit(std::span<const net::shape> in) const {
    if (!fits_registers<32, 8>(table)) return net::rule::offset_or_table_beyond_the_registers;
    return in[0];
  }
  constexpr net::shape infer(std::span<const net::shape> in) const { return fit(in).value(); }
  void check(std::span<const net::shape>, diagnostics& found, const std::string& layer) const;
  constexpr net::fitting fit_constants(std::span<const net::shape> in) const {
    if (interpolates()) return net::all_of({fit_tables(le, lo), in[0]});
    return net::all_of({fit_values(values, size, "table"), fit_known(values, "table"), in[0]});
  }
  template <class T>
  net::tensor<T> evaluate(std::span<const net::tensor<T>* const> in) const {
    net::tensor<T> y = *in[0];
    infer(std::array{y.shape});
    fit_constants(std::array{y.shape}).value();
    if (interpolates() != (sizeof(T) == 2))
      throw error("a lookup has tables of another precision than its tensor");
    if constexpr (sizeof(T) == 1) {
      for (auto& v : y.values) v = finish(v);
    } else {
      const auto entries = tables_of(le, lo);
      arithmetic::lut_counts counts;
      for (auto& v : y.values)
        if constexpr (is_real<T>)
          v = written(arithmetic::sdp_lut(table, entries, widened(v), counts), false);
        else v = written<T>(arithmetic::sdp_lut(table, entries, v, counts), false);
    }
    return y;
  }
};
static_assert(net::operation<lookup>);

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
  net::fp16_tensor evaluate_real(const net::fp16_tensor& x) const;

  static constexpr arithmetic::cdp_converter widened(const converter& c) {
    return {c.offset, c.scale, c.shift};
  }
};
static_assert(net::operation<lrn>);

}  // namespace nvdlac::quantised

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quantised/lookup.ipp>
#endif
