// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/threads.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/kernels/fp16_lanes.hpp>

namespace nvdlac::sim {

// The input of an fp16 convolution as the passes of the MACs take it: for each block of channels
// the elements that are not zero.

// The operands that the kernels of one pass meet at one pixel.
struct fp16_run {
  std::span<const fp16_datum> data{};
  std::uint16_t nan = 0;  // the first one's bits
};

// One step of CSC: a block of the channels under one element of the kernel. An image's block is a
// part of a line of the kernel, or some lines (its post-extension in y).
struct fp16_step {
  std::size_t first = 0, size = 0;  // the weights, in the order of the steps
  std::size_t block = 0;
  std::int64_t line = 0, column = 0;
};

class fp16_input {
 public:
  // `block`: channels of a block.
  void prepare(const convolution& c, const cbuf_contents& cbuf, std::size_t block);

  std::span<const fp16_step> steps() const { return steps_; }
  bool has_nan() const { return has_nan_; }

  // So many lines of the output can be taken at once without much memory.
  std::size_t lines_at_once() const {
    const auto per_line = columns_ * steps_.back().size * blocks_;  // about
    return std::max<std::size_t>(1, (std::size_t{1} << 21) / std::max<std::size_t>(1, per_line));
  }

  // Makes the runs of output lines [begin, end) available.
  void need(std::size_t begin, std::size_t end);

  // The run of a step at pixel x, y, one of the needed lines.
  fp16_run run(const fp16_step& s, std::size_t x, std::size_t y) const;

 private:
  struct start {
    std::size_t first;
    std::uint16_t nan;
  };

  void choose_steps(std::size_t channels);

  static void append(std::vector<fp16_datum>& to, std::uint16_t& nan, std::uint16_t bits,
                     std::size_t index);

  // A run of the input's next `n` elements, or none.
  template <class Element>
  void add_run(std::size_t n, Element&& element) {
    starts_.push_back({data_.size(), 0});
    for (std::size_t i = 0; i < n; ++i) append(data_, starts_.back().nan, element(i), i);
  }

  void add_line(std::int64_t y);

  // Element `i` of what lies under line `y` of the kernel at pixel x of the output.
  std::uint16_t image_element(std::int64_t y, std::size_t x, std::size_t i) const;

  void add_image_line(std::int64_t y);

  void add_extended_line(std::int64_t line);

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::size_t block_ = 1, blocks_ = 1, columns_ = 1;
  std::size_t groups_ = 0;  // steps of a post-extension in y
  std::vector<fp16_step> steps_;
  std::vector<fp16_datum> data_, padding_;
  std::vector<start> starts_;
  std::int64_t begin_ = 0, end_ = 0;  // the lines that starts_ is of
  std::uint16_t padding_nan_ = 0;
  bool has_nan_ = false;
};

// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in fp16, one surface of output
// channels at a time. The accumulator rounds, so that the order of the steps shows: block of
// channels, line of the kernel, column.
class fp16_core {
 public:
  explicit fp16_core(const fp16_way& way = fp16_ways().front()) : way_(way) {}

  // So many share each surface.
  void set_threads(std::size_t n) { team_.resize(n); }

  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    layer_ = c;
    cbuf_ = &cbuf;
    block_ = 0;
  }

  // Surface `s` of `lanes` output channels: out[(y * width + x) * lanes + lane], the bits of fp32
  // for SDP. Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`: channels
  // of one weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out);

  // No result saturates (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return 0; }

 private:
  using nans = std::array<std::uint16_t, fp16_lane_count>;
  struct weight_run {
    std::size_t from, size;
  };
  struct pixel_sums {
    double values[fp16_lane_count]{};
    nans first_nan{};
  };

  void unpack_weights(std::size_t first, std::size_t kernels, std::size_t group, std::size_t block);

  // Weight number `at` of the kernel in lane k.
  void note_nan(std::size_t at, std::size_t k, std::uint16_t bits);

  void compute(std::size_t kernels, std::size_t lanes, std::span<std::int32_t> out);

  // Step by step over a line, for the weights to stay in the processor's cache.
  void line(std::size_t y, std::size_t kernels, std::size_t lanes,
            std::span<std::int32_t> out) const;

  fp16_way way_;
  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::size_t block_ = 0;
  fp16_input input_;
  std::array<std::vector<weight_run>, fp16_lane_count> runs_;  // of each kernel of the lanes
  std::vector<fp16_weights> weights_;
  std::vector<nans> weight_nans_;  // of each step, if there is any
  team team_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/fp16_core.ipp>
#endif
