// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions in Winograd's mode of CONV: its passes are of whole tiles of 4x4 outputs, at least
// two each way, and read two columns and lines more than a window of 3x3 needs.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/copy.hpp>
#include <nvdlac/lower/lowering.hpp>
#include <nvdlac/lower/two_bytes.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

inline constexpr std::int32_t winograd_tile = 4, least_winograd_output = 8;

// So many lines or columns of output in whole tiles.
constexpr std::int32_t in_winograd_tiles(std::int32_t n) {
  const auto whole = (n + winograd_tile - 1) / winograd_tile * winograd_tile;
  return std::max<std::int32_t>(whole, least_winograd_output);
}

// How a convolution is cut. All passes are of one size, so that the last of a dimension may
// compute a part of the one before it again: their tiles are the same.
struct winograd_split {
  net::shape padded{};                // the output in whole tiles
  std::int32_t rows = 8, columns = 8;  // of the output in one pass
  banks data{1}, weights{1};

  constexpr std::int32_t parts(std::int32_t all, std::int32_t part) const {
    return (all + part - 1) / part;
  }
  constexpr std::int32_t passes() const {
    return parts(padded.h, rows) * parts(padded.w, columns);
  }
};

namespace detail {

// The search for the passes of one convolution. The CBUF holds the input of one, or of two, so that
// one comes while the other is computed.
class winograd_search {
 public:
  constexpr winograd_search(const hw::spec& hw, net::shape in, net::shape out, hw::precision p)
      : hw_(hw), precision_(p), padded_{out.c, in_winograd_tiles(out.h), in_winograd_tiles(out.w)},
        channels_(align_up(natural(in.c), layer::lanes_of(hw_.atom(), p))) {}

  constexpr std::optional<winograd_split> run() const {
    const auto group = natural(hw_.kernel_group(precision_)), all = natural(padded_.c);
    std::optional<winograd_split> best;
    std::uint64_t least = 0;
    for (std::int32_t n = 1; n <= padded_.w / least_winograd_output; ++n)
      for (const auto kernels : {all, 2 * group, group})
        for (const std::uint64_t held : {std::uint64_t{1}, std::uint64_t{2}}) {
          const auto split = beside(weights_of(std::min(kernels, all)),
                                    in_winograd_tiles((padded_.w + n - 1) / n), held);
          if (!split) continue;
          const auto cycles = cycles_of(*split, held);
          if (!best || cycles < least) {
            best = split;
            least = cycles;
          }
        }
    return best;
  }

 private:
  static constexpr std::uint64_t natural(auto n) { return static_cast<std::uint64_t>(n); }
  constexpr bytes bytes_of(std::uint64_t kernels) const {
    return hw::weight_bytes(hw_, precision_, kernels, channels_ * quantised::winograd_taps);
  }
  constexpr banks weights_of(std::uint64_t kernels) const {
    return hw::weight_banks(hw_, bytes_of(kernels));
  }
  constexpr entries slice(std::int32_t columns) const {
    return hw::winograd_entries_per_slice(hw_, precision_, natural(columns + winograd_tile),
                                          channels_);
  }
  // The most lines of so many columns beside so many banks of weights, where so many passes are
  // held; nullopt: there is no room, or no second pass.
  constexpr std::optional<winograd_split> beside(banks weights, std::int32_t columns,
                                                 std::uint64_t held) const {
    const auto& limits = hw::limits_of(hw_.map).convolution;
    const auto each = slice(columns);
    if (weights.n >= hw_.cbuf_banks || std::cmp_greater(each.n, limits.entries_per_slice))
      return std::nullopt;
    const auto lines = std::min(hw::slices_in(hw_, banks{hw_.cbuf_banks} - weights, each) / held,
                                natural(padded_.h + winograd_tile));
    const auto most = static_cast<std::int32_t>(lines) / winograd_tile * winograd_tile -
                      winograd_tile;
    if (most < least_winograd_output) return std::nullopt;
    winograd_split split{.padded = padded_, .columns = columns};
    const auto parts = split.parts(padded_.h, most);
    split.rows = in_winograd_tiles((padded_.h + parts - 1) / parts);
    if (held > 1 && split.passes() == 1) return std::nullopt;
    split.data = hw::data_banks(hw_, each, natural(split.rows + winograd_tile) * held);
    split.weights = std::min(weights_of(natural(padded_.c)), banks{hw_.cbuf_banks} - split.data);
    return split;
  }
  // About how many cycles it takes: a pass waits for its data that did not come before.
  constexpr std::uint64_t cycles_of(const winograd_split& s, std::uint64_t held) const {
    constexpr std::uint64_t of_a_pass = 200;
    const cost::bus bus(hw_, cost::memory_of(hw_));
    const auto passes = natural(s.passes());
    const auto groups = ceil_div(natural(padded_.c), natural(hw_.kernel_group(precision_)));
    const auto macs = natural(s.rows / 2) * natural(s.columns / 2) * groups *
                      (channels_ / winograd_tile);
    const auto data = bus.cycles(natural(s.rows + 2) * natural(s.columns + 2) * channels_ *
                                 hw::element_bytes(precision_) / hw_.memory_atom);
    const auto all = bytes_of(natural(padded_.c));
    const auto weights = bus.cycles(all.n / hw_.memory_atom);
    const auto later = hw::weight_banks(hw_, all) <= s.weights ? 0 : weights;  // in each pass
    if (held > 1)
      return data + weights + passes * (std::max(macs, data + later) + of_a_pass);
    return std::max(macs, weights) + (passes - 1) * std::max(macs, later) +
           passes * (data + of_a_pass);
  }

  const hw::spec& hw_;
  hw::precision precision_;
  net::shape padded_;
  std::uint64_t channels_;  // in whole atoms
};

// One dimension of a pass: its outputs, and what it reads of an input of `size` with `before`
// elements of padding.
struct winograd_part {
  std::int32_t first = 0;  // output
  net::range input{};

  constexpr winograd_part(std::int32_t first_output, std::int32_t outputs, std::int32_t size,
                          std::int32_t before)
      : first(first_output) {
    const std::int32_t from = first - before, begin = std::max<std::int32_t>(from, 0);
    const std::int32_t end = std::min(size, from + outputs + 2);  // what the windows see
    input = {begin, end - begin, begin - from, from + outputs + winograd_tile - end};
  }
};

// Starts of parts of one size that cover `all`.
constexpr std::vector<std::int32_t> starts_of_parts(std::int32_t all, std::int32_t part) {
  std::vector<std::int32_t> result;
  for (std::int32_t at = 0; at < all; at += part) result.push_back(std::min(at, all - part));
  return result;
}

// Writes transformed weights in the order in which CDMA reads them: kernel group, block of four
// channels, kernel, place of the 4x4, channel. `to` is 0 before.
template <class Weights>
constexpr void pack_winograd(const hw::spec& hw, std::int32_t kernels, std::int32_t channels,
                             std::int32_t in_whole_atoms, hw::precision p, const Weights& weights,
                             std::uint8_t* to) {
  const auto group = static_cast<std::int32_t>(hw.kernel_group(p));
  const auto element = static_cast<std::int32_t>(hw::element_bytes(p));
  constexpr auto taps = static_cast<std::int32_t>(quantised::winograd_taps);
  for (std::int32_t k0 = 0; k0 < kernels; k0 += group)
    for (std::int32_t c0 = 0; c0 < in_whole_atoms; c0 += winograd_tile)
      for (std::int32_t k = k0; k < std::min(k0 + group, kernels); ++k)
        for (std::int32_t i = 0; i < taps; ++i)
          for (std::int32_t c = c0; c < c0 + winograd_tile; ++c, to += element)
            if (c < channels) weights((std::int64_t{k} * channels + c) * taps + i, to);
}

}  // namespace detail

// How the hardware computes a convolution of this input and output; nullopt: not in Winograd's
// mode. A MAC cell takes 4x4 places of four channels, an entry of the CBUF four columns of an atom.
constexpr std::optional<winograd_split> split_winograd(const hw::spec& hw, net::shape in,
                                                       net::shape out, hw::precision p) {
  if (!hw.winograd || hw.mac_atomic_c != 64 || hw::atoms_per_entry(hw) != winograd_tile ||
      out.h == 1)
    return std::nullopt;
  return detail::winograd_search(hw, in, out, p).run();
}

// A convolution in Winograd's mode, with what SDP does behind it. Where the output is no whole
// number of tiles, it is computed beside its place and copied there, and so is what SDP adds.
class winograd_lowering {
 public:
  constexpr winograd_lowering(const hw::spec& hw, assembly& to,
                              const site<quantised::convolution>& s, const winograd_split& split)
      : hw_(hw), to_(to), s_(s), op_(s.op), split_(split), precision_(s.out.precision),
        in_(s.in[0]) {
    in_.shape.c = static_cast<std::int32_t>(
        align_up(static_cast<std::uint64_t>(in_.shape.c), layer::lanes_of(atom_, precision_)));
  }

  constexpr void run() {
    const net::shape out = s_.out.shape;
    const bool whole = out.h == split_.padded.h && out.w == split_.padded.w;
    auto result = s_.out;
    if (!whole) result = room("/tiles");
    std::optional<layer::surface> addends;
    if (s_.in.size() > 1) {
      addends = whole ? s_.in[1] : extended(s_.in[1]);
    }
    passes(result, requantisation_of(op_, precision_, addends ? &*addends : nullptr));
    if (!whole)
      copy(to_, label(s_.name, "/place"), layer::part(result, atom_, 0, 0, 0, out), s_.out);
  }

 private:
  constexpr layer::surface room(const char* what) {
    auto cube = layer::packed(split_.padded, atom_, {}, precision_);
    cube.at = to_.reserve(label(s_.name, what), plan::memory::features, cube.size);
    return cube;
  }
  // The cube in whole tiles: what is beyond it repeats its columns, then its lines.
  constexpr layer::surface extended(const layer::surface& cube) {
    const net::shape own = cube.shape, all = split_.padded;
    const auto result = room("/operand");
    std::int32_t number = 0;
    const auto fill = [&](const layer::surface& from, std::int32_t y, std::int32_t x,
                          net::shape shape) {
      copy(to_, label(s_.name, "/operand", number++), layer::part(from, atom_, 0, 0, 0, shape),
           layer::part(result, atom_, 0, y, x, shape));
    };
    for (std::int32_t x = 0; x < all.w; x += own.w)
      fill(cube, 0, x, {own.c, own.h, std::min(own.w, all.w - x)});
    for (std::int32_t y = own.h; y < all.h; y += own.h)
      fill(result, y, 0, {own.c, std::min(own.h, all.h - y), all.w});
    return result;
  }
  template <class Write>
  constexpr layer::location keep(const char* what, std::uint64_t size, const Write& write) {
    const bool known = op_.weights.known() && op_.wide_weights.known() && op_.bias.known() &&
                       op_.multiplier.known() && op_.slope.known();
    return to_.keep_trained(label(s_.name, what), size, known, write);
  }
  constexpr layer::surface weights() {
    const std::int32_t kernels = op_.kernels, channels = s_.in[0].shape.c;
    const kernel_shape shape{kernels, in_.shape.c, 4, 4};
    const auto size = packed_size(hw_, shape, precision_).n;
    const auto pack = [&](std::uint8_t* packed) {
      detail::pack_winograd(hw_, kernels, channels, in_.shape.c, precision_,
                            [&](std::int64_t i, std::uint8_t* at) {
                              const auto n = static_cast<std::size_t>(i);
                              if (op_.wide_weights.empty())
                                *at = static_cast<std::uint8_t>(op_.weights[n]);
                              else put_two_bytes(op_.wide_weights[n], at);
                            },
                            packed);
    };
    return {.at = keep("/weights", size, pack), .shape = {kernels, 1, 1}, .size = size};
  }
  constexpr void passes(const layer::surface& result, const requantisation& q) {
    const auto packed = weights();
    const auto size = align_up(static_cast<std::uint64_t>(op_.kernels),
                               layer::lanes_of(atom_, precision_)) * 4;
    const auto pairs = [&](std::uint8_t* at) {
      const auto of = [&](std::int32_t k) {
        const auto n = static_cast<std::size_t>(k);
        return std::pair(op_.bias[n], op_.multiplier[n]);
      };
      detail::interleave(0, op_.kernels, of, at);
    };
    const layer::surface operands{.at = keep("/requantisation", size, pairs),
                                  .shape = {op_.kernels, 1, 1}, .size = size};
    layer::sdp_unit x2 = q.x2;
    if (x2.mode == layer::sdp_mode::per_kernel) {
      x2.operands = {.shape = {op_.kernels, 1, 1}, .size = size / 2};
      x2.operands.at = keep("/slopes", x2.operands.size, [&](std::uint8_t* at) {
        detail::list(op_.slope.data(), op_.kernels, at);
      });
    }
    for (const std::int32_t y : detail::starts_of_parts(split_.padded.h, split_.rows))
      for (const std::int32_t x : detail::starts_of_parts(split_.padded.w, split_.columns))
        pass(result, q, packed, operands, x2, y, x);
  }
  constexpr void pass(const layer::surface& result, const requantisation& q,
                      const layer::surface& packed, const layer::surface& operands,
                      const layer::sdp_unit& x2, std::int32_t y, std::int32_t x) {
    const auto& w = op_.window;
    const detail::winograd_part rows(y, split_.rows, in_.shape.h, w.pad_top);
    const detail::winograd_part columns(x, split_.columns, in_.shape.w, w.pad_left);
    const net::window transformed{.kernel_h = 4, .kernel_w = 4};
    const layer::convolution conv{
        .input = layer::part(in_, atom_, 0, rows.input.first, columns.input.first,
                             {in_.shape.c, rows.input.count, columns.input.count}),
        .precision = precision_,
        .weights = packed,
        .output = {op_.kernels, split_.rows, split_.columns},
        .window = detail::padded(transformed, rows.input, columns.input),
        .pad_value = q.pad,
        .entries_per_slice = static_cast<std::uint16_t>(
            hw::winograd_entries_per_slice(
                hw_, precision_, static_cast<std::uint64_t>(split_.columns + winograd_tile),
                static_cast<std::uint64_t>(in_.shape.c)).n),
        .data_banks = static_cast<std::uint8_t>(split_.data.n),
        .weight_banks = static_cast<std::uint8_t>(split_.weights.n),
        .release = static_cast<std::uint16_t>(split_.rows + winograd_tile),
        .truncate = q.truncate,
        .winograd = true,
        .input_truncate = op_.input_truncate};
    const auto place = layer::part(result, atom_, 0, y, x, conv.output);
    const pass_part of_rows{.first = y, .convolved = {.first = y}};
    const pass_part of_columns{.first = x, .convolved = {.first = x}};
    auto sdp = detail::sdp_of(hw_, conv, q, operands, x2, 0, of_rows, of_columns, &place);
    sdp.winograd = true;
    label which;
    if (split_.rows < split_.padded.h) which = label(which, "/y", y);
    if (split_.columns < split_.padded.w) which = label(which, "/x", x);
    to_.add(label(s_.name, which), conv);
    to_.add(label(s_.name, which, "/sdp"), sdp);
  }

  const hw::spec& hw_;
  bytes atom_ = hw_.atom();
  assembly& to_;
  const site<quantised::convolution>& s_;
  const quantised::convolution& op_;
  winograd_split split_;
  hw::precision precision_;
  layer::surface in_;  // with channels in whole atoms
};

}  // namespace nvdlac::lower
