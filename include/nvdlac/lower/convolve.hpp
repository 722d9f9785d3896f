// SPDX-License-Identifier: Apache-2.0
#pragma once
// A dense convolution on CONV and SDP, cut into passes that fit the CBUF.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/dilated_lines.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support.hpp>
#include <nvdlac/lower/two_bytes.hpp>
#include <nvdlac/net/constants.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// The work of SDP on the sums: X1, then X2 and the output converter.
struct requantisation {
  std::uint8_t bias_shift = 0, shift = 0, truncate = 0;
  std::int16_t pad = 0;
  bool relu = false;
  // Its operands: of each kernel those of kernel_values, or a cube as the convolution's output.
  layer::sdp_unit x2{};
  converter out{};
  std::int16_t table = -1;  // in which Y looks up what X2 gives, or -1
  label tabulated{};        // the table's tensor
};

// A unit of X1 or X2 that only raises or lowers what is beyond a bound.
constexpr layer::sdp_unit bounded(layer::sdp_alu algorithm, std::int16_t bound) {
  return {.alu = true, .algorithm = algorithm, .alu_operand = bound};
}

// X2 for a second input in memory.
constexpr layer::sdp_unit join_second(const quantised::convolution& op, hw::precision p,
                                      const layer::surface& second) {
  using enum net::combination;
  layer::sdp_unit x2{.relu = op.relu, .mode = layer::sdp_mode::per_point,
                     .operand_bytes = static_cast<std::uint8_t>(hw::element_bytes(p)),
                     .operands = second};
  if (op.with_second == product) {
    x2.mul = true;
    return x2;
  }
  x2.alu = true;
  x2.alu_shift = op.operand_shift;
  x2.algorithm = op.with_second == sum       ? layer::sdp_alu::sum
                 : op.with_second == maximum ? layer::sdp_alu::maximum
                                             : layer::sdp_alu::minimum;
  return x2;
}

// The layer of SDP behind the sums: `second` is the second input of an operator that has one.
constexpr requantisation requantisation_of(const quantised::convolution& op, hw::precision p,
                                           const layer::surface* second) {
  requantisation q{op.bias_shift, op.shift, op.truncate,
                   p == hw::precision::fp16 ? std::int16_t{0} : op.pad, op.relu};
  q.out = op.out;
  if (second != nullptr) {
    q.relu = false;
    q.x2 = join_second(op, p, *second);
  }
  if (!op.slope.empty()) {
    q.x2 = {.mul = true, .prelu = true, .mul_shift = op.slope_shift};
    if (op.slope.size() > 1) q.x2.mode = layer::sdp_mode::per_kernel;
    else {
      net::require_known(op.slope, "slope");
      q.x2.mul_operand = op.slope[0];
    }
  }
  if (op.low != quantised::no_low) q.x2 = bounded(layer::sdp_alu::maximum, op.low);
  if (op.high != quantised::no_high) q.x2 = bounded(layer::sdp_alu::minimum, op.high);
  return q;
}

// The numbers of a convolution's kernels.
template <class Weights, class Operands, class Keep>
struct kernel_values {
  Weights weights;    // weights(k, c, n, r, s, to): as pack_weights asks for them
  Operands operands;  // operands(k): bias and multiplier, int16
  Keep keep;          // keep(name, size, write): the place of the `size` bytes of write(to)
  const std::int16_t* slopes = nullptr;  // of X2, by kernel, if it has one for each
};
template <class Weights, class Operands, class Keep>
kernel_values(Weights, Operands, Keep, const std::int16_t*)
    -> kernel_values<Weights, Operands, Keep>;
template <class Weights, class Operands, class Keep>
kernel_values(Weights, Operands, Keep) -> kernel_values<Weights, Operands, Keep>;

namespace detail {

// Bias and multiplier of each kernel.
template <class Operands>
constexpr void interleave(std::int32_t first, std::int32_t count, const Operands& operands,
                          std::uint8_t* to) {
  for (std::int32_t k = first; k < first + count; ++k, to += 4) {
    const std::pair<std::int16_t, std::int16_t> pair = operands(k);
    put_two_bytes(pair.first, to);
    put_two_bytes(pair.second, to + 2);
  }
}

// One number for each kernel.
constexpr void list(const std::int16_t* values, std::int32_t count, std::uint8_t* to) {
  for (std::int32_t k = 0; k < count; ++k) put_two_bytes(values[k], to + 2 * k);
}

// A kernel of pixels is one column of kernel_w * C channels: its runs are cut at every pixel.
template <class Weights>
constexpr auto of_pixels(const Weights& weights, std::int32_t channels, hw::precision p) {
  return [&weights, channels, p](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t r,
                              std::int32_t, std::uint8_t* to) {
    for (const std::int32_t end = c + n; c < end;) {
      const std::int32_t channel = c % channels, part = std::min(channels - channel, end - c);
      weights(k, channel, part, r, c / channels, to);
      to += part * static_cast<std::int32_t>(hw::element_bytes(p));
      c += part;
    }
  };
}

// The layer of PDP that takes the results of a pass on the fly and gives `output`.
constexpr layer::pdp pool_of(const pooled& pool, const layer::sdp& from,
                             const layer::surface& output, const pass_part& rows,
                             const pass_part& columns) {
  layer::pdp l{.input = from.output, .output = output, .kind = pool.kind, .window = pool.window,
               .pad_value = pool.pad_value};
  l.window.pad_top = rows.convolved.pad_before;
  l.window.pad_bottom = rows.convolved.pad_after;
  l.window.pad_left = columns.convolved.pad_before;
  l.window.pad_right = columns.convolved.pad_after;
  return l;
}

// The window of a pass that reads these lines and columns.
constexpr net::window padded(net::window w, net::range rows, net::range columns) {
  w.pad_top = rows.pad_before;
  w.pad_bottom = rows.pad_after;
  w.pad_left = columns.pad_before;
  w.pad_right = columns.pad_after;
  return w;
}

// The part of an input cube that a pass reads.
constexpr layer::surface part_of(const layer::surface& in, bool pixel, bytes atom, net::range rows,
                                 net::range columns) {
  const net::shape shape{in.shape.c, rows.count, columns.count};
  if (!pixel) return layer::part(in, atom, 0, rows.first, columns.first, shape);
  layer::surface s = in;
  s.shape = shape;
  const auto before = layer::bytes_of_pixels({in.shape.c, 1, columns.first}, in.precision);
  s.at.offset += static_cast<std::uint64_t>(rows.first) * in.line_stride + before;
  s.size = static_cast<std::uint64_t>(rows.count) * in.line_stride - before;
  return s;
}

// Packs the weights of a pass as CONV reads its input.
template <class Weights>
constexpr void pack_pass(const hw::spec& hw, std::int32_t channels, std::int32_t kernels,
                         const net::window& window, bool pixel, const convolution_split& split,
                         const Weights& run, hw::precision p, std::uint8_t* to) {
  const net::window read = split.image ? split.image->window(window) : window;
  if (pixel)
    pack_weights(hw, {kernels, channels * window.kernel_w, window.kernel_h, 1},
                 of_pixels(run, channels, p), to, p, kernel_lines(hw, channels, window));
  else if (split.image)
    pack_weights(hw, {kernels, image_view::channels * read.kernel_w, read.kernel_h, 1},
                 of_pixels(on_image(run, *split.image), image_view::channels, p), to, p);
  else
    pack_weights(hw, {kernels, channels, window.kernel_h, window.kernel_w}, run, to, p);
}

// The layer of CONV that computes some kernels of the lines and columns of a pass.
constexpr layer::convolution convolution_of(const hw::spec& hw, const layer::surface& in,
                                            const std::optional<quantised::pixels>& pixels,
                                            const net::window& window,
                                            const convolution_split& split,
                                            const requantisation& q,
                                            const layer::surface& weights, hw::precision p,
                                            const pass_part& y, const pass_part& x) {
  const bool pixel = in.is_interleaved();
  layer::convolution conv{
      .input = part_of(in, pixel, hw.atom(), y.input, x.input),
      .format = pixel ? layer::format_of_pixels(in.shape.c, in.precision)
                      : layer::pixel_format::feature,
      .precision = p,
      .weights = weights,
      .output = {weights.shape.c, y.convolved.count, x.convolved.count},
      .window = padded(window, y.input, x.input),
      .pad_value = q.pad,
      .entries_per_slice = static_cast<std::uint16_t>(
          slice_of(hw, in.shape.c, x.input, pixel, p).n),
      .data_banks = static_cast<std::uint8_t>(split.data.n),
      .weight_banks = static_cast<std::uint8_t>(split.weights.n),
      .truncate = q.truncate};
  if (split.image) {
    conv.input = split.image->part(in, hw.atom(), y.input, x.input);
    conv.format = layer::pixel_format::a8b8g8r8;
    conv.pixels_signed = true;
    conv.window = split.image->window(conv.window);
    conv.entries_per_slice = static_cast<std::uint16_t>(split.image->slice(hw, x.input).n);
  }
  conv.release = static_cast<std::uint16_t>(conv.input.shape.h);
  if (pixel) {
    conv.pixels_signed = !pixels && p != hw::precision::fp16;
    conv.kernel_lines = static_cast<std::uint8_t>(kernel_lines(hw, in.shape.c, window));
  }
  if (pixels) {
    conv.mean = pixels->mean;
    conv.use_mean = true;
    conv.convert = true;
    conv.cvt = pixels->cvt;
  }
  return conv;
}

// The layer of SDP behind it; without a `result` the sums go on to PDP.
constexpr layer::sdp sdp_of(const hw::spec& hw, const layer::convolution& conv,
                            const requantisation& q, const layer::surface& operands,
                            const layer::sdp_unit& x2, std::int32_t k0, const pass_part& y,
                            const pass_part& x, const layer::surface* result) {
  const layer::surface on_the_fly{.shape = conv.output, .precision = conv.precision,
                                  .pictures = conv.input.pictures};
  layer::sdp sdp{.input = on_the_fly,
                 .x1 = {.alu = true,
                        .mul = true,
                        .relu = q.relu,
                        .mode = layer::sdp_mode::per_kernel,
                        .alu_shift = q.bias_shift,
                        .mul_shift = q.shift,
                        .operands = operands},
                 .x2 = x2,
                 .out = q.out,
                 .output = result == nullptr ? on_the_fly : *result,
                 .lut = q.table};
  if (x2.mode == layer::sdp_mode::per_point)
    sdp.x2.operands = layer::part(q.x2.operands, hw.atom(), k0, y.convolved.first,
                                  x.convolved.first, conv.output);
  return sdp;
}

// The weights of a pass's kernels, and SDP's operands for them.
struct pass_constants {
  layer::surface weights{}, operands{};
  layer::sdp_unit x2{};
};

// Keeps those of `kernels` kernels from k0 on as constants of `pass`.
template <class Values>
constexpr pass_constants keep_constants(const hw::spec& hw, const label& pass, std::int32_t k0,
                                        std::int32_t kernels, const layer::surface& in,
                                        net::window window, const convolution_split& split,
                                        const layer::sdp_unit& x2, const Values& values,
                                        hw::precision p) {
  const kernel_shape shape{kernels, split.image ? split.image->all_channels() : in.shape.c,
                           window.kernel_h, window.kernel_w};
  const auto pack = [&](std::uint8_t* packed) {
    const auto run = [&](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t r,
                         std::int32_t s, std::uint8_t* at) {
      values.weights(k0 + k, c, n, r, s, at);
    };
    pack_pass(hw, in.shape.c, kernels, window, in.is_interleaved(), split, run, p, packed);
  };
  const auto weights_size = packed_size(hw, shape, p).n;
  const net::shape all{kernels, 1, 1};
  pass_constants kept{.weights = {.at = values.keep(label(pass, "/weights"), weights_size, pack),
                                  .shape = all, .size = weights_size},
                      .x2 = x2};
  const auto pairs =
      align_up(static_cast<std::uint64_t>(kernels), layer::lanes_of(hw.atom(), p)) * 4;
  const auto write = [&](std::uint8_t* at) { interleave(k0, kernels, values.operands, at); };
  kept.operands = {.at = values.keep(label(pass, "/requantisation"), pairs, write), .shape = all,
                   .size = pairs};
  if (x2.mode == layer::sdp_mode::per_kernel) {
    kept.x2.operands = {.shape = all, .size = pairs / 2};
    kept.x2.operands.at = values.keep(label(pass, "/slopes"), pairs / 2, [&](std::uint8_t* at) {
      if (values.slopes != nullptr) list(values.slopes + k0, kernels, at);
    });
  }
  return kept;
}

}  // namespace detail

// Emits the passes of `name`: `values` over all kernels of `out` and channels of `in`. With a
// pooling behind it, `out` is what that gives.
// A pass whose kernels do not fill its last atom leaves the other lanes zero, so `out` must have
// split.kernels_apart() channels from one pass to the next; see convolve_gathered().
template <class Weights, class Operands, class Keep>
constexpr void convolve(const hw::spec& hw, assembly& to, const label& name,
                        const layer::surface& in, const std::optional<quantised::pixels>& pixels,
                        const layer::surface& out, const line_phases& phases,
                        const convolution_split& split, const requantisation& q,
                        const kernel_values<Weights, Operands, Keep>& values,
                        const std::optional<pooled>& pool = {}) {
  const net::shape full = out.shape;
  const hw::precision p = out.precision;
  const auto lanes = layer::lanes_of(hw.atom(), p);
  struct tile { std::int32_t phase = 0; pass_part y{}, x{}; std::int32_t picture = 0; };
  std::vector<tile> tiles;
  for (std::int32_t i = 0; i < phases.count; ++i) {
    const line_phase phase = phases.at(i);
    const pass_axes axes({in.shape.c, phase.lines_read, in.shape.w}, {full.c, phase.lines, full.w},
                         phases.window_of(phase), pool);
    for (std::int32_t y = 0; y < phase.lines; y += split.rows)
      for (std::int32_t x = 0; x < full.w; x += split.columns)
        for (std::int32_t n = 0; n < in.pictures; n += split.pictures)
          tiles.push_back({i, axes.rows.part(y, split.rows),
                           axes.columns.part(x, split.columns), n});
  }
  const auto of_pictures = [&](const layer::surface& all, std::int32_t first) {
    if (all.pictures == 1) return all;
    const auto count = std::min(split.pictures, all.pictures - first);
    return layer::pictures_of(all, hw.atom(), first, count);
  };

  for (auto k0 = split.first_pass(full.c); k0 < full.c; k0 = split.next_pass(k0, full.c)) {
    const std::int32_t kernels = std::min(split.kernels, full.c - k0);
    label part;  // g++-12 cannot choose labels by ?: while compiling
    if (split.kernels < full.c) part = label("/k", k0);
    const label pass(name, part);
    const auto kept = detail::keep_constants(hw, pass, k0, kernels, in, phases.window, split, q.x2,
                                             values, p);
    for (const auto& [i, y, x, n] : tiles) {
      const line_phase phase = phases.at(i);
      const auto read = phases.read(of_pictures(in, n), hw.atom(), phase);
      const auto written = phases.written(of_pictures(out, n), hw.atom(), phase);
      auto behind = q;
      if (q.x2.mode == layer::sdp_mode::per_point)
        behind.x2.operands = phases.written(q.x2.operands, hw.atom(), phase);
      const auto conv = detail::convolution_of(hw, read, pixels, phases.window_of(phase), split, q,
                                               kept.weights, p, y, x);
      const std::int32_t channel = k0 / split.kernels * split.kernels_apart(full.c, lanes);
      const auto result = layer::part(written, hw.atom(), channel, y.first, x.first,
                                      {kernels, y.count, x.count});
      const auto sdp = detail::sdp_of(hw, conv, behind, kept.operands, kept.x2, k0, y, x,
                                      pool ? nullptr : &result);
      label which = part;
      if (phases.count > 1) which = label(which, "/lines", phase.to);
      if (split.rows < phase.lines) which = label(which, "/y", y.first);
      if (split.columns < full.w) which = label(which, "/x", x.first);
      if (split.pictures < in.pictures) which = label(which, "/n", n);
      to.add(label(name, which), conv);
      if (q.table >= 0) to.add(label(q.tabulated, which), sdp);
      else to.add(label(name, which, "/sdp"), sdp);
      if (pool) to.add(label(pool->name, which), detail::pool_of(*pool, sdp, result, y, x));
    }
  }
}

}  // namespace nvdlac::lower
