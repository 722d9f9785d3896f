// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/border.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/dilated_lines.hpp>
#include <nvdlac/lower/folded_lines.hpp>
#include <nvdlac/lower/image_views.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/passes.hpp>
#include <nvdlac/lower/pool_runs.hpp>
#include <nvdlac/lower/sdp_parts.hpp>
#include <nvdlac/lower/select_channels.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/lower/two_bytes.hpp>
#include <nvdlac/lower/winograd.hpp>
#include <nvdlac/pass/large_window.hpp>

namespace nvdlac::lower {

template <>
struct standard_lowering<quantised::convolution> {
  static constexpr void run(const target& hw, assembly& to, const site<quantised::convolution>& s) {
    const auto& op = s.op;
    if (op.winograd) {
      require_support(hw, s);
      if (const auto* given = to.given_of(s.node)) to.refuse(*given, "is in Winograd's mode");
      const auto split = split_winograd(hw, s.in[0].shape, s.out.shape, s.out.precision);
      return winograd_lowering(hw, to, s, *split).run();
    }
    const std::int32_t kernels = s.joined.empty() ? op.kernels / op.groups : s.out.shape.c;
    // Not the input's: pixels of 3 channels have 4 in memory.
    const auto taps = kernel_shape{op.kernels, 1, op.window.kernel_h, op.window.kernel_w};
    const auto channels = static_cast<std::int32_t>(
        op.weights_given() / taps.elements() / static_cast<std::size_t>(op.kernels));
    const auto lanes =
        static_cast<std::int32_t>(layer::lanes_of(hw.atom(), s.out.precision));
    const auto bundle = groups_per_bundle(op.groups, channels, kernels, lanes);
    const auto run_on = [&](const piece& part) {
      for (std::int32_t g0 = 0; g0 < op.groups; g0 += bundle) {
        const std::int32_t groups = std::min(bundle, op.groups - g0);
        run_bundle(hw, to, s, part, g0, groups, channels, kernels);
      }
    };
    const net::shape convolved = convolved_of(s.out.shape, s.pool);
    const auto view = pixel_view::of(s.in[0]);
    piece all{view.image(s.in[0]), s.out, view.window(op.window)};
    if (all.in.is_interleaved())
      all.window = pixel_window(hw, all.in.shape.c, all.window, convolved.w);
    const auto core = pass::convolution_core::of(all.window, all.in.shape, convolved);
    if (core.whole) return run_on(lines_read(hw, to, all));
    require_support(hw, s);
    fill_border(hw, to, s, core);
    if (core.empty()) return;
    const bytes atom = hw.atom();
    piece inside{layer::part(all.in, atom, 0, core.lines.first, core.row.first,
                             core.input(all.in.shape.c)),
                 layer::part(all.out, atom, 0, core.rows.first, core.columns.first,
                             core.output(all.out.shape.c)),
                 core.padded(op.window)};
    inside = lines_read(hw, to, inside);
    if (inside.out.shape.h != 1 || inside.out.shape.w != 1) return run_on(inside);
    // SDP writes the surfaces of a single pixel side by side, which in the output they are not.
    const auto place = inside.out;
    inside.out = layer::packed(place.shape, atom, {}, place.precision);
    inside.out.at = to.reserve(label(s.name, "/inside"), plan::memory::features, inside.out.size);
    run_on(inside);
    copy_atoms(hw, to, label(s.name, "/place"),
               {.from = inside.out.at,
                .to = place.at,
                .channels = place.shape.c,
                .precision = place.precision,
                .surfaces = {static_cast<std::int64_t>(
                                 layer::surfaces(place.shape, atom, place.precision)),
                             inside.out.surface_stride, place.surface_stride}});
  }

 private:
  // The convolution that CONV computes at once, with the kernel and the padding that it has there.
  struct piece {
    layer::surface in, out;
    net::window window;
    line_fold fold{};
  };

  // The lines that a kernel of one line reads where it steps over others, as neighbours: those need
  // neither time nor room. CDMA reads lines at any distance (CDMA.D_LINE_STRIDE).
  static constexpr piece lines_read(const target& hw, const assembly& to, piece all) {
    auto& in = all.in;
    auto& window = all.window;
    const auto longest = hw::limits_of(hw.map).convolution.stride;
    const bool steps = window.kernel_h == 1 && window.stride_h > 1 &&
                       std::cmp_less_equal(window.stride_h, longest) && in.shape.h > 1;
    const bool padded = window.pad_top != 0 || window.pad_bottom != 0;
    if (!steps || padded || in.is_interleaved() || in.pictures != 1 || to.result.given.all_lines)
      return all;
    in = layer::every_line(in, hw.atom(), window.stride_h, 0, 0, 0,
                           {in.shape.c, (in.shape.h - 1) / window.stride_h + 1, in.shape.w});
    window.stride_h = 1;
    return all;
  }

  // The weights of a bundle of groups, as passes gather them: zero across groups and in the taps
  // that stand before those of the operator.
  struct dense_weights {
    const std::int8_t* trained;
    const std::int16_t* wide;  // none in int8
    net::window trained_window;  // the operator's
    pixel_view view;
    net::window window;        // the same as the view has it
    std::int32_t above, left;  // taps before it
    std::int32_t first, channels, kernels;  // the bundle's first kernel; those of each group
    line_fold fold{};

    // Channels c to c + n of tap (r, x) of kernel k.
    constexpr void operator()(std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t r,
                              std::int32_t x, std::uint8_t* at) const {
      if (fold.lines == 1) return of_line(k, c, n, r, x, at);
      const auto size = wide != nullptr ? 2 : 1;
      for (const std::int32_t end = c + n; c < end;) {
        const std::int32_t own = c % fold.lanes, part = std::min(fold.lanes - own, end - c);
        of_line(k, own, part, fold.line_of(r, c), x, at);
        at += part * size;
        c += part;
      }
    }

   private:
    constexpr void of_line(std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t r,
                           std::int32_t x, std::uint8_t* at) const {
      r -= above;
      x -= left;
      if (r < 0 || x < 0 || r >= window.kernel_h || x >= window.kernel_w) return;
      c += x % view.pixels;
      x /= view.pixels;
      const std::int32_t own = k / kernels * channels;  // the first channel of the kernel's group
      const std::int32_t begin = std::max(c, own), end = std::min(c + n, own + channels);
      const auto plane = (first + k) * std::int64_t{channels} + begin - own;
      auto from = (plane * trained_window.kernel_h + r) * trained_window.kernel_w + x;
      const std::int64_t next = std::int64_t{trained_window.kernel_h} * trained_window.kernel_w;
      for (std::int32_t i = begin - c; i < end - c; ++i, from += next)
        if (wide != nullptr) put_two_bytes(wide[from], at + 2 * i);
        else at[i] = static_cast<std::uint8_t>(trained[from]);
    }
  };

  // Several convolutions of one group: kernels that are nobody's are zero. `how` reads weights as
  // the passes of all do.
  template <class Convolve>
  static constexpr void convolve_joined(std::span<const joined_convolution> all,
                                        const dense_weights& how, const Convolve& convolve_with) {
    std::vector<dense_weights> of_each;
    std::vector<std::int16_t> slopes;
    bool known = true;
    for (const auto& one : all) {
      const auto& op = *one.op;
      of_each.push_back(how);
      of_each.back().trained = op.weights.data();
      if (how.wide != nullptr) of_each.back().wide = op.wide_weights.data();
      of_each.back().kernels = op.kernels;
      known = known && values_are_known(op);
      slopes.resize(static_cast<std::size_t>(one.first), std::int16_t{0});
      if (op.slope.size() > 1 && op.slope.known())
        slopes.insert(slopes.end(), op.slope.begin(), op.slope.end());
    }
    const auto owner = [&](std::int32_t k) {
      std::size_t i = all.size() - 1;
      while (all[i].first > k) --i;
      return i;
    };
    const auto weights = [&](std::int32_t k, std::int32_t c, std::int32_t n, std::int32_t r,
                             std::int32_t x, std::uint8_t* at) {
      const auto i = owner(k);
      const auto own = k - all[i].first;
      if (own < all[i].op->kernels) of_each[i](own, c, n, r, x, at);
    };
    const auto operands = [&](std::int32_t k) {
      const auto& one = all[owner(k)];
      const auto own = static_cast<std::size_t>(k - one.first);
      if (std::cmp_greater_equal(own, one.op->kernels))
        return std::pair(std::int16_t{0}, std::int16_t{0});
      return std::pair(one.op->bias[own], one.op->multiplier[own]);
    };
    const bool has_slopes = all.front().op->slope.size() > 1 && known;
    convolve_with(weights, operands, known, has_slopes ? slopes.data() : nullptr);
  }

  // Groups [g0, g0 + groups) as one dense convolution, or in parts of folded lines; weights across
  // groups are zero.
  static constexpr void run_bundle(const target& hw, assembly& to,
                                   const site<quantised::convolution>& s, const piece& part,
                                   std::int32_t g0, std::int32_t groups, std::int32_t channels,
                                   std::int32_t kernels) {
    const auto& op = s.op;
    const bytes atom = hw.atom();
    label name = s.name;
    auto pool = s.pool;
    if (groups < op.groups) {
      name = label(name, "/g", g0);
      if (pool) pool->name = label(pool->name, "/g", g0);
    }
    const std::int32_t first = g0 * kernels, count = groups * kernels;
    const bool dense = op.groups == 1;
    const auto of_group = [&](const layer::surface& whole, std::int32_t c, std::int32_t n) {
      return dense ? whole
                   : layer::part(whole, atom, c, 0, 0, {n, whole.shape.h, whole.shape.w});
    };
    const layer::surface in = of_group(part.in, g0 * channels, groups * channels);
    const layer::surface out = of_group(part.out, first, count);
    layer::surface addends;
    if (s.in.size() > 1) addends = of_group(s.in[1], first, count);
    label tabulated = s.tabulated;
    if (groups < op.groups) tabulated = label(tabulated, "/g", g0);
    const bundle all{name, tabulated, pool, first, channels, kernels};
    const auto runs = [&](const line_part& l) {
      return check_convolution(hw, l.in.shape, {out.shape.c, l.count, out.shape.w}, l.window,
                               false, out.precision, s.in.size() > 1) == reason::none;
    };
    std::vector<line_part> folded;
    if (!pool && !s.of_batch && !s.node.empty() && !std::is_constant_evaluated())
      folded = folded_lines(hw, in, out.shape, part.window, runs);
    if (!folded.empty()) to.tell_foldable(s.node);
    if (folded.empty() || !to.is_folded(s.node))
      return run_piece(hw, to, s, {in, out, part.window}, all, addends);
    for (const auto& lines : folded) {
      const auto of_lines = [&](const layer::surface& whole) {
        return layer::every_line(whole, atom, lines.step, 0, lines.first, 0,
                                 {whole.shape.c, lines.count, whole.shape.w});
      };
      auto these = all;
      these.name = label(name, "/lines", lines.first);
      if (s.table >= 0) these.tabulated = label(tabulated, "/lines", lines.first);
      run_piece(hw, to, s, {lines.in, of_lines(out), lines.window, lines.fold}, these,
                s.in.size() > 1 ? of_lines(addends) : addends);
    }
  }

  // Groups that are one dense convolution: their names, the first kernel, and the channels and
  // kernels of each.
  struct bundle {
    label name, tabulated;
    std::optional<pooled> pool;
    std::int32_t first, channels, kernels;
  };

  static constexpr void run_piece(const target& hw, assembly& to,
                                  const site<quantised::convolution>& s, const piece& part,
                                  const bundle& b, const layer::surface& addends) {
    const auto& op = s.op;
    const layer::surface &in = part.in, &out = part.out;
    const net::window& window = part.window;
    const hw::precision p = out.precision;
    const bool pixel = in.is_interleaved();
    const auto view = pixel_view::of(s.in[0]);
    const net::window own_window = view.window(op.window);
    // Zero taps before those of the operator.
    const std::int32_t above = pixel ? pass::zero_rings(net::vertical(own_window)) : 0;
    std::int32_t left = pixel ? pass::zero_rings(net::horizontal(own_window)) : 0;
    line_phases phases;
    if (!pixel && !b.pool && !s.of_batch && in.pictures == 1)
      phases = dilated_lines(hw, in.shape, out.shape, window, p, s.in.size() > 1);
    if (phases.empty()) phases = one_phase(in.shape, out.shape, window);
    const auto split = passes_of(hw, to, s, phases.read(in, hw.atom(), phases.largest()),
                                 phases.written(out, hw.atom(), phases.largest()), phases.window,
                                 left);
    requantisation q = requantisation_of(op, p, s.in.size() > 1 ? &addends : nullptr);
    q.table = s.table;
    q.tabulated = b.tabulated;
    const dense_weights weights{op.weights.data(),
                                p == hw::precision::int8 ? nullptr : op.wide_weights.data(),
                                op.window, view, own_window, above, left, b.first, b.channels,
                                b.kernels, part.fold};
    const auto convolve_with = [&](const auto& of_kernels, const auto& operands, bool known,
                                   const std::int16_t* slopes) {
      const auto keep = [&](label what, std::uint64_t size, const auto& write) {
        return to.keep_trained(std::move(what), size, known, write);
      };
      convolve_gathered(hw, to, b.name, in, s.pixels, out, phases, split, q,
                        kernel_values{of_kernels, operands, keep, slopes}, b.pool);
    };
    if (!s.joined.empty()) return convolve_joined(s.joined, weights, convolve_with);
    const auto operands = [&](std::int32_t k) {
      const auto at = static_cast<std::size_t>(b.first + k);
      return std::pair(op.bias[at], op.multiplier[at]);
    };
    convolve_with(weights, operands, values_are_known(op),
                  op.slope.size() > 1 && op.slope.known() ? op.slope.data() + b.first : nullptr);
  }

  static constexpr bool values_are_known(const quantised::convolution& op) {
    return op.weights.known() && op.wide_weights.known() && op.bias.known() &&
           op.multiplier.known() && op.slope.known();
  }
};

}  // namespace nvdlac::lower
