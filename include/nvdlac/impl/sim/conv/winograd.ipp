// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/conv/winograd.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void winograd_core::prepare(const convolution& c, const cbuf_contents& cbuf) {
  layer_ = c;
  cbuf_ = &cbuf;
  saturated_ = 0;
  length_ = in_memory(align_up(c.channels, 16));
  tiles_x_ = c.out_width / 2;
  inputs_.assign(std::size_t{c.out_height / 2} * tiles_x_ * 16 * length_, 0);
  auto* to = inputs_.data();
  for (std::size_t y = 0; y < c.out_height; y += 2)
    for (std::size_t x = 0; x < c.out_width; x += 2, to += 16 * length_)
      if (c.precision == hw::precision::int8) transform<8>(cbuf.data, y, x, to);
      else transform<16>(cbuf.data16, y, x, to);
}

NVDLAC_IMPL void winograd_core::surface(std::size_t s, std::size_t lanes, std::size_t group,
                                        std::size_t, std::span<std::int32_t> out) {
  const auto first = s * lanes;
  const auto kernels = std::min<std::size_t>(lanes, layer_.kernels - first);
  weights_.assign(in_memory(align_up(kernels, 4) * 16 * length_), 0);
  for (std::size_t k = 0; k < kernels; ++k)
    if (layer_.precision == hw::precision::int8) unpack<std::int8_t>(first + k, group, k);
    else unpack<std::int16_t>(first + k, group, k);
  std::fill(out.begin(), out.end(), 0);
  for (std::size_t y = 0; y < layer_.out_height / 2; ++y)
    for (std::size_t x = 0; x < tiles_x_; ++x)
      for (std::size_t k = 0; k < kernels; k += 4)
        outputs(y, x, k, std::min<std::size_t>(4, kernels - k), lanes, out);
}

template <int Bits, class T>
void winograd_core::transform(const std::vector<T>& data, std::size_t y, std::size_t x,
                              std::int16_t* to) const {
  const std::size_t channels = layer_.channels, width = layer_.out_width + 4;
  for (std::size_t c = 0; c < channels; ++c) {
    tile d{};
    for (std::size_t i = 0; i < 16; ++i)
      d[i] = data[((y + i / 4) * width + x + i % 4) * channels + c];
    const auto v = winograd_input<Bits>(d, layer_.pra_truncate);
    for (std::size_t i = 0; i < 16; ++i) to[i * length_ + c] = static_cast<std::int16_t>(v[i]);
  }
}

NVDLAC_IMPL void winograd_core::outputs(std::size_t y, std::size_t x, std::size_t k,
                                        std::size_t kernels, std::size_t lanes,
                                        std::span<std::int32_t> out) {
  std::array<tile, 4> m{};
  const auto* input = inputs_.data() + (y * tiles_x_ + x) * 16 * length_;
  for (std::size_t i = 0; i < 16; ++i) {
    std::int64_t sums[4];
    const std::size_t offset = i * length_;
    dot_(input, {{&offset, 1}, length_, weights_.data() + (k * 16 + i) * length_, 16 * length_},
         sums);
    for (std::size_t n = 0; n < 4; ++n) m[n][i] = sums[n];
  }
  const bool narrow = layer_.precision == hw::precision::int8;
  for (std::size_t n = 0; n < kernels; ++n) {
    const auto results = winograd_output(m[n]);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto v = narrow ? cacc_round(results[i], layer_.truncate)
                            : cacc_round_int16(results[i], layer_.truncate);
      const auto clipped = saturate<32>(v);
      saturated_ += v != clipped;
      const auto at = (2 * y + i / 2) * layer_.out_width + 2 * x + i % 2;
      out[at * lanes + k + n] = static_cast<std::int32_t>(clipped);
    }
  }
}

}  // namespace nvdlac::sim
