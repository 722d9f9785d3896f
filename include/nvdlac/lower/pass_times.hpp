// SPDX-License-Identifier: Apache-2.0
#pragma once
// Passes of a convolution for which the memory is the limit: fewer that bring the weights again, or
// ones whose weights stay in the CBUF while the lines come in turns.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include <nvdlac/base/units.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/pooled.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::lower {

namespace detail {

// How long a convolution's passes of whole lines take, by what they bring and compute: a rough
// measure by which passes are compared, not a prediction. Weights that all fit their banks stay
// there for the passes of the same kernels. Where the banks hold the data of two passes, those of
// the next one come while one is computed, but behind all of its weights: CDMA brings the data and
// the weights of one layer, then those of the next.
class pass_times {
 public:
  constexpr pass_times(const hw::spec& hw, net::shape in, net::shape out, const net::window& window,
                       hw::precision p, const std::optional<pooled>& pool)
      : hw_(hw), in_(in), out_(out), window_(window), precision_(p), pooled_(pool),
        rows_(pass_axes(in, out, window, pool).rows), search_(hw, in, out, window, false, p, pool),
        width_(hw.dram.width_bits / 8) {}

  // The passes of `found`, or others that take clearly less time.
  constexpr convolution_split best(const convolution_split& found) const {
    if (out_.h == 1 || found.columns < out_.w || found.kernels < out_.c) return found;
    auto least = cycles(found);
    if (least <= bound() + bound() / worth) return found;
    least -= least / worth;
    auto best = found;
    const auto consider = [&](const std::optional<convolution_split>& s) {
      if (!s) return;
      if (const auto now = cycles(*s); now < least) {
        best = *s;
        least = now;
      }
    };
    const auto group = static_cast<std::int32_t>(hw_.kernel_group(precision_));
    for (const std::int32_t kernels : {group, 2 * group, out_.c}) {
      consider(one_at_a_time(kernels, out_.c));
      consider(two_at_a_time(kernels, out_.c));
    }
    // Passes of some of the kernels fill whole groups, and whole atoms of the result.
    const auto unit = static_cast<std::int32_t>(std::lcm(
        std::uint64_t{hw_.kernel_group(precision_)}, layer::lanes_of(hw_.atom(), precision_)));
    for (const std::int32_t parts : {2, 3, 4})
      if (const auto kernels = divided(out_.c, parts * unit) * unit; !pooled_ && kernels < out_.c)
        consider(two_at_a_time(kernels, kernels));
    return best;
  }

 private:
  static constexpr std::uint64_t worth = 16;              // parts of the time, of which one counts
  static constexpr std::uint64_t cycles_of_a_pass = 256;  // beyond those of its MACs

  // Beside the weights of `held` kernels the CBUF has the lines of one pass, or of two.
  constexpr std::optional<convolution_split> one_at_a_time(std::int32_t held,
                                                           std::int32_t kernels) const {
    const auto used = search_.weights(held);
    const auto rows = search_.rows_beside(used, out_.w);
    auto split = rows == 0 ? std::nullopt : made(rows, kernels, used);
    if (split) split->weights = std::min(search_.weights(kernels),
                                         banks{hw_.cbuf_banks} - split->data);
    return split;
  }
  constexpr std::optional<convolution_split> two_at_a_time(std::int32_t held,
                                                           std::int32_t kernels) const {
    const auto used = search_.weights(held);
    if (used.n + 2 > hw_.cbuf_banks || rows_.pooling.kernel > rows_.pooling.stride)
      return std::nullopt;
    const auto others = (hw_.cbuf_banks + used.n + 1) / 2;
    const auto rows = search_.rows_beside(banks{others}, out_.w);
    auto split = rows == 0 ? std::nullopt : made(rows, kernels, used);
    if (split && rows < out_.h) split->data = banks{2 * split->data.n};
    return split;
  }
  constexpr std::optional<convolution_split> made(std::int32_t rows, std::int32_t kernels,
                                                  banks used) const {
    const auto split = search_.make(rows, out_.w, kernels, used);
    return split.kernels == kernels ? std::optional(split) : std::nullopt;
  }

  constexpr std::uint64_t weight_bytes(std::int32_t kernels) const {
    const kernel_shape shape{1, in_.c, window_.kernel_h, window_.kernel_w};
    return static_cast<std::uint64_t>(kernels) * shape.elements() * hw::element_bytes(precision_);
  }
  constexpr std::uint64_t data_bytes(std::int64_t lines) const {
    const auto slice = slice_of(hw_, in_.c, {.count = in_.w}, false, precision_);
    return static_cast<std::uint64_t>(lines) * slice.n * hw_.cbuf_entry;
  }
  // Cycles of the MACs for a kernel group of all rows.
  constexpr std::uint64_t macs() const {
    const auto convolved = convolved_of(out_, pooled_);
    return static_cast<std::uint64_t>(convolved.h) * static_cast<std::uint64_t>(convolved.w) *
           ceil_div(static_cast<std::uint64_t>(in_.c), hw_.mac_atomic_c) *
           static_cast<std::uint64_t>(window_.kernel_h * window_.kernel_w);
  }
  constexpr std::uint64_t groups(std::int32_t kernels) const {
    return ceil_div(static_cast<std::uint64_t>(kernels), hw_.kernel_group(precision_));
  }
  // Less than any passes take.
  constexpr std::uint64_t bound() const {
    return std::max(groups(out_.c) * macs(),
                    (weight_bytes(out_.c) + data_bytes(in_.h)) / width_);
  }
  // The time of passes; what they bring counts a little, because it is in the way of others.
  constexpr std::uint64_t cycles(const convolution_split& s) const {
    const auto parts = static_cast<std::uint64_t>(divided(out_.c, s.kernels));
    const auto passes = static_cast<std::uint64_t>(divided(out_.h, s.rows));
    const auto lines = std::min<std::int64_t>(rows_.reach(s.rows), in_.h);
    const auto data = data_bytes(lines) / width_, weights = weight_bytes(s.kernels) / width_;
    const auto slice = slice_of(hw_, in_.c, {.count = in_.w}, false, precision_);
    const bool two = hw::data_banks(hw_, slice, 2 * static_cast<std::uint64_t>(lines)) <= s.data;
    const auto room = hw_.cbuf_bank().n * s.weights.n;
    const bool stay = weight_bytes(s.kernels) <= room;
    // Cycles of a pass: of a kernel group, whose weights wait for room where the banks hold less
    // than two; of all of them; and of those with whose weights in the banks the next data come.
    const auto group = std::min(static_cast<std::int32_t>(hw_.kernel_group(precision_)), s.kernels);
    const auto late = 2 * weight_bytes(group) - std::min(2 * weight_bytes(group), room);
    const auto own = macs() / passes + (stay ? 0 : late / width_);
    const auto computing =
        groups(s.kernels) * (stay ? own : std::max(own, weight_bytes(group) / width_));
    const auto beside = !two ? 0 : stay ? computing : room / weight_bytes(group) * own;
    const auto brought = stay ? data : data + weights;
    const auto loads = data + (passes - 1) * (data - std::min(data, beside));
    const auto first = stay ? weights : 0;
    const auto moved = passes * brought + first;
    return parts * (first + loads + passes * (cycles_of_a_pass + computing) + moved / worth);
  }

  hw::spec hw_;
  net::shape in_, out_;
  net::window window_;
  hw::precision precision_;
  std::optional<pooled> pooled_;
  pass_axis rows_;
  pass_search search_;
  std::uint64_t width_;  // bytes of the memory in a cycle
};

}  // namespace detail

// The passes of a convolution of a feature cube that were found, or faster ones where these wait
// for the memory. `out` is that of the pooling where there is one.
constexpr convolution_split paced_by_memory(const hw::spec& hw, net::shape in, net::shape out,
                                            const net::window& window, hw::precision p,
                                            const std::optional<pooled>& pool,
                                            const convolution_split& found) {
  return detail::pass_times(hw, in, out, window, p, pool).best(found);
}

}  // namespace nvdlac::lower
