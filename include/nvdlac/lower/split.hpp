// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

#include <nvdlac/hw/capacity.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/image_views.hpp>
#include <nvdlac/lower/pooled.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/pass/large_window.hpp>

namespace nvdlac::lower {

// The size of a dense kernel: [kernels][channels][height][width].
struct kernel_shape {
  std::int32_t kernels = 1, channels = 1, height = 1, width = 1;

  constexpr std::uint64_t elements() const {  // of one kernel
    return static_cast<std::uint64_t>(channels) * static_cast<std::uint64_t>(height) *
           static_cast<std::uint64_t>(width);
  }
};

// The bytes of packed weights.
constexpr bytes packed_size(const hw::spec& hw, kernel_shape shape,
                            hw::precision p = hw::precision::int8) {
  return hw::weight_bytes(hw, p, static_cast<std::uint64_t>(shape.kernels), shape.elements());
}

// Writes weights in the order in which CDMA reads them: kernel group, block of atomic_c channels
// (the last one shorter), `lines` lines, column, kernel, line of these, channel.
// run(k, c, n, r, s, to) writes the n channels from c on of one kernel's tap; zeros it may leave
// out, because `to`, of packed_size bytes, is 0 before. A run for each tap and not a call for each
// weight: compilers evaluate it too.
template <class Run>
constexpr void pack_weights(const hw::spec& hw, kernel_shape shape, const Run& run,
                            std::uint8_t* to, hw::precision p = hw::precision::int8,
                            std::int32_t lines = 1) {
  const auto group = static_cast<std::int32_t>(hw.kernel_group(p));
  const auto block = static_cast<std::int32_t>(hw.mac_atomic_c);
  for (std::int32_t k0 = 0; k0 < shape.kernels; k0 += group) {
    const std::int32_t last = std::min(k0 + group, shape.kernels);
    for (std::int32_t c0 = 0; c0 < shape.channels; c0 += block) {
      const std::int32_t n = std::min(block, shape.channels - c0);
      for (std::int32_t r0 = 0; r0 < shape.height; r0 += lines)
        for (std::int32_t s = 0; s < shape.width; ++s)
          for (std::int32_t k = k0; k < last; ++k)
            for (std::int32_t r = r0; r < std::min(r0 + lines, shape.height); ++r) {
              run(k, c0, n, r, s, to);
              to += n * static_cast<std::int32_t>(hw::element_bytes(p));
            }
    }
  }
}

// The window of pixels with a kernel that CONV computes: larger than its padding, and
// with lines that CSC reads right; the new taps are zeros. One of 32 columns always is.
constexpr net::window pixel_window(const hw::spec& hw, std::int32_t channels, net::window window,
                                   std::int32_t out_width) {
  net::window w = pass::widened(window);
  const auto count = [](std::int32_t n) { return static_cast<std::uint64_t>(n); };
  const auto widest = hw::limits_of(hw.map).convolution.kernel_width;
  while (std::cmp_less(w.kernel_w, widest) &&
         !hw::reads_image_lines(hw, count(channels * w.kernel_w), count(out_width))) {
    ++w.kernel_w;
    ++w.pad_right;
  }
  return w;
}

// How many lines of a kernel of pixels one step takes.
constexpr std::int32_t kernel_lines(const hw::spec& hw, std::int32_t channels,
                                    const net::window& w) {
  const auto count = [](std::int32_t n) { return static_cast<std::uint64_t>(n); };
  return static_cast<std::int32_t>(hw::most_kernel_lines(
      hw, count(w.kernel_h), count(channels * w.kernel_w), count(channels * w.stride_w)));
}

// Neighbouring results of one dimension, and what they are made of.
struct pass_part {
  std::int32_t first = 0, count = 1;
  net::range convolved{};  // outputs of the convolution; their padding is that of the pooling
  net::range input{};
};

// One dimension of a convolution whose results go to memory, or of one with a pooling behind it,
// whose results are the pooling's.
struct pass_axis {
  net::sliding convolution{1, 1, 0, 0, 1};
  std::int32_t input = 1, convolved = 1, results = 1;
  net::sliding pooling{1, 1, 0, 0, 1};

  constexpr pass_part part(std::int32_t first, std::int32_t most) const {
    pass_part p{.first = first, .count = std::min(most, results - first)};
    p.convolved = range_of(pooling, convolved, first, p.count);
    p.input = range_of(convolution, input, p.convolved.first, p.convolved.count);
    return p;
  }
  // The lines (or columns) of the input that so many results need at most.
  constexpr std::int64_t reach(std::int64_t count) const {
    const auto outputs = (count - 1) * pooling.stride + pooling.kernel;
    return (outputs - 1) * convolution.stride + convolution.extent();
  }
  // The most results that so many lines of the input give; 0 or less: none.
  constexpr std::int64_t most(std::int64_t lines) const {
    const auto rest = lines - reach(1), step = pooling.stride * convolution.stride;
    return rest < 0 ? 0 : rest / step + 1;
  }
  // Whether a part of so many results is a single output of the convolution.
  constexpr bool leaves_one(std::int32_t count) const {
    const std::int32_t last = (results - 1) / count * count;
    return part(0, count).convolved.count == 1 || part(last, count).convolved.count == 1;
  }

 private:
  static constexpr net::range range_of(const net::sliding& s, std::int32_t size,
                                       std::int32_t first, std::int32_t count) {
    const auto narrow = [](std::int64_t n) { return static_cast<std::int32_t>(n); };
    return net::input_range(size, narrow(s.extent()), narrow(s.stride), narrow(s.before), first,
                            count);
  }
};

// The two dimensions of a convolution, with the pooling behind it if there is one.
struct pass_axes {
  pass_axis rows{}, columns{};

  constexpr pass_axes(net::shape in, net::shape out, const net::window& w,
                      const std::optional<pooled>& pool)
      : rows{net::vertical(w), in.h, convolved_of(out, pool).h, out.h},
        columns{net::horizontal(w), in.w, convolved_of(out, pool).w, out.w} {
    if (!pool) return;
    rows.pooling = net::vertical(pool->window);
    columns.pooling = net::horizontal(pool->window);
  }
};

// How a convolution is cut so that each pass fits the CBUF.
struct convolution_split {
  std::int32_t rows = 1, columns = 1;  // of the results in one pass
  std::int32_t kernels = 1;            // of one pass
  banks data{1}, weights{1};
  std::optional<image_view> image{};   // how CDMA reads a feature cube, if not as one

  bool last_first = false;             // the last pass's kernels before the others
  std::int32_t pictures = 1;           // of one pass, in batch mode

  // The first kernel of the pass behind that which begins with `k`, of `count` kernels in all. The
  // passes begin at first_pass() and end with none.
  constexpr std::int32_t first_pass(std::int32_t count) const {
    return last_first ? (count - 1) / kernels * kernels : 0;
  }
  constexpr std::int32_t next_pass(std::int32_t k, std::int32_t count) const {
    const std::int32_t next = last_first && k == first_pass(count) ? 0 : k + kernels;
    return next < (last_first ? first_pass(count) : count) ? next : count;
  }
  // The channels from one pass's kernels to the next one's, of `count` in all: passes that do not
  // fill their last atom stand whole atoms apart.
  constexpr std::int32_t kernels_apart(std::int32_t count, std::uint64_t lanes) const {
    return kernels >= count ? count
                            : static_cast<std::int32_t>(
                                  align_up(static_cast<std::uint64_t>(kernels), lanes));
  }
};

// Entries of the CBUF for each line of a pass's input: `width` of its columns are in the cube.
constexpr entries slice_of(const hw::spec& hw, std::int32_t channels, net::range columns,
                           bool pixel, hw::precision p) {
  const auto c = static_cast<std::uint64_t>(channels);
  const auto width = static_cast<std::uint64_t>(columns.count);
  if (!pixel) return hw::feature_entries_per_slice(hw, p, width, c);
  return hw::image_entries_per_slice(
      hw, p, width + static_cast<std::uint64_t>(columns.pad_before + columns.pad_after), c);
}

namespace detail {

constexpr std::int32_t divided(std::int32_t n, std::int32_t by) { return (n + by - 1) / by; }

// The largest of n parts that differ by at most one, where a part is at most `most`.
constexpr std::int32_t even_part(std::int32_t n, std::int32_t most) {
  return divided(n, divided(n, most));
}

// How many kernels a pass has that gives few pixels, and the cycles of 1,024 kernels then. CSC
// frees the weights of a kernel group when it has computed with all of them; until then the next
// group waits for room, if the banks hold less than two. Of passes of less than a group, or of a
// group and a part of another, they hold two nearly whole, so that one is fetched while the other
// is computed. All kernels where that saves nothing; none where not even one fits.
struct kernel_pace {
  std::int32_t kernels = 0;
  std::uint64_t cycles = 0;
};
constexpr kernel_pace pace_of_kernels(const hw::spec& hw, kernel_shape shape, hw::precision p,
                                      banks weights) {
  const auto count = static_cast<std::uint64_t>(shape.kernels);
  const auto group = std::uint64_t{hw.kernel_group(p)};
  const std::uint64_t room = hw.cbuf_bank().n * weights.n, width = hw.dram.width_bits / 8;
  const auto size = [&](std::uint64_t kernels) {
    return kernels * shape.elements() * hw::element_bytes(p);
  };
  const auto channels = static_cast<std::uint64_t>(shape.channels);
  const auto steps = ceil_div(channels, hw.mac_atomic_c) * (shape.elements() / channels);
  // The pace of passes of so many kernels; the weights of two successive groups share the room.
  const auto pace = [&](std::uint64_t kernels) {
    const auto groups = ceil_div(kernels, group), both = size(2 * kernels / groups);
    const auto late = (both - std::min(both, room)) / width;
    return 1024 * std::max(size(kernels) / width, groups * (steps * group + late)) / kernels;
  };
  kernel_pace best;
  if (size(std::min(group, count)) <= room) best = {shape.kernels, pace(group)};
  if (best.kernels != 0 && (count <= 2 * group || size(2 * group) <= room)) return best;
  auto least = best.cycles - best.cycles / 32;  // worth the passes
  for (std::uint64_t n = 1; n < 2 * group && size(std::min(n, group)) <= room; ++n)
    if (const auto now = pace(n); best.kernels == 0 || now < least) {
      best = {static_cast<std::int32_t>(std::min(n, count)), now};
      least = now;
    }
  return best;
}

// The kernels beyond whole groups, if a pass of their own before the others is worth it: the first
// MAC waits for all weights of its group. 0: it is not.
constexpr std::int32_t kernels_ahead(const hw::spec& hw, kernel_shape shape, hw::precision p) {
  constexpr std::uint64_t cycles_of_a_pass = 128;
  const auto group = static_cast<std::int32_t>(hw.kernel_group(p)), rest = shape.kernels % group;
  if (rest == 0 || shape.kernels < group) return 0;
  const auto later = static_cast<std::uint64_t>(group - rest) * shape.elements() *
                     hw::element_bytes(p) / (hw.dram.width_bits / 8);
  return later > cycles_of_a_pass ? rest : 0;
}

// The search for the passes of one convolution.
class pass_search {
 public:
  constexpr pass_search(const hw::spec& hw, net::shape in, net::shape out, net::window window,
                        bool pixel, hw::precision p, const std::optional<pooled>& pool)
      : hw_(hw), in_(in), out_(out), window_(window), axes_(in, out, window, pool),
        widest_(pool ? even_part(out.w, std::min(out.w, widest_pass(pool->window))) : out.w),
        pixel_(pixel), pooled_(pool), precision_(p) {}

  constexpr std::optional<convolution_split> run() const {
    if (pixel_ && widest_ < out_.w) return std::nullopt;
    const auto group = static_cast<std::int32_t>(hw_.kernel_group(precision_));
    const std::array least{weights(2 * group), weights(group)};
    for (const banks used : least)
      if (rows_beside(used, widest_) == out_.h) {  // whole columns; weights take what data leave
        auto split = make(out_.h, widest_, out_.c, used);
        split.weights = std::min(weights(out_.c), banks{hw_.cbuf_banks} - split.data);
        return split;
      }
    for (const banks used : least)
      if (const auto rows = rows_beside(used, widest_); rows != 0) {
        if (const auto two = in_turns()) return two;
        return make(rows, widest_, out_.c, used);
      }
    std::optional<convolution_split> best;
    for (std::int32_t kernels = group; kernels >= 1; kernels /= 2) {
      const banks used = weights(kernels);
      const auto columns = columns_beside(used);
      if (columns == 0) continue;
      const auto split = make(rows_beside(used, columns), columns,
                              kernels == group ? out_.c : kernels, used);
      if (!best || passes(split) < passes(*best)) best = split;
    }
    return best;
  }

  // The banks that so many kernels take.
  constexpr banks weights(std::int32_t kernels) const {
    const kernel_shape shape{out_.c, in_.c, window_.kernel_h, window_.kernel_w};
    return hw::weight_banks(
        hw_, hw::weight_bytes(hw_, precision_,
                              static_cast<std::uint64_t>(std::min(kernels, out_.c)),
                              shape.elements()));
  }
  // The lines of the input that so many of the results read.
  constexpr std::int32_t lines_for(std::int32_t rows) const {
    return static_cast<std::int32_t>(
        std::min<std::int64_t>(axes_.rows.reach(rows), in_.h));
  }
  // The most result lines of so many columns whose input fits beside the weights; 0: none.
  constexpr std::int32_t rows_beside(banks used, std::int32_t columns) const {
    if (used.n >= hw_.cbuf_banks) return 0;
    const auto lines = lines_in(banks{hw_.cbuf_banks} - used, slice(columns));
    if (lines >= in_.h) return out_.h;
    const auto most = axes_.rows.most(lines);
    if (most == 0) return 0;
    return even_part(out_.h, static_cast<std::int32_t>(std::min<std::int64_t>(most, out_.h)));
  }
  // Passes of so many of the results and kernels, in the fewest banks.
  constexpr convolution_split make(std::int32_t rows, std::int32_t columns, std::int32_t kernels,
                                   banks used) const {
    const auto lines = static_cast<std::uint64_t>(lines_for(rows));
    const std::int32_t most = leaves_one_pixel(rows, columns) ? lanes() : out_.c;
    return {.rows = rows, .columns = columns, .kernels = std::min(kernels, most),
            .data = hw::data_banks(hw_, slice(columns), lines), .weights = used};
  }

 private:
  // Passes of whole lines of which the CBUF holds two and all weights, so that the input of one
  // comes while the other is computed; nullopt where there is no room, the weights, which may come
  // again for each pass, are more than its input, or lines would be computed twice.
  constexpr std::optional<convolution_split> in_turns() const {
    const auto all = weights(out_.c);
    if (axes_.rows.pooling.kernel > axes_.rows.pooling.stride || all.n + 2 > hw_.cbuf_banks)
      return std::nullopt;
    const auto widest = slice(widest_);
    const banks half{(banks{hw_.cbuf_banks} - all).n / 2};
    const auto rows = axes_.rows.most(lines_in(half, widest));
    if (rows == 0) return std::nullopt;
    // As many parts as others of this input have, which then may share them: a power of two.
    const auto parts = std::bit_ceil(static_cast<std::uint32_t>(
        divided(out_.h, static_cast<std::int32_t>(std::min<std::int64_t>(rows, out_.h)))));
    auto split = make(divided(out_.h, static_cast<std::int32_t>(parts)), widest_, out_.c, all);
    if (split.kernels < out_.c || all > split.data) return std::nullopt;
    split.data = banks{2 * split.data.n};
    return split;
  }
  // A slice of the widest pass: of an inner one, or of the first, which has the padding.
  constexpr entries slice(std::int32_t columns) const {
    const auto at = [&](std::int32_t first) {
      return slice_of(hw_, in_.c, axes_.columns.part(first, columns).input, pixel_, precision_);
    };
    entries most = at(0);
    for (std::int32_t first = columns; first < out_.w; first += columns)
      most = std::max(most, at(first));
    return most;
  }
  // The most lines of these slices that one pass reads: those that the banks hold, and that CSC
  // counts when it gives them back (CSC.D_RELEASE.RLS_SLICES).
  constexpr std::int64_t lines_in(banks data, entries slice) const {
    return std::min(static_cast<std::int64_t>(hw::slices_in(hw_, data, slice)),
                    std::int64_t{hw::limits_of(hw_.map).convolution.release_lines});
  }
  // The most result columns, as even parts of all, of which a line fits beside the weights.
  // A part of a line of pixels may not start at an address that CDMA reads.
  constexpr std::int32_t columns_beside(banks used) const {
    if (rows_beside(used, widest_) != 0) return widest_;
    if (pixel_ || rows_beside(used, 1) == 0) return 0;
    std::int32_t parts = divided(out_.w, widest_) + 1;
    while (rows_beside(used, divided(out_.w, parts)) == 0) ++parts;
    return divided(out_.w, parts);
  }
  // Whether a part of the convolution's output is a pixel alone: SDP writes the surfaces of one
  // side by side, and reads operands so, which in a larger cube they are not, so that a pass may
  // have but one.
  constexpr bool leaves_one_pixel(std::int32_t rows, std::int32_t columns) const {
    return (pooled_ || out_.h > 1 || out_.w > 1) && axes_.rows.leaves_one(rows) &&
           axes_.columns.leaves_one(columns);
  }
  constexpr std::int32_t lanes() const {
    return static_cast<std::int32_t>(layer::lanes_of(hw_.atom(), precision_));
  }
  constexpr std::int64_t passes(const convolution_split& s) const {
    return std::int64_t{divided(out_.h, s.rows)} * divided(out_.w, s.columns) *
           divided(out_.c, s.kernels);
  }
  hw::spec hw_;
  net::shape in_, out_;
  net::window window_;
  pass_axes axes_;
  std::int32_t widest_;  // columns of a pass
  bool pixel_, pooled_;
  hw::precision precision_;
};

}  // namespace detail

// A pass keeps all its input in the CBUF and streams its weights through it, at least one kernel
// group at a time, two if there is room. It computes whole lines if it can; else parts of lines, or
// fewer kernels than a group, whichever takes fewer passes. With a pooling behind it `out` is the
// pooling's, and a pass has no more columns than PDP's line buffers. Nothing fits: nullopt.
constexpr std::optional<convolution_split> split_convolution(
    const hw::spec& hw, net::shape in, net::shape out, net::window window, bool pixel,
    hw::precision p = hw::precision::int8, const std::optional<pooled>& pool = {}) {
  return detail::pass_search(hw, in, out, window, pixel, p, pool).run();
}

// How a fully connected layer of several pictures is cut, which stand below each other: in passes
// of several pictures and all kernels, so that the fewest cycles are taken. nullopt: a pass has
// room for one picture alone.
constexpr std::optional<convolution_split> split_of_batch(const hw::spec& hw, net::shape in,
                                                          net::shape out, const net::window& w,
                                                          hw::precision p) {
  const auto slice = slice_of(hw, in.c, {.count = in.w}, false, p);
  const kernel_shape kernels{out.c, in.c, w.kernel_h, w.kernel_w};
  std::optional<convolution_split> best;
  std::uint64_t least = 0;
  for (std::int32_t parts = 1; parts < out.h; ++parts) {
    const auto rows = detail::divided(out.h, parts);
    const auto data = hw::data_banks(hw, slice, static_cast<std::uint64_t>(rows * w.kernel_h));
    if (rows == 1 || data.n >= hw.cbuf_banks ||
        std::cmp_greater(rows, hw.kernel_group(p)))
      continue;
    const banks rest = banks{hw.cbuf_banks} - data;
    const auto pace = detail::pace_of_kernels(hw, kernels, p, rest);
    const auto cycles = static_cast<std::uint64_t>(parts) * pace.cycles;
    if (pace.kernels == 0 || (best && cycles >= least)) continue;
    best = {.rows = rows, .columns = 1, .kernels = pace.kernels, .data = data, .weights = rest};
    least = cycles;
  }
  return best;
}

}  // namespace nvdlac::lower
