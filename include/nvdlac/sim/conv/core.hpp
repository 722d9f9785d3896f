// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int8, one surface of
// output channels at a time.
#include <atomic>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/conv/packed_kernels.hpp>
#include <nvdlac/sim/kernels/dot.hpp>

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
    const auto width = in_memory((c.out_width - 1) * std::uint64_t{c.stride_x} + c.reach_x());
    const auto height = in_memory((c.out_height - 1) * std::uint64_t{c.stride_y} + c.reach_y());
    const auto line = width * c.channels;  // elements
    geometry_ = {.c = c, .line = line * set_->element_bytes, .element_bytes = set_->element_bytes,
                 .rows = set_->rows && c.stride_x == 1 && c.dilation_x == 1};
    lines_.resize(geometry_.line * height + 16);  // the last step may look beyond
    if (unsigned_) fill<std::uint8_t>(line, width, height);
    else fill<std::int16_t>(line, width, height);
    stride_ = std::size_t{c.stride_x} * c.channels * set_->element_bytes;
    line_stride_ = geometry_.line * c.stride_y;
    columns_ = c.out_width, rows_ = c.out_height;
    if (columns_ * stride_ == line_stride_) columns_ *= std::exchange(rows_, 1);
    tiles_per_row_ = in_memory(ceil_div(columns_, set_->pixels));
  }

  // Surface `s` of `lanes` output channels, a multiple of 8: out[(y * width + x) * lanes + lane],
  // 32 bits for SDP. Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`:
  // channels of one weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    begin_surface(s, lanes, group, block);
    compute_all(out.data());
  }

  // The same in parts, each told while it is in the processor's cache: f(index of the first result,
  // results). Threads compute the whole.
  template <class F>
  void each_part(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
                 const F& f) {
    begin_surface(s, lanes, group, block);
    const auto part = shared() ? tiles() : strip_;
    for (std::size_t tile = 0; tile < tiles(); tile += part) {
      const auto end = std::min(tile + part, tiles());
      const auto first = first_pixel(tile) * lanes, n = first_pixel(end) * lanes - first;
      if (results_.size() < n) results_.resize(n);
      if (shared()) compute_all(results_.data());
      else compute(tile, end, results_.data());
      f(first, std::span<const std::int32_t>(results_).first(n));
    }
  }

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  static constexpr std::size_t least_shared_work = 1 << 12;  // some 10 microseconds

  static constexpr std::size_t strip_results = 1 << 12;

  // The results of some tiles from pixel `first` on.
  struct output {
    std::int32_t* to;
    std::size_t lanes, first;
  };

  void begin_surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block) {
    lanes_ = lanes;
    geometry_.group = group, geometry_.block = block;
    kernels_.resize(lanes / dot_kernels), bias_.resize(kernels_.size());
    strip_ = std::max<std::size_t>(1, strip_results / (lanes * set_->pixels));
    steps_ = 0;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      const auto first = s * lanes + i * dot_kernels;
      if (unsigned_) kernels_[i].pack<std::int8_t>(geometry_, cbuf_->weights, first);
      else kernels_[i].pack<std::int16_t>(geometry_, cbuf_->weights, first);
      steps_ += kernels_[i].weights.size();
    }
    if (at_input_.size() < steps_) at_input_.resize(steps_);
    narrow_ = geometry_.c.kernel_elements() <= longest_narrow_dot;
    for (std::size_t i = 0; narrow_ && i < kernels_.size(); ++i) {
      bias_[i] = excess({kernels_[i].offsets, kernels_[i].weights.data(), no_bias.data()});
      for (auto& b : bias_[i]) b = static_cast<std::int32_t>(-static_cast<std::uint32_t>(b));
    }
  }

  // A tile is a part of a row, computed at once.
  std::size_t tiles() const { return tiles_per_row_ * rows_; }
  std::size_t first_pixel(std::size_t tile) const {
    const auto least = columns_ / tiles_per_row_, longer = columns_ % tiles_per_row_;
    const auto y = tile / tiles_per_row_, i = tile % tiles_per_row_;
    return y * columns_ + i * least + std::min(i, longer);
  }

  bool shared() const { return team_.size() > 1 && steps_ * tiles() >= least_shared_work; }

  void compute_all(std::int32_t* out) {
    const auto run = [&](std::size_t begin, std::size_t end) {
      compute(begin, end, out + first_pixel(begin) * lanes_);
    };
    if (shared()) team_.share(tiles(), run);
    else run(0, tiles());
  }

  // Tiles [begin, end), as many at a time as the first cache holds the results of.
  void compute(std::size_t begin, std::size_t end, std::int32_t* out) {
    for (auto tile = begin; tile < end; tile += strip_) {
      const auto last = std::min(tile + strip_, end);
      for (std::size_t i = 0; i < kernels_.size(); ++i) {
        const output to{out + i * dot_kernels, lanes_, first_pixel(begin)};
        if (narrow_) narrow_tiles(i, tile, last, to);
        else wide_tiles(kernels_[i], tile, last, to);
      }
    }
  }

  // Elements are 128 more than the value where they are unsigned.
  template <class Element>
  void fill(std::size_t line, std::size_t width, std::size_t height) {
    constexpr int offset = sizeof(Element) == 1 ? 128 : 0;
    const auto& c = geometry_.c;
    auto* lines = reinterpret_cast<Element*>(lines_.data());
    const std::size_t x_end = std::min<std::size_t>(width, c.pad_left + cbuf_->width);
    const std::size_t y_end = std::min<std::size_t>(height, c.pad_top + cbuf_->height);
    const auto pad = static_cast<Element>(c.pad_value + offset);
    for (std::size_t y = 0; y < height; ++y) {
      auto* const to = lines + y * line;
      if (y < c.pad_top || y >= y_end || c.pad_left >= x_end) {
        std::fill_n(to, line, pad);
        continue;
      }
      std::fill_n(to, c.pad_left * c.channels, pad);
      set_->spread(cbuf_->data.data() + (y - c.pad_top) * cbuf_->width * c.channels,
                   (x_end - c.pad_left) * c.channels, to + c.pad_left * c.channels);
      std::fill_n(to + x_end * c.channels, (width - x_end) * c.channels, pad);
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
        out.to + (y * columns_ + x - out.first) * out.lanes);
      if (++i == tiles_per_row_) i = 0, ++y;
    }
  }

  const std::array<dot_function, dot_pixels>& dot_of(dot_input input) const {
    return set_->dot[static_cast<std::size_t>(input)];
  }

  // A tile, at once or in halves.
  void dot(dot_input input, const std::uint8_t* x, std::size_t pixels, const dot_operands& d,
           std::int32_t* to, std::size_t lanes) const {
    const auto& functions = dot_of(input);
    if (auto* const run = functions[pixels - 1]) return run(x, stride_, d, to, lanes);
    const auto half = pixels / 2;
    functions[half - 1](x, stride_, d, to, lanes);
    functions[pixels - half - 1](x + half * stride_, stride_, d, to + half * lanes, lanes);
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
  void narrow_tiles(std::size_t i, std::size_t begin, std::size_t end, output out) const {
    const auto& k = kernels_[i];
    const dot_operands d{k.offsets, k.weights.data(), bias_[i].data(), geometry_.c.truncate,
                         k.neighbours.data()};
    each_tile(begin, end, out, [&](const std::uint8_t* x, std::size_t pixels, std::int32_t* to) {
      dot(k.input, x, pixels, d, to, out.lanes);
    });
  }

  // Sums of parts that 32 bits hold.
  void wide_tiles(const packed_kernels& k, std::size_t begin, std::size_t end, output out) {
    constexpr std::size_t most = longest_biased_dot / 4;
    std::uint32_t saturated = 0;
    each_tile(begin, end, out, [&](const std::uint8_t* x, std::size_t pixels, std::int32_t* to) {
      std::array<std::int64_t, dot_pixels * dot_kernels> sums{};
      std::array<std::int32_t, dot_pixels * dot_kernels> part;
      for (std::size_t i = 0; i < k.offsets.size(); i += most) {
        const auto n = std::min(most, k.offsets.size() - i);
        dot_operands d{std::span(k.offsets).subspan(i, n), k.weights.data() + i, no_bias.data()};
        if (k.input == dot_input::row) d.neighbours = k.neighbours.data() + i;
        const auto bias = excess(d);
        dot(k.input, x, pixels, d, part.data(), dot_kernels);
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
  std::vector<std::array<std::int32_t, dot_kernels>> bias_;
  std::vector<std::int32_t> results_;
  std::size_t lanes_ = 8, steps_ = 0, strip_ = 1;
  bool narrow_ = true;
  std::size_t stride_ = 0, line_stride_ = 0, columns_ = 1, rows_ = 1, tiles_per_row_ = 1;
  team team_;
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim
