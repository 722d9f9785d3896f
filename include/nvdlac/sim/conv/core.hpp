// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int8, one surface of
// output channels at a time.

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
  void prepare(const convolution& c, const cbuf_contents& cbuf);

  // Surface `s` of `lanes` output channels, a multiple of 8: out[(y * width + x) * lanes + lane],
  // 32 bits for SDP. Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`:
  // channels of one weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    begin_surface(s, lanes, group, block);
    compute_all(out.data());
  }

  // Computes a surface in parts, each told while it is in the processor's cache: f(index of the
  // first result, results). Threads compute the whole.
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

  void begin_surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block);

  // A tile is a part of a row, computed at once.
  std::size_t tiles() const { return tiles_per_row_ * rows_; }
  std::size_t first_pixel(std::size_t tile) const {
    const auto least = columns_ / tiles_per_row_, longer = columns_ % tiles_per_row_;
    const auto y = tile / tiles_per_row_, i = tile % tiles_per_row_;
    return y * columns_ + i * least + std::min(i, longer);
  }

  bool shared() const { return team_.size() > 1 && steps_ * tiles() >= least_shared_work; }

  void compute_all(std::int32_t* out);

  // Tiles [begin, end), as many at a time as the first cache holds the results of.
  void compute(std::size_t begin, std::size_t end, std::int32_t* out);

  // Elements are 128 more than the value where they are unsigned.
  template <class Element>
  void fill(std::size_t line, std::size_t width, std::size_t height);

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
      if (++i == tiles_per_row_) {
        i = 0;
        ++y;
      }
    }
  }

  const std::array<dot_function, dot_pixels>& dot_of(dot_input input) const {
    return set_->dot[static_cast<std::size_t>(input)];
  }

  // A tile, at once or in halves.
  void dot(dot_input input, const std::uint8_t* x, std::size_t pixels, const dot_operands& d,
           std::int32_t* to, std::size_t lanes) const;

  // The amount by which the sum of unsigned inputs is too large: 128 times the sum of the weights.
  std::array<std::int32_t, dot_kernels> excess(const dot_operands& d) const;

  // 32 bits hold the sums.
  void narrow_tiles(std::size_t i, std::size_t begin, std::size_t end, output out) const;

  // Sums of parts that 32 bits hold.
  void wide_tiles(const packed_kernels& k, std::size_t begin, std::size_t end, output out);

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/core.ipp>
#endif
