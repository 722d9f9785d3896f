// SPDX-License-Identifier: Apache-2.0
#pragma once
// The passes of a convolution: those that take the fewest cycles, or as a schedule tells.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower {

// How a convolution of several pictures is cut in batch mode: a pass holds all lines of as many
// pictures as have room beside two kernel groups, or beside one; nullopt: of one picture at most.
// Pairs of atoms are those of atoms of 32 bytes.
constexpr std::optional<convolution_split> split_of_pictures(const hw::spec& hw, net::shape in,
                                                             net::shape out, const net::window& w,
                                                             hw::precision p,
                                                             std::int32_t pictures) {
  const auto& limits = hw::limits_of(hw.map).convolution;
  if (!hw.batch || 2 * hw.memory_atom != hw::pair_of_atoms) return std::nullopt;
  const auto slice = slice_of(hw, in.c, {.count = in.w}, false, p);
  const kernel_shape kernels{out.c, in.c, w.kernel_h, w.kernel_w};
  const auto weights = [&](std::uint64_t count) {
    count = std::min(count, static_cast<std::uint64_t>(out.c));
    return hw::weight_banks(hw, hw::weight_bytes(hw, p, count, kernels.elements()));
  };
  const std::uint64_t group = hw.kernel_group(p);
  for (const auto least : {weights(2 * group), weights(group)})
    for (std::int32_t parts = 1; parts < pictures; ++parts) {
      const auto n = detail::divided(pictures, parts);
      const auto at_once = static_cast<std::uint64_t>(n);
      if (n == 1) break;
      if (std::cmp_greater(n, limits.batch) || slice.n * at_once > hw::most_entries_of_pictures)
        continue;
      const auto data = hw::data_banks(hw, slice, at_once * static_cast<std::uint64_t>(in.h));
      if (data + least > banks{hw.cbuf_banks}) continue;
      return convolution_split{.rows = out.h, .columns = out.w, .kernels = out.c, .data = data,
                               .weights = std::min(weights(static_cast<std::uint64_t>(out.c)),
                                                   banks{hw.cbuf_banks} - data),
                               .pictures = n};
    }
  return std::nullopt;
}

namespace detail {

// The kernels of passes that keep their places: whole kernel groups that fill whole
// atoms of the output.
constexpr std::uint64_t kernel_unit(const hw::spec& hw, hw::precision p) {
  return std::lcm(std::uint64_t{hw.kernel_group(p)}, layer::lanes_of(hw.atom(), p));
}

// The kernels of a pass that has all of the input, and about so many bytes of weights at most.
constexpr std::int32_t kernels_of_a_pass(const hw::spec& hw, const convolution_split& all,
                                         net::shape in, const layer::surface& out,
                                         const net::window& window, std::uint64_t most) {
  const auto p = out.precision;
  const auto count = static_cast<std::uint64_t>(out.shape.c);
  if (most == 0 || all.rows < out.shape.h || all.columns < out.shape.w || all.kernels < out.shape.c)
    return all.kernels;
  const kernel_shape shape{out.shape.c, in.c, window.kernel_h, window.kernel_w};
  const auto unit = kernel_unit(hw, p);
  const auto bytes = unit * shape.elements() * hw::element_bytes(p);
  const auto kernels = std::max<std::uint64_t>(1, most / bytes) * unit;
  const auto even = align_up(ceil_div(count, ceil_div(count, kernels)), unit);
  return static_cast<std::int32_t>(std::min(even, count));
}

}  // namespace detail

// The passes of a convolution that reads `in` and gives `out`. Pixels may get columns of zeros
// before those of the window, which grows by them, as do the zero taps to the `left`.
constexpr convolution_split passes_found(const target& hw, const site<quantised::convolution>& s,
                                         const layer::surface& in, const layer::surface& out,
                                         net::window& window, std::int32_t& left,
                                         std::uint64_t pass_weights) {
  const hw::precision p = out.precision;
  const bool pixel = in.is_interleaved(), adds = s.in.size() > 1;
  if (const auto why = check_convolution(hw, in.shape, convolved_of(out.shape, s.pool), window,
                                         pixel, p, adds);
      why != reason::none)
    throw error(problem{.layer = s.name,
                        .reason = text("a convolution of ", in.shape, " by ", window.kernel_h,
                                       'x', window.kernel_w, " does not run on ",
                                       hw.name, ": ", to_text(why))});
  if (in.pictures > 1)
    return *split_of_pictures(hw, in.shape, out.shape, window, p, in.pictures);
  auto split = s.of_batch
                   ? split_of_batch(hw, in.shape, out.shape, window, p)
                   : split_convolution(hw, in.shape, out.shape, window, pixel, p, s.pool);
  // Only a pooling behind it can ask for more than the passes that were checked.
  if (!split) throw error(problem{.layer = s.name, .reason = "no pass holds it and its pooling"});
  if (!pixel && !s.of_batch) {
    if (!s.pool)
      split->kernels =
          detail::kernels_of_a_pass(hw, *split, in.shape, out, window, pass_weights);
    if (const auto faster = split_as_image(hw, in, out.shape, window, s.pool)) split = faster;
  } else if (pixel) {
    if (const auto faster = split_pixels(hw, in.shape, out.shape, window, s.pool)) {
      split = faster->split;
      window.kernel_w += faster->zeros;
      window.pad_left += faster->zeros;
      left += faster->zeros;
    }
  }
  if (out.shape.h == 1 && out.shape.w == 1 && !pixel && !adds && !s.pool &&
      split->kernels == out.shape.c) {
    const kernel_shape shape{out.shape.c, in.shape.c, window.kernel_h, window.kernel_w};
    split->kernels = detail::pace_of_kernels(hw, shape, p, split->weights).kernels;
    if (const auto ahead = detail::kernels_ahead(hw, shape, p);
        ahead != 0 && split->kernels == out.shape.c) {
      split->kernels -= ahead;
      split->last_first = true;
    }
  }
  return *split;
}

namespace detail {

// The given passes, or else those found. None are given while the C++ compiler computes.
convolution_split passes_given(const hw::spec& hw, assembly& to,
                               const site<quantised::convolution>& s, const plan::passes& given,
                               const layer::surface& in, const layer::surface& out,
                               const net::window& window, const convolution_split& found);
// Notes how the convolution is cut, and how else it may be.
void tell_passes(const hw::spec& hw, assembly& to, const site<quantised::convolution>& s,
                 const layer::surface& in, const layer::surface& out, const net::window& window,
                 const convolution_split& split);

}  // namespace detail

// The passes as a schedule gives them.
constexpr convolution_split passes_of(const target& hw, assembly& to,
                                      const site<quantised::convolution>& s,
                                      const layer::surface& in, const layer::surface& out,
                                      net::window& window, std::int32_t& left) {
  if (std::is_constant_evaluated()) return passes_found(hw, s, in, out, window, left, 0);
  auto split = passes_found(hw, s, in, out, window, left, to.result.given.pass_weights);
  if (const auto* given = to.given_of(s.node))
    split = detail::passes_given(hw, to, s, *given, in, out, window, split);
  detail::tell_passes(hw, to, s, in, out, window, split);
  return split;
}

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/passes.ipp>
#endif
