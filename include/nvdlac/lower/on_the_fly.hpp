// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers computed with the convolution before them: poolings, which PDP computes of what SDP hands
// it, and tables, in which Y looks up what X2 hands it. The convolution's tensor then needs no
// memory, and no time is spent on writing and reading it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/lower/convolution.hpp>
#include <nvdlac/lower/image_views.hpp>
#include <nvdlac/lower/pool.hpp>
#include <nvdlac/lower/pool_runs.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/plan.hpp>

namespace nvdlac::lower {

// Why a pooling or a table reads the result of a convolution from memory.
enum class apart : std::uint8_t {
  none,  // it does not
  read_by_others,
  not_supported,
  windows_differ,
  outputs_of_padding,
  too_wide_for_pixels,
  no_pass_fits,
  operand_in_parts,
  winograd,
  converted_behind,
  in_batch,
  slower,
  given,
};

constexpr std::string_view to_text(apart why) {
  switch (why) {
    case apart::none: return "";
    case apart::read_by_others: return "something else reads the result of the convolution, too";
    case apart::not_supported: return "the configuration does not run one of the two";
    case apart::windows_differ:
      return "windows of the average that hang over the edge have kernels of their own";
    case apart::outputs_of_padding: return "some outputs of the convolution see padding alone";
    case apart::too_wide_for_pixels:
      return "lines of pixels cannot be cut, and PDP's line buffers do not hold the whole width";
    case apart::no_pass_fits:
      return "the convolution buffer does not hold what one line of the pooling needs";
    case apart::operand_in_parts:
      return "a second input is added to whole atoms of kernels, and a pass has fewer";
    case apart::winograd: return "what CONV computes in Winograd's mode goes to memory";
    case apart::converted_behind:
      return "the convolution ends in the output converter, which stands behind the table";
    case apart::in_batch:
      return "the convolution is computed for all pictures of the batch at once";
    case apart::slower:
      return "both together take more cycles: lines that several passes need are computed again";
    case apart::given: return "the schedule says so";
  }
  return "";
}

// The predicted cycles of layers that are a whole program, one behind the other.
constexpr std::uint64_t cycles_in_order(const hw::spec& hw, plan::lowered l,
                                        const cost::memory& m) {
  return cost::cycles(plan::make_program(hw, std::move(l)).tasks, hw, m).totals.cycles;
}

namespace detail {

// A convolution and the pooling that reads it.
struct pair_of_layers {
  const quantised::convolution& convolution;
  const quantised::pool& pool;
  std::span<const net::shape> in;  // of the convolution
  const std::optional<quantised::pixels>& pixels;
  std::optional<layer::surface> image;  // the cube of pixels in which the first of `in` stands
  hw::precision precision;

  constexpr net::shape convolved() const { return convolution.infer(in); }
  constexpr net::shape out() const { return pool.infer(std::array{convolved()}); }
};

// The cycles of the pair alone, computed together or one behind the other.
constexpr std::uint64_t cycles_of(const target& hw, const pair_of_layers& l,
                                  const std::optional<pooled>& together, const cost::memory& m) {
  assembly to(contents::none());
  const auto cube = [&](label name, plan::memory where, layer::surface s) {
    s.at = to.reserve(std::move(name), where, s.size);
    return s;
  };
  const auto feature = [&](net::shape s) {
    return layer::packed(s, hw.atom(), {}, l.precision);
  };
  site<quantised::convolution> s{.op = l.convolution, .name = "convolution"};
  for (const auto& in : l.in)
    s.in.push_back(cube("input", plan::memory::input,
                        l.image && s.in.empty() ? *l.image : feature(in)));
  s.pixels = l.pixels;
  s.pool = together;
  const auto out = cube("output", plan::memory::output, feature(l.out()));
  s.out = together ? out : cube("between", plan::memory::features, feature(l.convolved()));
  lower_operator(hw, to, s);
  if (!together)
    lower_operator<quantised::pool>(hw, to, {.op = l.pool, .name = "pooling", .in = {s.out},
                                            .out = out});
  return cycles_in_order(hw, std::move(to.result), m);
}

// Whether passes of both together exist.
constexpr apart why_no_passes(const hw::spec& hw, const pair_of_layers& l, const pooled& together) {
  const auto& op = l.convolution;
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(hw.atom(), l.precision));
  const auto view = l.image ? pixel_view::of(*l.image) : pixel_view{};
  net::shape in = l.image ? view.image(*l.image).shape : l.in[0], out = l.out();
  const auto bundle = groups_per_bundle(op.groups, in.c / op.groups, op.kernels / op.groups, lanes);
  in.c = in.c / op.groups * bundle;
  out.c = op.kernels / op.groups * bundle;
  const net::shape convolved = convolved_of(out, together);
  const auto window =
      l.image ? pixel_window(hw, in.c, view.window(op.window), convolved.w) : op.window;
  if (!pass::convolution_core::of(window, in, convolved).whole) return apart::outputs_of_padding;
  const bool pixel = l.image.has_value(), adds = l.in.size() > 1;
  if (check_convolution(hw, in, convolved, window, pixel, l.precision, adds) != reason::none)
    return apart::not_supported;
  const auto split = split_convolution(hw, in, out, window, pixel, l.precision, together);
  if (!split)
    return pixel && out.w > widest_pass(together.window) ? apart::too_wide_for_pixels
                                                         : apart::no_pass_fits;
  if (adds && split->kernels < out.c && split->kernels % lanes != 0)
    return apart::operand_in_parts;
  return apart::none;
}

}  // namespace detail

// Why the hardware does not compute the pooling with the convolution of inputs `in`, whose only
// reader it is, in one stage; `none` if it does, because it can and takes fewer cycles by it. No
// value depends on the answer. `image`: the cube of pixels in which the first input stands, if it
// holds values.
constexpr apart why_apart(const target& hw, const quantised::convolution& op,
                          std::span<const net::shape> in,
                          const std::optional<quantised::pixels>& pixels,
                          const quantised::pool& pool, hw::precision p,
                          const std::optional<layer::surface>& image = {}) {
  if (op.winograd) return apart::winograd;
  const detail::pair_of_layers both{op, pool, in, pixels,
                                    pixels ? std::optional(picture_cube(in[0])) : image, p};
  const std::array middle{both.convolved()};
  const bool runs = check_precision(hw, p) == reason::none &&
                    check_support(hw, op, in, p) == reason::none &&
                    check_support(hw, pool, middle, p) == reason::none &&
                    (!pixels || (op.groups == 1 &&
                                 reason_of_pixels(hw, op, in[0], p) == reason::none)) &&
                    pool.fit_in(p, both.out()).ok() && (op.slope.size() != 1 || op.slope.known());
  if (!runs) return apart::not_supported;
  const auto together = pooled_by(pool, middle[0], both.out());
  if (!together) return apart::windows_differ;
  if (const auto why = detail::why_no_passes(hw, both, *together); why != apart::none) return why;
  const auto& w = together->window;  // windows side by side let nothing be computed twice
  if (w.kernel_h <= w.stride_h && w.kernel_w <= w.stride_w) return apart::none;
  const auto memory = cost::memory_of(hw);
  const bool is_faster = detail::cycles_of(hw, both, together, memory) <
                         detail::cycles_of(hw, both, {}, memory);
  return is_faster ? apart::none : apart::slower;
}

// Why Y does not look the results of a convolution up in the table that alone reads them. A table
// answers what is beyond int8 as the ends of int8 (lut_of_bytes), to which these results saturate
// in memory.
constexpr apart why_apart(const target& hw, const quantised::convolution& op,
                          std::span<const net::shape> in,
                          const std::optional<quantised::pixels>& pixels,
                          const quantised::lookup& table, hw::precision p,
                          const std::optional<layer::surface>& image = {}) {
  if (op.winograd) return apart::winograd;
  if (op.out != converter{}) return apart::converted_behind;
  const std::array out{op.infer(in)};
  const bool runs = p == hw::precision::int8 && !table.interpolates() &&
                    check_support(hw, op, in, p) == reason::none &&
                    check_support(hw, table, out, p) == reason::none &&
                    (!pixels || reason_of_pixels(hw, op, in[0], p) == reason::none);
  if (!runs) return apart::not_supported;
  const auto cube = pixels ? std::optional(picture_cube(in[0])) : image;
  const auto view = cube ? pixel_view::of(*cube) : pixel_view{};
  const net::shape seen = cube ? view.image(*cube).shape : in[0];
  const auto window = cube ? pixel_window(hw, seen.c, view.window(op.window), out[0].w) : op.window;
  return pass::convolution_core::of(window, seen, out[0]).whole ? apart::none
                                                                : apart::outputs_of_padding;
}

// A convolution and the pooling or table that reads it, by their nodes.
struct convolution_and_reader {
  std::size_t convolution = 0, reader = 0;
  apart why = apart::none;
};

// Every pooling and table of the network whose input is a convolution. `images`: whether inputs of
// integers may stand as pixels; `unfused`: those that stay apart.
template <class Graph>
constexpr std::vector<convolution_and_reader> find_together(
    const target& hw, const Graph& g, bool images = true, std::span<const label> unfused = {}) {
  std::vector<convolution_and_reader> found;
  const auto look_at = [&](std::size_t n, const auto& reader) {
    const std::size_t from = g.inputs(n)[0];
    const auto* convolution = g.template get_if<quantised::convolution>(from);
    if (convolution == nullptr) return;
    found.push_back({from, n, apart::read_by_others});
    if (g.is_output(from) || g.uses(from) != 1) return;
    std::vector<net::shape> in;
    for (const std::size_t i : g.inputs(from)) in.push_back(g.shape(i));
    const auto* picture = g.template get_if<quantised::input>(g.inputs(from)[0]);
    const auto pixels = picture == nullptr ? std::optional<quantised::pixels>{} : picture->pixels;
    found.back().why = why_apart(hw, *convolution, in, pixels, reader, g.precision(n),
                                 interleaved_input(hw, g, g.inputs(from)[0], images));
    for (const auto& name : unfused)
      if (found.back().why == apart::none && name == g.label_of(n)) found.back().why = apart::given;
  };
  for (const std::size_t n : g.order()) {
    if (const auto* pool = g.template get_if<quantised::pool>(n)) look_at(n, *pool);
    if (const auto* table = g.template get_if<quantised::lookup>(n)) look_at(n, *table);
  }
  return found;
}

}  // namespace nvdlac::lower
