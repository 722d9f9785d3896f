// SPDX-License-Identifier: Apache-2.0
#pragma once
// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in fp16, one surface of output
// channels at a time. The accumulator rounds, so that the order of the steps shows: block of
// channels, line of the kernel, column.
#include <array>

#include <nvdlac/sim/conv/contents.hpp>
#include <nvdlac/sim/conv/fp16_input.hpp>
#include <nvdlac/sim/kernels/fp16_ways.hpp>
#include <nvdlac/sim/kernels/workers.hpp>

namespace nvdlac::sim {

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
               std::span<std::int32_t> out) {
    if (block != block_) input_.prepare(layer_, *cbuf_, block);
    block_ = block;
    std::ranges::fill(out, 0);
    for (std::size_t lane = 0; lane < lanes; lane += fp16_lane_count) {
      const auto first = s * lanes + lane;
      if (first >= layer_.kernels) break;
      const auto kernels = std::min({fp16_lane_count, lanes - lane, layer_.kernels - first});
      unpack_weights(first, kernels, group, block);
      compute(kernels, lanes, out.subspan(lane));
    }
  }

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

  void unpack_weights(std::size_t first, std::size_t kernels, std::size_t group,
                      std::size_t block) {
    weights_.resize(static_cast<std::size_t>(layer_.kernel_elements()));
    weight_nans_.clear();
    for (std::size_t k = 0; k < kernels; ++k) {
      runs_[k].clear();
      each_weight_run(layer_, group, block, first + k,
                      [&](std::size_t from, std::size_t, std::size_t, std::size_t, std::size_t n) {
        runs_[k].push_back({from, n});
      });
    }
    // Run by run, for the weights to stay in the processor's cache until all lanes are there.
    std::size_t at = 0;
    for (std::size_t run = 0; run < runs_[0].size(); ++run) {
      const auto size = runs_[0][run].size;
      if (kernels < fp16_lane_count) std::fill_n(&weights_[at], size, fp16_weights{});
      for (std::size_t k = 0; k < kernels; ++k) {
        const auto* bytes = cbuf_->weights.data() + 2 * runs_[k][run].from;
        for (std::size_t i = 0; i < size; ++i) {
          const auto bits = static_cast<std::uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8);
          weights_[at + i].set(k, bits);
          if (fp16{bits}.is_nan()) note_nan(at + i, k, bits);
        }
      }
      at += size;
    }
  }

  // Weight number `at` of the kernel in lane k.
  void note_nan(std::size_t at, std::size_t k, std::uint16_t bits) {
    const auto steps = input_.steps();
    weight_nans_.resize(steps.size());
    const auto after = std::ranges::upper_bound(steps, at, {}, &fp16_step::first);
    auto& nan = weight_nans_[static_cast<std::size_t>(after - steps.begin()) - 1][k];
    if (nan == 0) nan = bits;
  }

  void compute(std::size_t kernels, std::size_t lanes, std::span<std::int32_t> out) {
    const std::size_t height = layer_.out_height, lines = input_.lines_at_once();
    for (std::size_t y = 0; y < height; y += lines) {
      const auto end = std::min(height, y + lines);
      input_.need(y, end);
      team_.share(end - y, [&](std::size_t first, std::size_t last) {
        for (auto i = y + first; i < y + last; ++i) line(i, kernels, lanes, out);
      });
    }
  }

  // Step by step over a line, for the weights to stay in the processor's cache.
  void line(std::size_t y, std::size_t kernels, std::size_t lanes,
            std::span<std::int32_t> out) const {
    const std::size_t width = layer_.out_width;
    std::vector<pixel_sums> sums(width);
    const auto steps = input_.steps();
    const bool has_nan = input_.has_nan() || !weight_nans_.empty();
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t x = 0; x < width; ++x) {
        const auto run = input_.run(steps[i], x, y);
        if (!run.data.empty())
          way_.accumulate(run.data, weights_.data() + steps[i].first, sums[x].values);
        if (!has_nan) continue;
        for (std::size_t k = 0; k < kernels; ++k) {
          auto& nan = sums[x].first_nan[k];
          if (nan == 0 && !weight_nans_.empty()) nan = weight_nans_[i][k];
          if (nan == 0) nan = run.nan;
        }
      }
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t k = 0; k < kernels; ++k) {
        const auto nan = sums[x].first_nan[k];
        const auto bits = nan != 0 ? convert<fp32>(fp16{nan}).bits : fp16_result(sums[x].values[k]);
        out[(y * width + x) * lanes + k] = static_cast<std::int32_t>(bits);
      }
  }

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
