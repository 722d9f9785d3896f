// SPDX-License-Identifier: Apache-2.0
#pragma once
// The edge of a convolution whose windows there lie in the padding alone. CONV pads by less than
// its kernel; what is beyond is one number for each kernel, which SDP writes.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/sdp_parts.hpp>
#include <nvdlac/lower/two_bytes.hpp>
#include <nvdlac/pass/large_window.hpp>

namespace nvdlac::lower {

namespace detail {

// The result of kernel k where it sees nothing but padding, as the bits of an element.
constexpr std::int16_t value_in_padding(const quantised::convolution& op, hw::precision p,
                                        std::int32_t kernel) {
  const auto k = static_cast<std::size_t>(kernel);
  if (p == hw::precision::fp16)
    return std::bit_cast<std::int16_t>(op.finish(arithmetic::fp16_accumulator{}, k).bits);
  const auto padded = [&](const auto& weights) {
    std::int64_t sum = 0;
    const auto taps = weights.size() / static_cast<std::size_t>(op.kernels);
    for (std::size_t i = k * taps; i < (k + 1) * taps; ++i) sum += weights[i];
    return sum * op.pad;
  };
  if (p == hw::precision::int16) return op.finish<std::int16_t>(padded(op.wide_weights), k);
  return op.finish<std::int8_t>(padded(op.weights), k);
}

}  // namespace detail

// Fills what `core` leaves of the output, a line or a column at a time, from the values of the
// longest of them.
constexpr void fill_border(const hw::spec& hw, assembly& to, const site<quantised::convolution>& s,
                           const pass::convolution_core& core) {
  const auto& op = s.op;
  const net::shape out = s.out.shape;
  const hw::precision p = s.out.precision;
  const bytes atom = hw.atom();
  auto values = layer::packed({out.c, 1, std::max(out.w, core.rows.count)}, atom, {}, p);
  const bool known = op.weights.known() && op.bias.known() && op.multiplier.known() &&
                     op.slope.known();
  values.at = to.keep_trained(label(s.name, "/border"), values.size, known, [&](std::uint8_t* at) {
    for (std::int32_t k = 0; k < out.c; ++k) {
      const std::int16_t value = detail::value_in_padding(op, p, k);
      for (std::int32_t x = 0; x < values.shape.w; ++x) {
        auto* const element = at + layer::offset_of(values, atom, k, 0, x);
        if (p == hw::precision::int8) *element = static_cast<std::uint8_t>(value);
        else put_two_bytes(value, element);
      }
    }
  });
  std::int32_t number = 0;
  const auto fill = [&](std::int32_t y, std::int32_t x, std::int32_t rows, std::int32_t columns) {
    const auto place = layer::part(s.out, atom, 0, y, x, {out.c, rows, columns});
    const auto step = static_cast<std::int64_t>(atom.n);
    copy_atoms(hw, to, label(s.name, "/border", number++),
               {.from = values.at,
                .to = place.at,
                .channels = out.c,
                .precision = p,
                .surfaces = {static_cast<std::int64_t>(layer::surfaces(out, atom, p)),
                             values.surface_stride, place.surface_stride},
                .loops = {{rows, step, place.line_stride}, {columns, step, step}}});
  };
  for (std::int32_t y = 0; y < out.h; ++y)
    if (!core.rows.contains(y)) fill(y, 0, 1, out.w);
  if (core.rows.count == 0) return;
  for (std::int32_t x = 0; x < out.w; ++x)
    if (!core.columns.contains(x)) fill(core.rows.first, x, core.rows.count, 1);
}

}  // namespace nvdlac::lower
