// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions that wait for their results to leave, in image mode. Of a feature cube CSC computes
// stripes of 16 pixels, and asks for a place in CACC's delivery buffer for all 16, so that it waits
// until the stripe before has left (credit_cnt in NV_NVDLA_CSC_sg.v). Of an image a stripe ends with
// the line of the output: where that has 8 to 12 columns there is room for the next one.
#include <algorithm>
#include <cstdint>
#include <optional>

#include <nvdlac/cost/coefficients.hpp>
#include <nvdlac/cost/stripes.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/image_view.hpp>
#include <nvdlac/lower/split.hpp>

namespace nvdlac::lower {

namespace detail {

// The search for lines of the output that leave as they are computed.
class image_search {
 public:
  constexpr image_search(const hw::spec& hw, image_view view, net::shape in, net::shape out,
                         const net::window& w)
      : hw_(hw), view_(view), out_(out), window_(w), axes_(in, out, w, {}) {
    const auto lanes = static_cast<std::int32_t>(hw.memory_atom);
    kernel_ = {out.c, view.lines * lanes, w.kernel_h, w.kernel_w};
  }

  // nullopt: not possible, or no gain.
  constexpr std::optional<convolution_split> run() const {
    if (!fits_registers()) return std::nullopt;
    std::optional<convolution_split> best;
    auto least = cycles(out_.w, false);
    least -= least / 32;  // for less it is not worth the layers
    for (std::int32_t parts = 1; parts <= out_.w; ++parts) {
      const std::int32_t columns = (out_.w + parts - 1) / parts;
      if (columns < static_cast<std::int32_t>(hw_.mac_atomic_k) / 2 && parts > 1) break;
      const auto time = cycles(columns, true);
      if (time >= least) continue;
      if (const auto split = pass_of(columns)) best = split, least = time;
    }
    return best;
  }

 private:
  constexpr bool fits_registers() const {
    const auto w = view_.window(window_);
    return w.dilation_h == 1 && w.dilation_w == 1 && w.kernel_h <= hw::conv_kernel &&
           w.kernel_w <= hw::conv_kernel && w.stride_h <= hw::conv_stride &&
           w.stride_w <= hw::conv_stride && w.pad_left <= hw::conv_pad_before &&
           w.pad_top <= hw::conv_pad_before && w.pad_right <= hw::conv_pad_after &&
           w.pad_bottom <= hw::conv_pad_after &&
           hw::reads_image_lines(hw_, natural(w.kernel_w * image_view::channels),
                                 natural(out_.w));
  }
  static constexpr std::uint64_t natural(auto n) { return static_cast<std::uint64_t>(n); }

  // Of all outputs, in passes of so many columns that hide their loads behind each other.
  constexpr std::uint64_t cycles(std::int32_t columns, bool image) const {
    const auto steps = natural(view_.lines) * natural(window_.kernel_h) * natural(window_.kernel_w);
    const auto group = hw_.kernel_group(hw::precision::int8);
    const auto atom = ceil_div(group, std::max<std::uint32_t>(1, hw_.sdp_bs_bn_throughput)) +
                      cost::measured.dead_delivery;
    const cost::stripe_rules rules(hw_.mac_atomic_k, image, steps, atom, 0, 0, 1);
    std::uint64_t all = 0;
    for (std::int32_t first = 0; first < out_.w; first += columns) {
      cost::pipeline p;
      rules.group(p, natural(std::min(columns, out_.w - first)), natural(out_.h));
      all += natural(std::max(p.time, p.delivered)) * ceil_div(natural(out_.c), group) +
             cost::measured.between_convolutions;
    }
    return all;
  }

  // Passes of so many columns, two of which the CBUF holds if it can.
  constexpr std::optional<convolution_split> pass_of(std::int32_t columns) const {
    const auto group = std::min<std::int32_t>(
        out_.c, static_cast<std::int32_t>(hw_.kernel_group(hw::precision::int8)));
    const auto weights = [&](std::int32_t kernels) {
      return hw::weight_banks(hw_, hw::weight_bytes(hw_, hw::precision::int8, natural(kernels),
                                                    kernel_.elements()));
    };
    entries slice{1};
    for (std::int32_t first = 0; first < out_.w; first += columns)
      slice = std::max(slice, view_.slice(hw_, axes_.columns.part(first, columns).input));
    const auto room = banks{hw_.cbuf_banks} - weights(group);
    for (std::int32_t parts = 1; parts <= out_.h; ++parts) {
      const std::int32_t rows = (out_.h + parts - 1) / parts;
      const auto lines = natural(std::min<std::int64_t>(axes_.rows.reach(rows), axes_.rows.input)) *
                         natural(view_.lines);
      const auto data = hw::data_banks(hw_, slice, lines);
      if (data > room) continue;
      if ((out_.h - 1) % rows == 0 && (out_.w - 1) % columns == 0) continue;  // a pixel alone
      const auto both = std::min(weights(out_.c), banks{hw_.cbuf_banks} - data);
      return convolution_split{.rows = rows, .columns = columns, .kernels = out_.c,
                               .data = std::min(banks{2 * data.n}, banks{hw_.cbuf_banks} - both),
                               .weights = both, .image = view_};
    }
    return std::nullopt;
  }

  hw::spec hw_;
  image_view view_;
  net::shape out_;
  net::window window_;
  pass_axes axes_;
  kernel_shape kernel_{};
};

}  // namespace detail

// How the convolution of a feature cube is cut that takes fewer cycles in image mode; nullopt where
// it does not. Compared with NVIDIA's RTL where an atom is two pixels of an image.
template <class Hw>
constexpr std::optional<convolution_split> split_as_image(const layer::surface& in, net::shape out,
                                                          const net::window& window) {
  if constexpr (Hw::spec.memory_atom == 2 * image_view::channels)
    if (const auto view = image_view::of(in, Hw::spec.atom()))
      return detail::image_search(Hw::spec, *view, in.shape, out, window).run();
  return std::nullopt;
}

}  // namespace nvdlac::lower
