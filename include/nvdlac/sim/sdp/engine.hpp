// SPDX-License-Identifier: Apache-2.0
#pragma once
// SDP: X1, X2 and Y, then the output converter, one surface at a time. Surfaces inside have the
// lanes of the processing precision: those of int8 come from two surfaces of int16, or become two.
#include <nvdlac/sim/sdp/output.hpp>

namespace nvdlac::sim {

template <sdp_features Has = sdp_features{}>
class sdp_engine {
 public:
  // A layer on surfaces of `lanes` elements inside; `l` and `tables` must outlive it. `flying`: the
  // largest magnitude of integers that do not come from memory.
  void begin(const sdp_layer& l, std::size_t lanes, const lut_tables& tables,
             sdp_magnitude flying = sdp_any_magnitude) {
    l_ = &l;
    tables_ = &tables;
    lanes_ = lanes;
    counts_ = {};
    in_ = l.flying ? flying : sdp_magnitude{1} << (8 * hw::element_bytes(l.in) - 1);
    if constexpr (Has.lut) by_table_ = maps_bytes();
    table_.clear();
    integers_ = sdp_integer_output(l);
    unchanged_ = l.proc != hw::precision::fp16 && l.x1.bypass && l.x2.bypass && l.y.bypass;
  }
  const sdp_counts& counts() const { return counts_; }

  std::size_t elements() const { return std::size_t{l_->width} * l_->height * lanes_; }

  // Surface `s` of values of 32 bits (fp16: the bits of fp32), pixel by pixel: begin_surface(),
  // then whole pixels in order, the first value of each part being number `first` of the surface.
  // The result, complete with the last part, has the same order; it stays until the next surface,
  // and is empty where Y compares.
  void begin_surface(std::size_t s) {
    out_magnitude_ = x2_.begin(*l_, l_->x2, s, lanes_, x1_.begin(*l_, l_->x1, s, lanes_, in_));
    if constexpr (Has.y) out_magnitude_ = y_.begin(*l_, s, lanes_, out_magnitude_);
    begin_output(elements());
  }
  std::span<const std::uint8_t> part(std::size_t first, std::span<const std::int32_t> values) {
    return blocks(first, values.size(), [&](std::size_t at, std::size_t count) {
      const auto* from = values.data() + (at - first);
      if (unchanged_ && count == sdp_block) return from;
      std::fill(std::copy_n(from, count, block_.begin()), block_.end(), 0);
      if constexpr (Has.fp16)
        if (l_->proc == hw::precision::fp16)
          for (std::size_t i = 0; i < count; ++i) {
            const bool nan = sdp_real(block_[i]).is_nan();
            counts_.nan_in += nan;
            if (nan && l_->nan_to_zero) block_[i] = 0;
          }
      return std::as_const(block_).data();
    });
  }

  // Surface `s` from SDP_RDMA's main input.
  std::span<const std::uint8_t> surface(std::size_t s) {
    if constexpr (Has.lut)
      if (by_table_ && prepare_table(s)) return look_up(s);
    const std::size_t bytes = hw::element_bytes(l_->in);
    if (l_->sources() == 2) join_sources(s);
    else source_.begin(l_->source, s);
    begin_surface(s);
    return blocks(0, elements(), [&](std::size_t at, std::size_t count) {
      load(l_->sources() == 2 ? raw_.data() + at * bytes
                              : source_.bytes(at * bytes, sdp_block * bytes), count);
      return std::as_const(block_).data();
    });
  }

 private:
  void begin_output(std::size_t elements) {
    out_.resize(Has.y && l_->y.compares() ? 0 : elements * hw::element_bytes(l_->out));
  }

  // Two surfaces of int16 as one.
  void join_sources(std::size_t s) {
    const auto bytes = elements() * hw::element_bytes(l_->in);
    const auto half = bytes / 2, unit = lanes_;  // bytes of a source's pixel
    raw_.resize(bytes + sdp_block * hw::element_bytes(l_->in));  // the last block may be a part
    halves_.resize(bytes);
    read_surface(l_->source, 2 * s, std::span(halves_).first(half));
    read_surface(l_->source, 2 * s + 1, std::span(halves_).subspan(half));
    for (std::size_t at = 0; at < half; at += unit) {
      std::copy_n(&halves_[at], unit, &raw_[2 * at]);
      std::copy_n(&halves_[half + at], unit, &raw_[2 * at + unit]);
    }
  }

  void load(const std::uint8_t* from, std::size_t count) {
    if constexpr (Has.fp16)
      if (l_->in == hw::precision::fp16) return load_halves(from, count);
    if constexpr (Has.int16)
      if (l_->in == hw::precision::int16)
        return widen_block<std::int16_t, 1>(from, 0, block_);
    widen_block<std::int8_t, 1>(from, 0, block_);
  }

  void load_halves(const std::uint8_t* from, std::size_t count) {
    widen_block<std::uint16_t, 1>(from, 0, block_);
    for (std::size_t i = 0; i < count; ++i) {
      const fp16 x{static_cast<std::uint32_t>(block_[i])};
      counts_.nan_in += x.is_nan();
      counts_.infinite_in += x.is_infinite();
    }
    sdp_widen_block(block_, l_->nan_to_zero);
  }

  // Runs `n` elements from number `first` on; `load(element, elements)` brings those of a block, in
  // `block_` but where nothing changes them.
  template <class Load>
  std::span<const std::uint8_t> blocks(std::size_t first, std::size_t n, const Load& load) {
    const auto bytes = std::size_t{hw::element_bytes(l_->out)};
    const bool compares = Has.y && l_->y.compares();
    for (std::size_t at = first; at < first + n; at += sdp_block) {
      const auto count = std::min(sdp_block, first + n - at);
      const std::int32_t* block = load(at, count);
      x1_.run(at, block_);
      x2_.run(at, block_);
      if constexpr (Has.y) y_.run(at, block_, *tables_, count, counts_.lut);
      if (compares) {
        compare(count);
        continue;
      }
      std::fill(block_.begin() + static_cast<std::ptrdiff_t>(count), block_.end(),
                l_->output.offset);
      const auto to = std::span(out_).subspan(at * bytes, count * bytes);
      sdp_output_block<Has>(*l_, integers_, out_magnitude_, block, to, counts_);
    }
    return out_;
  }

  // The low 16 bits tell; the lanes beyond the last channel take part.
  void compare(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) counts_.unequal |= (block_[i] & 0xffff) != 0;
  }

  static bool in_memory(const sdp_operands& o) { return o.alu || o.mul; }

  bool per_channel() const {
    return in_memory(l_->x1.operands) || in_memory(l_->x2.operands) || in_memory(l_->y.operands);
  }

  // Whether an output of a layer that looks up depends on its input and its channel alone, and
  // there are many more pixels than values.
  bool maps_bytes() const {
    using hw::precision::int8;
    const auto& l = *l_;
    return l.y.lut && l.in == int8 && l.proc == int8 && !l.flying && !l.count_lut &&
           !l.y.compares() && !l.x1.operands.per_element && !l.x2.operands.per_element &&
           !l.y.operands.per_element && std::size_t{l.width} * l.height >= 512;
  }

  // Computes the outputs for the 256 values of each lane, or of all lanes alike. Layers that may
  // saturate are left to be counted.
  bool prepare_table(std::size_t s) {
    if (!per_channel() && !table_.empty()) return true;
    table_lanes_ = per_channel() ? lanes_ : 1;
    begin_surface(s);
    const auto before = counts_;
    begin_output(256 * table_lanes_);
    blocks(0, 256 * table_lanes_, [&](std::size_t at, std::size_t) {
      for (std::size_t i = 0; i < sdp_block; ++i)
        block_[i] = static_cast<std::int8_t>((at + i) / table_lanes_);
      return std::as_const(block_).data();
    });
    by_table_ = counts_.saturated == before.saturated;
    counts_ = before;
    std::swap(table_, out_);
    return by_table_;
  }

  std::span<const std::uint8_t> look_up(std::size_t s) {
    raw_.resize(elements());
    read_surface(l_->source, s, raw_);
    out_.resize(elements() * hw::element_bytes(l_->out));
    const auto run = [&]<class T>(T) {
      const auto of = [&]<std::size_t Lanes>() { look_up<T, Lanes>(); };
      if (table_lanes_ == 1) of.template operator()<1>();
      else if (table_lanes_ == 8) of.template operator()<8>();
      else if (table_lanes_ == 16) of.template operator()<16>();
      else of.template operator()<32>();
    };
    if (l_->out == hw::precision::int8) run(std::uint8_t{});
    else run(std::uint16_t{});
    return out_;
  }

  template <class T, std::size_t Lanes>
  void look_up() {
    constexpr auto step = std::max(Lanes, std::size_t{8});  // surfaces have 8 lanes at least
    const auto *in = raw_.data(), *table = table_.data();
    auto* out = out_.data();
    const auto* const end = in + elements();
    for (; in != end; in += step, out += step * sizeof(T))
      for (std::size_t i = 0; i < step; ++i)
        std::memcpy(out + i * sizeof(T), table + (in[i] * Lanes + i % Lanes) * sizeof(T),
                    sizeof(T));
  }

  const sdp_layer* l_ = nullptr;
  const lut_tables* tables_ = nullptr;
  std::size_t lanes_ = 0, table_lanes_ = 1;
  bool by_table_ = false, unchanged_ = false;  // but for the output converter
  sdp_counts counts_;
  sdp_magnitude in_ = sdp_any_magnitude, out_magnitude_ = sdp_any_magnitude;
  sdp_integer_output integers_{};
  sdp_x_unit<Has> x1_, x2_;
  sdp_y_unit<Has> y_;
  alignas(16) sdp_integers block_{};
  surface_reader source_;
  std::vector<std::uint8_t> raw_, halves_, out_, table_;
};

}  // namespace nvdlac::sim
