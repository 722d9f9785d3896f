// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <nvdlac/arithmetic/winograd.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/sim/conv/cdma.hpp>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace nvdlac::sim {

// Dot products of vectors of int16 in full width: every sum of int16 products is exact.

// Four kernels over segments: segment i begins at x + offsets[i] and, in kernel k, at weights +
// k * step + i * length. `length` is a multiple of 16; all segments together are below 2^19.
struct wide_operands {
  std::span<const std::size_t> offsets{};
  std::size_t length = 0;
  const std::int16_t* weights = nullptr;
  std::size_t step = 0;
};

using wide_dot = void (*)(const std::int16_t* x, const wide_operands& d, std::int64_t* sums);

inline void wide_dot4_portable(const std::int16_t* x, const wide_operands& d, std::int64_t* sums) {
  for (std::size_t k = 0; k < 4; ++k) {
    const auto* w = d.weights + k * d.step;
    sums[k] = 0;
    for (const auto offset : d.offsets)
      for (std::size_t i = 0; i < d.length; ++i) sums[k] += std::int64_t{x[offset + i]} * *w++;
  }
}

#if defined(__x86_64__) && defined(__GNUC__)

// The sum of one kernel, from pairs of products less 1, which fit 32 bits even for four times
// -32768. Their sum in 32 bits and that of their upper halves say what the sum is: the lower halves
// add up to less than 2^32.
struct wide_lane {
  __m256i all, upper;

  __attribute__((target("avx2"))) void clear() { all = upper = _mm256_setzero_si256(); }
  __attribute__((target("avx2"))) void add(__m256i x, const std::int16_t* w) {
    const auto u = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(w));
    const auto pairs = _mm256_add_epi32(_mm256_madd_epi16(x, u), _mm256_set1_epi32(-1));
    all = _mm256_add_epi32(all, pairs);
    upper = _mm256_add_epi32(upper, _mm256_srai_epi32(pairs, 16));
  }
  __attribute__((target("avx2"))) std::int64_t sum(std::size_t pairs) const {
    std::uint32_t a[8];
    std::int32_t h[8];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(a), all);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(h), upper);
    auto sum = static_cast<std::int64_t>(pairs);
    for (int i = 0; i < 8; ++i)
      sum += std::int64_t{h[i]} * 65536 + (a[i] - (static_cast<std::uint32_t>(h[i]) << 16));
    return sum;
  }
};

__attribute__((target("avx2"))) inline void wide_dot4_avx2(const std::int16_t* x,
                                                           const wide_operands& d,
                                                           std::int64_t* sums) {
  wide_lane a, b, c, e;  // not an array: compilers keep them in registers
  a.clear(), b.clear(), c.clear(), e.clear();
  const auto* w = d.weights;
  for (const auto offset : d.offsets)
    for (std::size_t i = 0; i < d.length; i += 16, w += 16) {
      const auto v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + offset + i));
      a.add(v, w);
      b.add(v, w + d.step);
      c.add(v, w + 2 * d.step);
      e.add(v, w + 3 * d.step);
    }
  const auto pairs = d.offsets.size() * d.length / 2;
  sums[0] = a.sum(pairs), sums[1] = b.sum(pairs), sums[2] = c.sum(pairs), sums[3] = e.sum(pairs);
}

#endif

// The one for this processor.
inline wide_dot wide_dot4() {
#if defined(__x86_64__) && defined(__GNUC__)
  if (__builtin_cpu_supports("avx2")) return wide_dot4_avx2;
#endif
  return wide_dot4_portable;
}

// CSC, CMAC and CACC: the direct convolution of the CBUF's contents in int16, one surface of
// output channels at a time.

// The accumulator has 48 bits and saturates at each addition. A kernel has at most 2^17 products
// of at most 2^30, so only the sum of all can leave them, by 1: saturating once is the same.
constexpr std::int64_t cacc_round_int16(std::int64_t sum, int truncate) {
  return round_shift(saturate<48>(sum), truncate);
}

class int16_core {
 public:
  // Spreads the input over padded lines.
  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    layer_ = c;
    cbuf_ = &cbuf;
    saturated_ = 0;
    const std::size_t channels = c.channels;
    const auto width = (c.out_width - 1) * std::size_t{c.stride_x} + c.reach_x();
    const auto height = (c.out_height - 1) * std::size_t{c.stride_y} + c.reach_y();
    line_ = width * channels;
    lines_.assign(line_ * height + 16, static_cast<std::int16_t>(c.pad_value));
    const auto x_end = std::min<std::size_t>(width, c.pad_left + cbuf.width);
    const auto y_end = std::min<std::size_t>(height, c.pad_top + cbuf.height);
    for (std::size_t y = c.pad_top; y < y_end && c.pad_left < x_end; ++y)
      std::copy_n(cbuf.data16.data() + (y - c.pad_top) * cbuf.width * channels,
                  (x_end - c.pad_left) * channels,
                  lines_.data() + y * line_ + c.pad_left * channels);
    // Elements that lie side by side in the lines as in the kernels.
    runs_ = c.dilation_x == 1 ? 1 : c.kernel_width;
    run_ = c.dilation_x == 1 ? std::size_t{c.kernel_width} * channels : channels;
    length_ = align_up(run_, 16);
    offsets_.clear();
    for (std::size_t r = 0; r < c.kernel_height; ++r)
      for (std::size_t i = 0; i < runs_; ++i)
        offsets_.push_back(r * c.dilation_y * line_ + i * c.dilation_x * channels);
    step_ = length_ * offsets_.size();
  }

  // Surface `s` of `lanes` output channels: out[(y * width + x) * lanes + lane], 32 bits for SDP.
  // Lanes beyond the last kernel are 0. `group`: kernels of one group; `block`: channels of one
  // weight block (the configuration's MAC sizes).
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t block,
               std::span<std::int32_t> out) {
    const auto& c = layer_;
    const auto first = s * lanes;
    const auto kernels = std::min<std::size_t>(lanes, c.kernels - first);
    weights_.assign(align_up(kernels, 4) * step_, 0);
    for (std::size_t k = 0; k < kernels; ++k)
      each_weight_run(c, group, block, first + k,
                      [&, to = weights_.data() + k * step_](std::size_t from, std::size_t r,
                                                            std::size_t column, std::size_t c0,
                                                            std::size_t n) {
        const auto e = column * c.channels + c0;
        std::memcpy(to + (r * runs_ + (runs_ == 1 ? 0 : column)) * length_ +
                        (runs_ == 1 ? e : c0),
                    cbuf_->weights.data() + from * 2, n * 2);
      });
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t y = 0; y < c.out_height; ++y)
      for (std::size_t x = 0; x < c.out_width; ++x) {
        auto* to = out.data() + (y * c.out_width + x) * lanes;
        const auto* from =
            lines_.data() + y * c.stride_y * line_ + x * std::size_t{c.stride_x} * c.channels;
        for (std::size_t k = 0; k < kernels; k += 4)
          pixel(from, k, std::min<std::size_t>(4, kernels - k), to + k);
      }
  }

  // Results that the last rounding saturated (CACC.D_OUT_SATURATION).
  std::uint32_t saturated() const { return saturated_; }

 private:
  void pixel(const std::int16_t* x, std::size_t k, std::size_t kernels, std::int32_t* to) {
    const auto& c = layer_;
    std::int64_t sums[4];
    dot_(x, {offsets_, length_, weights_.data() + k * step_, step_}, sums);
    for (std::size_t i = 0; i < kernels; ++i) {
      const auto v = cacc_round_int16(sums[i], c.truncate), clipped = saturate<32>(v);
      saturated_ += v != clipped;
      to[i] = static_cast<std::int32_t>(clipped);
    }
  }

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> lines_, weights_;
  std::vector<std::size_t> offsets_;
  std::size_t line_ = 0, run_ = 0, length_ = 0, runs_ = 1, step_ = 0;
  wide_dot dot_ = wide_dot4();
  std::uint32_t saturated_ = 0;
};

// CSC, CMAC and CACC: Winograd's convolution of the CBUF's contents in int8 and int16.
class winograd_core {
 public:
  // Transforms the tiles of the extended input.
  void prepare(const convolution& c, const cbuf_contents& cbuf) {
    layer_ = c;
    cbuf_ = &cbuf;
    saturated_ = 0;
    length_ = align_up(c.channels, 16);
    tiles_x_ = c.out_width / 2;
    inputs_.assign(std::size_t{c.out_height / 2} * tiles_x_ * 16 * length_, 0);
    auto* to = inputs_.data();
    for (std::size_t y = 0; y < c.out_height; y += 2)
      for (std::size_t x = 0; x < c.out_width; x += 2, to += 16 * length_)
        if (c.precision == hw::precision::int8) transform<8>(cbuf.data, y, x, to);
        else transform<16>(cbuf.data16, y, x, to);
  }

  // As that of int16_core. The weights' blocks are of 4 channels.
  void surface(std::size_t s, std::size_t lanes, std::size_t group, std::size_t,
               std::span<std::int32_t> out) {
    const auto first = s * lanes;
    const auto kernels = std::min<std::size_t>(lanes, layer_.kernels - first);
    weights_.assign(align_up(kernels, 4) * 16 * length_, 0);
    for (std::size_t k = 0; k < kernels; ++k)
      if (layer_.precision == hw::precision::int8) unpack<std::int8_t>(first + k, group, k);
      else unpack<std::int16_t>(first + k, group, k);
    std::fill(out.begin(), out.end(), 0);
    for (std::size_t y = 0; y < layer_.out_height / 2; ++y)
      for (std::size_t x = 0; x < tiles_x_; ++x)
        for (std::size_t k = 0; k < kernels; k += 4)
          outputs(y, x, k, std::min<std::size_t>(4, kernels - k), lanes, out);
  }

  std::uint32_t saturated() const { return saturated_; }

 private:
  template <int Bits, class T>
  void transform(const std::vector<T>& data, std::size_t y, std::size_t x, std::int16_t* to) const {
    const std::size_t channels = layer_.channels, width = layer_.out_width + 4;
    for (std::size_t c = 0; c < channels; ++c) {
      tile d{};
      for (std::size_t i = 0; i < 16; ++i)
        d[i] = data[((y + i / 4) * width + x + i % 4) * channels + c];
      const auto v = winograd_input<Bits>(d, layer_.pra_truncate);
      for (std::size_t i = 0; i < 16; ++i) to[i * length_ + c] = static_cast<std::int16_t>(v[i]);
    }
  }

  // Group: block of 4 channels, kernel, position, channel.
  template <class T>
  void unpack(std::size_t kernel, std::size_t group, std::size_t k) {
    const auto start = kernel / group * group;
    const auto in_group = std::min<std::size_t>(group, layer_.kernels - start);
    const auto* from = cbuf_->weights.data() + start * layer_.kernel_elements() * sizeof(T);
    for (std::size_t c = 0; c < layer_.channels; ++c)
      for (std::size_t i = 0; i < 16; ++i) {
        const auto at = ((c / 4 * in_group + (kernel - start)) * 16 + i) * 4 + c % 4;
        T w;
        std::memcpy(&w, from + at * sizeof(T), sizeof(T));
        weights_[(k * 16 + i) * length_ + c] = w;
      }
  }

  // Four outputs of each of four kernels.
  void outputs(std::size_t y, std::size_t x, std::size_t k, std::size_t kernels,
               std::size_t lanes, std::span<std::int32_t> out) {
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

  convolution layer_{};
  const cbuf_contents* cbuf_ = nullptr;
  std::vector<std::int16_t> inputs_, weights_;
  std::size_t length_ = 0, tiles_x_ = 0;
  wide_dot dot_ = wide_dot4();
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim
