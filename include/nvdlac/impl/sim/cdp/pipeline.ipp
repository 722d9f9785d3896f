// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/cdp/pipeline.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void cdp_engine::begin(const cdp_layer& l, const lut_tables& t) {
  statistics = {};
  layer_ = &l;
  tables_ = &t;
  if (l.precision != hw::precision::int8) return;
  for (std::size_t x = 0; x < 256; ++x)
    input_[x] = cdp_input<8>(l.input, static_cast<std::int8_t>(x));
  if (l.sum_bypass) {
    for (std::size_t x = 0; x < 256; ++x) direct_[x] = look_up(input_[x], input_[x]);
  } else {
    prepare_sums(l, t);
  }
}

NVDLAC_IMPL void cdp_engine::block(std::size_t pixels, std::size_t lanes,
                                   std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  switch (layer_->precision) {
    case hw::precision::int8:
      return layer_->sum_bypass ? direct(pixels, lanes, in, out)
                                : int8(pixels, lanes, in, out);
    case hw::precision::int16: return int16(pixels, lanes, in, out);
    case hw::precision::fp16: return fp16s(pixels, lanes, in, out);
  }
}

NVDLAC_IMPL cdp_engine::answer cdp_engine::look_up(std::int64_t sum, std::int32_t x) const {
  answer a;
  const std::int64_t table = cdp_lut(layer_->lut, *tables_, sum, a.counts);
  const auto r = cdp_output<8>(layer_->output, layer_->product_bypass ? table : table * x);
  a.value = static_cast<std::int8_t>(r.value);
  a.saturated = r.saturated;
  return a;
}

NVDLAC_IMPL void cdp_engine::count(const answer& a, std::uint64_t times) {
  statistics.saturations += a.saturated ? times : 0;
  statistics.lut.underflow += a.counts.underflow * times;
  statistics.lut.overflow += a.counts.overflow * times;
  statistics.lut.hybrid += a.counts.hybrid * times;
  statistics.lut.le_hit += a.counts.le_hit * times;
  statistics.lut.lo_hit += a.counts.lo_hit * times;
}

NVDLAC_IMPL void cdp_engine::direct(std::size_t pixels, std::size_t lanes,
                                    std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const auto pad = static_cast<std::uint8_t>(layer_->input.offset);
  std::array<std::array<std::uint32_t, 256>, 4> seen{};
  const auto run = [&](std::size_t from, std::size_t to) {
    for (; from + 4 <= to; from += 4)
      for (std::size_t i = 0; i < 4; ++i) {
        const auto x = in[from + i];
        ++seen[i][x];
        out[from + i] = static_cast<std::uint8_t>(direct_[x].value);
      }
    for (; from < to; ++from) {
      ++seen[0][in[from]];
      out[from] = static_cast<std::uint8_t>(direct_[in[from]].value);
    }
  };
  const auto whole = layer_->channels / lanes * lanes * pixels;
  run(0, whole);
  if (const auto rest = layer_->channels % lanes; rest != 0)
    for (std::size_t p = 0; p < pixels; ++p) {
      const auto at = whole + p * lanes;
      run(at, at + rest);
      seen[0][pad] += static_cast<std::uint32_t>(lanes - rest);
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at + rest), lanes - rest,
                  static_cast<std::uint8_t>(direct_[pad].value));
    }
  for (std::size_t x = 0; x < 256; ++x)
    count(direct_[x], std::uint64_t{seen[0][x]} + seen[1][x] + seen[2][x] + seen[3][x]);
}

NVDLAC_IMPL void cdp_engine::prepare_sums(const cdp_layer& l, const lut_tables& t) {
  const auto [low, high] = std::ranges::minmax(input_);
  const auto most = std::max(-low, high);
  const auto size = static_cast<std::size_t>(most * most * (2 * l.reach + 1)) + 1;
  if (size <= sums_.size() && sums_settings_ == l.lut && sums_tables_ == t) return;
  sums_.assign(size, cdp_finish::unknown);
  sums_settings_ = l.lut;
  sums_tables_ = t;
}

NVDLAC_IMPL void cdp_engine::look_up_sum(std::int32_t sum) {
  auto& entry = sums_[static_cast<std::size_t>(sum)];
  if (entry != cdp_finish::unknown) return;
  lut_counts c;
  const auto value = cdp_lut(layer_->lut, *tables_, sum, c);
  const int kind = c.underflow ? 0 : c.overflow ? 1 : c.hybrid ? 2 : c.le_hit ? 3 : 4;
  entry = kind << 16 | static_cast<std::uint16_t>(value);
}

NVDLAC_IMPL void cdp_engine::int8(std::size_t pixels, std::size_t lanes,
                                  std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const auto& l = *layer_;
  const auto padded = static_cast<std::size_t>(align_up(l.channels, lanes));
  values_.assign(padded, 0);
  squares_.assign(padded + 2 * halo, 0);
  windows_.resize(padded);
  results_.resize(padded);
  static const auto way = fastest_cdp_way();
  const cdp_finish job{.entries = sums_.data(), .sums = windows_.data(),
                       .values = values_.data(), .results = results_.data(), .count = padded,
                       .product_bypass = l.product_bypass, .output = l.output};
  cdp_finish_counts counts;
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t first = 0; first < padded; first += lanes) {
      const auto* x = in.data() + first * pixels + p * lanes;
      auto *v = values_.data() + first, *q = squares_.data() + halo + first;
      way.squares(x, input_.data(), v, q, lanes);
      if (l.channels - first < lanes) {
        const auto n = l.channels - first;
        std::fill(v + n, v + lanes, 0);
        std::fill(q + n, q + lanes, 0);
      }
    }
    way.sums(squares_.data() + halo, windows_.data(), padded, l.reach);
    for (std::size_t done = way.finish(job, 0, counts); done < padded;
         done = way.finish(job, done, counts))
      for (std::size_t i = done; i < done + 8; ++i) look_up_sum(windows_[i]);
    for (std::size_t first = 0; first < padded; first += lanes)
      std::copy_n(results_.data() + first, lanes, out.data() + first * pixels + p * lanes);
  }
  statistics.saturations += counts.saturations;
  auto& c = statistics.lut;
  c.underflow += counts.kinds[0];
  c.overflow += counts.kinds[1];
  c.hybrid += counts.kinds[2];
  c.le_hit += counts.kinds[3];
  c.lo_hit += counts.kinds[4];
}

NVDLAC_IMPL void cdp_engine::int16(std::size_t pixels, std::size_t lanes,
                                   std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const auto& l = *layer_;
  const auto padded = in_memory(align_up(l.channels, lanes));
  std::vector<std::int64_t> v(padded + 2 * halo), q(v.size());
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < l.channels; ++c) {
      const auto x = static_cast<std::int16_t>(word(in, pixels, lanes, p, c));
      v[c + halo] = cdp_input<16>(l.input, x);
      q[c + halo] = v[c + halo] * v[c + halo];
    }
    for (std::size_t c = 0; c < padded; ++c) {
      const auto at = c + halo, reach = static_cast<std::size_t>(l.reach);
      auto sum = l.sum_bypass ? v[at] : q[at];
      for (std::size_t i = 1; i <= reach && !l.sum_bypass; ++i) sum += q[at - i] + q[at + i];
      const std::int64_t table = cdp_lut(l.lut, *tables_, sum, statistics.lut);
      const auto r = cdp_output<16>(l.output, l.product_bypass ? table : table * v[at]);
      statistics.saturations += r.saturated;
      set_word(out, pixels, lanes, p, c, static_cast<std::uint16_t>(r.value));
    }
  }
}

NVDLAC_IMPL void cdp_engine::fp16s(std::size_t pixels, std::size_t lanes,
                                   std::span<const std::uint8_t> in, std::span<std::uint8_t> out) {
  const auto& l = *layer_;
  const auto padded = in_memory(align_up(l.channels, lanes));
  std::vector<fp17> v(padded + 2 * halo);
  std::vector<fp32> q(v.size());
  for (std::size_t p = 0; p < pixels; ++p) {
    for (std::size_t c = 0; c < padded; ++c) {
      fp16 x{word(in, pixels, lanes, p, c)};
      statistics.nan_inputs += x.is_nan();
      statistics.infinite_inputs += x.is_infinite();
      if (c >= l.channels || (l.nan_to_zero && x.is_nan())) x = {};
      v[c + halo] = convert<fp17>(x);
      const auto wide = convert<fp32>(v[c + halo]);
      q[c + halo] = l.sum_bypass ? wide : mul(wide, wide);
    }
    for (std::size_t c = 0; c < padded; ++c) {
      const auto* centre = q.data() + c + halo;
      const auto sum = l.sum_bypass ? *centre : cdp_sum(centre, l.reach);
      const auto table = cdp_lut(l.lut, *tables_, sum, statistics.lut);
      const auto y = cdp_product(v[c + halo], table, l.product_bypass);
      statistics.nan_outputs += y.is_nan();
      set_word(out, pixels, lanes, p, c, static_cast<std::uint16_t>(y.bits));
    }
  }
}

inline void cdp_engine::set_word(std::span<std::uint8_t> out, std::size_t pixels,
                                      std::size_t lanes, std::size_t p, std::size_t c,
                                      std::uint16_t value) {
  const auto at = place(pixels, lanes, p, c);
  out[at] = static_cast<std::uint8_t>(value);
  out[at + 1] = static_cast<std::uint8_t>(value >> 8);
}

}  // namespace nvdlac::sim
