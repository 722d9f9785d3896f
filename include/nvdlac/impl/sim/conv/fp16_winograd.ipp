// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/fp16_winograd.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void fp16_winograd_core::prepare(const convolution& c, const cbuf_contents& cbuf) {
  layer_ = c;
  cbuf_ = &cbuf;
  blocks_ = in_memory(ceil_div(c.channels, 4));
  data_.clear();
  steps_.clear();
  for (std::size_t y = 0; y < c.out_height; y += 2)
    for (std::size_t x = 0; x < c.out_width; x += 2)
      for (std::size_t b = 0; b < blocks_; ++b) transform(y, x, b);
}

NVDLAC_IMPL void fp16_winograd_core::surface(std::size_t s, std::size_t lanes, std::size_t group,
                                             std::size_t, std::span<std::int32_t> out) {
  std::ranges::fill(out, 0);
  for (std::size_t lane = 0; lane < lanes; lane += fp16_lane_count) {
    const auto first = s * lanes + lane;
    if (first >= layer_.kernels) break;
    const auto kernels = std::min({fp16_lane_count, lanes - lane, layer_.kernels - first});
    weights_.assign(blocks_ * 64, {});
    weight_nans_.assign(blocks_, {});
    for (std::size_t k = 0; k < kernels; ++k) unpack(first + k, group, k);
    const std::size_t height = layer_.out_height / 2;
    const auto lines = [&](std::size_t begin, std::size_t end) {
      for (auto y = begin; y < end; ++y)
        for (std::size_t x = 0; x < layer_.out_width / 2; ++x)
          outputs(y, x, kernels, lanes, out.subspan(lane));
    };
    team_.share(height, lines);
  }
}

NVDLAC_IMPL void fp16_winograd_core::transform(std::size_t y, std::size_t x, std::size_t block) {
  const std::size_t channels = layer_.channels, width = layer_.out_width + 4;
  const auto n = std::min<std::size_t>(4, channels - block * 4);
  std::array<std::array<std::uint16_t, 16>, 4> v{};
  for (std::size_t c = 0; c < n; ++c) {
    std::array<std::uint16_t, 16> d{};
    for (std::size_t i = 0; i < 16; ++i)
      d[i] = static_cast<std::uint16_t>(
          cbuf_->data16[((y + i / 4) * width + x + i % 4) * channels + block * 4 + c]);
    v[c] = fp16_winograd_input(d);
  }
  step s;
  for (std::size_t i = 0; i < 16; ++i) {
    s.first[i] = data_.size();
    for (std::size_t c = 0; c < n; ++c) {
      if (s.nan == 0 && fp16{v[c][i]}.is_nan()) s.nan = v[c][i];
      const fp16_operand operand(v[c][i]);
      if (operand.significand != 0) data_.push_back(fp16_datum::of(operand, i * 4 + c));
    }
  }
  s.first[16] = data_.size();
  steps_.push_back(s);
}

NVDLAC_IMPL void fp16_winograd_core::unpack(std::size_t kernel, std::size_t group, std::size_t k) {
  const auto start = kernel / group * group;
  const auto in_group = std::min<std::size_t>(group, layer_.kernels - start);
  const auto* from = cbuf_->weights.data() + start * layer_.kernel_elements() * 2;
  for (std::size_t b = 0; b < blocks_; ++b)
    for (std::size_t i = 0; i < 16; ++i)
      for (std::size_t c = 0; c < std::min<std::size_t>(4, layer_.channels - b * 4); ++c) {
        const auto* w = from + (((b * in_group + (kernel - start)) * 16 + i) * 4 + c) * 2;
        const auto bits = static_cast<std::uint16_t>(w[0] | w[1] << 8);
        weights_[b * 64 + i * 4 + c].set(k, bits);
        auto& nan = weight_nans_[b][k];
        if (nan == 0 && fp16{bits}.is_nan()) nan = bits;
      }
}

NVDLAC_IMPL void fp16_winograd_core::outputs(std::size_t y, std::size_t x, std::size_t kernels,
                                             std::size_t lanes, std::span<std::int32_t> out) const {
  double sums[4][fp16_lane_count]{};
  lane_nans nans{};
  for (std::size_t b = 0; b < blocks_; ++b) {
    const auto& s = steps_[(y * (layer_.out_width / 2) + x) * blocks_ + b];
    add_step(s, weights_.data() + b * 64, kernels, sums);
    for (std::size_t k = 0; k < kernels; ++k) {
      if (nans[k] == 0) nans[k] = weight_nans_[b][k];
      if (nans[k] == 0) nans[k] = s.nan;
    }
  }
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < kernels; ++k) {
      const auto at = (2 * y + i / 2) * layer_.out_width + 2 * x + i % 2;
      const auto bits =
          nans[k] != 0 ? convert<fp32>(fp16{nans[k]}).bits : fp16_result(sums[i][k]);
      out[at * lanes + k] = static_cast<std::int32_t>(bits);
    }
}

NVDLAC_IMPL void fp16_winograd_core::add_step(const step& s, const fp16_weights* weights,
                                              std::size_t kernels,
                                              double (&sums)[4][fp16_lane_count]) const {
  std::uint8_t tops[fp16_lane_count];
  way_.top_exponents(std::span(data_).subspan(s.first[0], s.first[16] - s.first[0]), weights,
                     tops);
  std::int32_t products[16][fp16_lane_count];
  for (std::size_t i = 0; i < 16; ++i)
    way_.sum(std::span(data_).subspan(s.first[i], s.first[i + 1] - s.first[i]), weights, tops,
             products[i]);
  for (std::size_t k = 0; k < kernels; ++k) {
    tile t{};
    for (std::size_t i = 0; i < 16; ++i) t[i] = products[i][k];
    const auto mantissas = winograd_output(t);
    for (std::size_t i = 0; i < 4; ++i)
      sums[i][k] = fp16_accumulated(
          sums[i][k], fp16_pass_value(mantissas[i], tops[k] - least_exponent));
  }
}

}  // namespace nvdlac::sim
