// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int8, one surface of
// output channels at a time.
#include <atomic>

#include <nvdlac/sim/cdma.hpp>
#include <nvdlac/sim/instruction_sets.hpp>
#include <nvdlac/sim/packed_kernels.hpp>
#include <nvdlac/sim/workers.hpp>

namespace nvdlac::sim {

// Buffers that live as long as the device; sized anew by each layer.
class convolution_core {
 public:
  explicit convolution_core(const instruction_set& set = *instruction_sets().front())
      : set_(&set), unsigned_(set.element_bytes == 1) {}

  // So many share each surface.
  void set_threads(std::size_t n) { team_.resize(n); }

  // Spreads the input over padded lines.
  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    cbuf_ = &cbuf;
    saturated_ = 0;
    const auto width = (c.out_width - 1) * std::size_t{c.stride_x} + c.reach_x();
    const auto height = (c.out_height - 1) * std::size_t{c.stride_y} + c.reach_y();
    const auto line = width * c.channels;  // elements
    geometry_ = {.c = c, .line = line * set_->element_bytes, .element_bytes = set_->element_bytes};
    lines_.resize(geometry_.line * height + 16);  // the last step may look beyond
    if (unsigned_) fill<std::uint8_t>(line, width, height);
    else fill<std::int16_t>(line, width, height);
    stride_ = std::size_t{c.stride_x} * c.channels * set_->element_bytes;
    line_stride_ = geometry_.line * c.stride_y;
    columns_ = c.out_width, rows_ = c.out_height;
    if (columns_ * stride_ == line_stride_) columns_ *= std::exchange(rows_, 1);
    tiles_per_row_ = ceil_div(columns_, dot_pixels);
  }

  // Surface `s` of `lanes` output channels, a multiple of 8: out[(y * width + x) * lanes + lane],
  // 32 bits for SDP. Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`:
  // channels of one weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    const auto count = lanes / dot_kernels;
    if (kernels_.size() < count) kernels_.resize(count);
    geometry_.group = group, geometry_.block = block;
    std::size_t steps = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto first = s * lanes + i * dot_kernels;
      if (unsigned_) kernels_[i].pack<std::int8_t>(geometry_, cbuf_->weights, first);
      else kernels_[i].pack<std::int16_t>(geometry_, cbuf_->weights, first);
      steps += kernels_[i].weights.size();
    }
    if (at_input_.size() < steps) at_input_.resize(steps);
    const bool narrow = geometry_.c.kernel_elements() <= longest_narrow_dot;
    const auto compute = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = 0; i < count; ++i) {
        const output to{out.data() + i * dot_kernels, lanes};
        if (narrow) narrow_tiles(kernels_[i], begin, end, to);
        else wide_tiles(kernels_[i], begin, end, to);
      }
    };
    const auto tiles = tiles_per_row_ * rows_;
    const auto work = steps * tiles;
    if (work < least_shared_work) compute(0, tiles);
    else team_.share(tiles, compute);
  }

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  static constexpr std::size_t least_shared_work = 1 << 12;  // some 10 microseconds

  struct output {
    std::int32_t* to;
    std::size_t lanes;
  };

  // Unsigned elements are 128 more than the value.
  template <class Element>
  void fill(std::size_t line, std::size_t width, std::size_t height) {
    constexpr int offset = sizeof(Element) == 1 ? 128 : 0;
    const auto& c = geometry_.c;
    auto* lines = reinterpret_cast<Element*>(lines_.data());
    const std::size_t x_end = std::min<std::size_t>(width, c.pad_left + cbuf_->width);
    const std::size_t y_end = std::min<std::size_t>(height, c.pad_top + cbuf_->height);
    if (c.pad_left != 0 || c.pad_top != 0 || x_end < width || y_end < height)
      std::fill_n(lines, line * height, static_cast<Element>(c.pad_value + offset));
    for (std::size_t y = c.pad_top; y < y_end && c.pad_left < x_end; ++y) {
      const auto* from = cbuf_->data.data() + (y - c.pad_top) * cbuf_->width * c.channels;
      auto* to = lines + y * line + c.pad_left * c.channels;
      const auto n = (x_end - c.pad_left) * c.channels;
      std::size_t i = 0;
      for (; i + 32 <= n; i += 32) {  // of a known length, on their own: compilers vectorise it
        std::array<std::int8_t, 32> values;
        std::array<Element, 32> elements;
        std::memcpy(values.data(), from + i, sizeof values);
        for (std::size_t j = 0; j < 32; ++j) elements[j] = static_cast<Element>(values[j] + offset);
        std::memcpy(to + i, elements.data(), sizeof elements);
      }
      for (; i < n; ++i) to[i] = static_cast<Element>(from[i] + offset);
    }
  }

  // f(first pixel's input, number of pixels, first pixel's result) for tiles [begin, end), each a
  // part of a row.
  template <class F>
  void each_tile(std::size_t begin, std::size_t end, output out, F&& f) const {
    const auto least = columns_ / tiles_per_row_, longer = columns_ % tiles_per_row_;
    auto y = begin / tiles_per_row_, i = begin % tiles_per_row_;
    for (auto tile = begin; tile < end; ++tile) {
      const auto x = i * least + std::min(i, longer);
      f(lines_.data() + y * line_stride_ + x * stride_, least + (i < longer),
        out.to + (y * columns_ + x) * out.lanes);
      if (++i == tiles_per_row_) i = 0, ++y;
    }
  }

  const std::array<dot_function, dot_pixels>& dot_of(dot_input input) const {
    return set_->dot[static_cast<std::size_t>(input)];
  }

  // What the sum of unsigned inputs is too large by: 128 times the sum of the weights.
  std::array<std::int32_t, dot_kernels> excess(const dot_operands& d) const {
    static constexpr std::array<std::uint8_t, 4> input{128, 128, 128, 128};
    std::array<std::int32_t, dot_kernels> result{};
    if (!unsigned_) return result;
    const auto offsets = std::span(at_input_).first(d.offsets.size());
    const dot_operands ones{offsets, d.weights, no_bias.data()};
    dot_of(dot_input::common)[0](input.data(), 0, ones, result.data(), 0);
    return result;
  }

  // 32 bits hold the sums.
  void narrow_tiles(const packed_kernels& k, std::size_t begin, std::size_t end,
                    output out) const {
    dot_operands d{k.offsets, k.weights.data(), no_bias.data(), geometry_.c.truncate};
    auto bias = excess(d);
    for (auto& b : bias) b = static_cast<std::int32_t>(-static_cast<std::uint32_t>(b));
    d.bias = bias.data();
    const auto& dot = dot_of(k.input);
    each_tile(begin, end, out, [&](const std::uint8_t* x, std::size_t pixels, std::int32_t* to) {
      dot[pixels - 1](x, stride_, d, to, out.lanes);
    });
  }

  // Sums of parts that 32 bits hold.
  void wide_tiles(const packed_kernels& k, std::size_t begin, std::size_t end, output out) {
    constexpr std::size_t most = longest_biased_dot / 4;
    const auto& dot = dot_of(k.input);
    std::uint32_t saturated = 0;
    each_tile(begin, end, out, [&](const std::uint8_t* x, std::size_t pixels, std::int32_t* to) {
      std::array<std::int64_t, dot_pixels * dot_kernels> sums{};
      std::array<std::int32_t, dot_pixels * dot_kernels> part;
      for (std::size_t i = 0; i < k.offsets.size(); i += most) {
        const auto n = std::min(most, k.offsets.size() - i);
        const dot_operands d{std::span(k.offsets).subspan(i, n), k.weights.data() + i,
                             no_bias.data()};
        const auto bias = excess(d);
        dot[pixels - 1](x, stride_, d, part.data(), dot_kernels);
        for (std::size_t j = 0; j < pixels * dot_kernels; ++j)
          sums[j] += std::int64_t{part[j]} - bias[j % dot_kernels];
      }
      for (std::size_t j = 0; j < pixels * dot_kernels; ++j) {
        const auto v = cacc_round(sums[j], geometry_.c.truncate), clipped = saturate<32>(v);
        saturated += v != clipped;
        to[j / dot_kernels * out.lanes + j % dot_kernels] = static_cast<std::int32_t>(clipped);
      }
    });
    std::atomic_ref(saturated_) += saturated;
  }

  static constexpr std::array<std::int32_t, dot_kernels> no_bias{};

  const instruction_set* set_;
  bool unsigned_;
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::uint8_t> lines_;
  kernel_geometry geometry_{};
  std::vector<std::size_t> at_input_;  // as many offsets, all 0
  std::vector<packed_kernels> kernels_;  // of one surface
  std::size_t stride_ = 0, line_stride_ = 0, columns_ = 1, rows_ = 1, tiles_per_row_ = 1;
  team team_;
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim
