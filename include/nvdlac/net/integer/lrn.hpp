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
#include <nvdlac/fixed.hpp>
#include <nvdlac/net/integer/constants.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net::integer {

// CDP: v = saturate<9>(in(x)); s the sum of v^2 over local_size channels around the element's own,
// as far as they exist; y = saturate<8>(out(table(s) * v)).
struct lrn {
  static constexpr arity inputs{1, 1};

  std::int32_t local_size = 5;          // 3, 5, 7 or 9
  converter in{}, out{};                // offsets of 8 and 25 bits, shifts of 5 and 6
  arithmetic::lut_settings table{};
  constants<std::int16_t> le{}, lo{};   // 65 and 257 entries

  constexpr fitting fit(std::span<const shape> shapes) const {
    if (local_size < 3 || local_size > 9 || local_size % 2 == 0)
      return {rule::local_size_is_not_3_5_7_or_9, {local_size}};
    if (in.shift > 31) return {rule::shift_above_its_range, "input shift", {31}};
    if (out.shift > 63) return {rule::shift_above_its_range, "output shift", {63}};
    if (saturate<8>(in.offset) != in.offset || saturate<25>(out.offset) != out.offset)
      return rule::offset_or_table_beyond_the_registers;
    // CDP compares the starts of int8 with sums of 22 bits and takes 6 bits of a step.
    for (const auto* d : {&table.le, &table.lo})
      if (saturate<22>(d->start) != d->start || saturate<32>(d->end) != d->end ||
          saturate<6>(d->select) != d->select ||
          saturate<5>(d->underflow.shift) != d->underflow.shift ||
          saturate<5>(d->overflow.shift) != d->overflow.shift)
        return rule::offset_or_table_beyond_the_registers;
    if (saturate<8>(table.offset) != table.offset)
      return rule::offset_or_table_beyond_the_registers;
    return shapes[0];
  }
  constexpr shape infer(std::span<const shape> shapes) const { return fit(shapes).value(); }
  void check(std::span<const shape>, diagnostics& found, const std::string& layer) const {
    check_values(le, le_entries, "table LE", found, layer);
    check_values(lo, lo_entries, "table LO", found, layer);
  }
  constexpr fitting fit_constants(std::span<const shape> shapes) const {
    return all_of({fit_values(le, le_entries, "table LE"), fit_values(lo, lo_entries, "table LO"),
                   fit_known(le, "table LE"), fit_known(lo, "table LO"), shapes[0]});
  }

  constexpr arithmetic::lut_tables tables() const {
    arithmetic::lut_tables t;
    std::copy(le.begin(), le.end(), t.le.begin());
    std::copy(lo.begin(), lo.end(), t.lo.begin());
    return t;
  }
  int8_tensor evaluate(std::span<const int8_tensor* const> inputs_of) const {
    const int8_tensor& x = *inputs_of[0];
    int8_tensor y{infer(std::array{x.shape})};
    fit_constants(std::array{x.shape}).value();
    const auto entries = tables();
    const auto channels = static_cast<std::size_t>(x.shape.c);
    const auto reach = static_cast<std::size_t>(local_size / 2);
    const std::size_t area = x.values.size() / channels;
    std::vector<std::int64_t> below(channels + 1, 0);  // sums of the squares of lower channels
    std::vector<std::int64_t> v(channels, 0);
    arithmetic::lut_counts counts;
    for (std::size_t p = 0; p < area; ++p) {
      for (std::size_t c = 0; c < channels; ++c) {
        v[c] = arithmetic::cdp_input<8>(widened(in), x.values[c * area + p]);
        below[c + 1] = below[c] + v[c] * v[c];
      }
      for (std::size_t c = 0; c < channels; ++c) {
        const auto first = c < reach ? 0 : c - reach, end = std::min(c + reach + 1, channels);
        const auto sum = below[end] - below[first];
        const std::int64_t factor = arithmetic::cdp_lut(table, entries, sum, counts);
        y.values[c * area + p] = static_cast<std::int8_t>(
            arithmetic::cdp_output<8>(widened(out), factor * v[c]).value);
      }
    }
    return y;
  }

 private:
  static constexpr std::int64_t le_entries = 65, lo_entries = 257;

  static constexpr arithmetic::cdp_converter widened(const converter& c) {
    return {c.offset, c.scale, c.shift};
  }
};
static_assert(operation<lrn>);

}  // namespace nvdlac::net::integer
