// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/sim/cdp/finish.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/lut.hpp>
#include <nvdlac/sim/memory.hpp>

// CDP: local response normalisation across channels, of some pixels and all channels at a time.

namespace nvdlac::sim {

struct cdp_layer {
  std::uint32_t width = 1, height = 1, channels = 1;
  hw::precision precision = hw::precision::int8;
  int reach = 1;  // channels on each side that a sum takes in: 1 to 4
  bool sum_bypass = false, product_bypass = false, nan_to_zero = false;
  cdp_converter input{}, output{};  // integers only
  lut_settings lut{};
  cube source{}, destination{};
};

// What the status registers of one layer hold.
struct cdp_statistics {
  std::uint64_t nan_inputs = 0, infinite_inputs = 0, nan_outputs = 0, saturations = 0;
  lut_counts lut{};
};

class cdp_engine {
 public:
  cdp_statistics statistics{};

  void begin(const cdp_layer& l, const lut_tables& t) {
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

  // `in` and `out`: surface by surface, `pixels` pixels of `lanes` elements each.
  void block(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out) {
    switch (layer_->precision) {
      case hw::precision::int8:
        return layer_->sum_bypass ? direct(pixels, lanes, in, out)
                                  : int8(pixels, lanes, in, out);
      case hw::precision::int16: return int16(pixels, lanes, in, out);
      case hw::precision::fp16: return fp16s(pixels, lanes, in, out);
    }
  }

 private:
  static constexpr std::size_t halo = 4;

  struct answer {
    std::int8_t value = 0;
    bool saturated = false;
    lut_counts counts{};
  };

  answer look_up(std::int64_t sum, std::int32_t x) const {
    answer a;
    const std::int64_t table = cdp_lut(layer_->lut, *tables_, sum, a.counts);
    const auto r = cdp_output<8>(layer_->output, layer_->product_bypass ? table : table * x);
    a.value = static_cast<std::int8_t>(r.value), a.saturated = r.saturated;
    return a;
  }

  void count(const answer& a, std::uint64_t times) {
    statistics.saturations += a.saturated ? times : 0;
    statistics.lut.underflow += a.counts.underflow * times;
    statistics.lut.overflow += a.counts.overflow * times;
    statistics.lut.hybrid += a.counts.hybrid * times;
    statistics.lut.le_hit += a.counts.le_hit * times;
    statistics.lut.lo_hit += a.counts.lo_hit * times;
  }

  // int8 without sums: the result follows from the element alone.
  void direct(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
              std::span<std::uint8_t> out) {
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

  // Table entries stay for layers that look up the same.
  void prepare_sums(const cdp_layer& l, const lut_tables& t) {
    const auto [low, high] = std::ranges::minmax(input_);
    const auto most = std::max(-low, high);
    const auto size = static_cast<std::size_t>(most * most * (2 * l.reach + 1)) + 1;
    if (size <= sums_.size() && sums_settings_ == l.lut && sums_tables_ == t) return;
    sums_.assign(size, cdp_finish::unknown);
    sums_settings_ = l.lut;
    sums_tables_ = t;
  }

  void look_up_sum(std::int32_t sum) {
    auto& entry = sums_[static_cast<std::size_t>(sum)];
    if (entry != cdp_finish::unknown) return;
    lut_counts c;
    const auto value = cdp_lut(layer_->lut, *tables_, sum, c);
    const int kind = c.underflow ? 0 : c.overflow ? 1 : c.hybrid ? 2 : c.le_hit ? 3 : 4;
    entry = kind << 16 | static_cast<std::uint16_t>(value);
  }

  void int8(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
            std::span<std::uint8_t> out) {
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
    c.underflow += counts.kinds[0], c.overflow += counts.kinds[1], c.hybrid += counts.kinds[2];
    c.le_hit += counts.kinds[3], c.lo_hit += counts.kinds[4];
  }

  void int16(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out) {
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

  void fp16s(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out) {
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

  static std::size_t place(std::size_t pixels, std::size_t lanes, std::size_t p, std::size_t c) {
    return 2 * ((c / lanes * pixels + p) * lanes + c % lanes);
  }
  static std::uint16_t word(std::span<const std::uint8_t> in, std::size_t pixels,
                            std::size_t lanes, std::size_t p, std::size_t c) {
    const auto at = place(pixels, lanes, p, c);
    return static_cast<std::uint16_t>(in[at] | in[at + 1] << 8);
  }
  static void set_word(std::span<std::uint8_t> out, std::size_t pixels, std::size_t lanes,
                       std::size_t p, std::size_t c, std::uint16_t value) {
    const auto at = place(pixels, lanes, p, c);
    out[at] = static_cast<std::uint8_t>(value);
    out[at + 1] = static_cast<std::uint8_t>(value >> 8);
  }

  const cdp_layer* layer_ = nullptr;
  const lut_tables* tables_ = nullptr;
  std::array<std::int32_t, 256> input_{};
  std::array<answer, 256> direct_{};
  std::vector<std::int32_t> sums_;  // table entries of int8, of these tables
  lut_settings sums_settings_{};
  lut_tables sums_tables_{};
  std::vector<std::int32_t> values_, squares_, windows_;  // of one pixel in int8
  std::vector<std::uint8_t> results_;
};

template <hw::hardware Hw>
class cdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `luts`: a view of group 0, where the settings of the tables are.
  cdp_decoder(const view& cdp, const view& rdma, const view& luts, memories<Hw>& m)
      : g(cdp), r(rdma), luts_(luts), m_(m) {}

  // Throws nvdlac::error.
  cdp_layer decode() {
    cdp_layer l;
    l.precision = precision();
    l.width = r.template count<"CDP_RDMA.D_DATA_CUBE_WIDTH">();
    l.height = r.template count<"CDP_RDMA.D_DATA_CUBE_HEIGHT">();
    l.channels = r.template count<"CDP_RDMA.D_DATA_CUBE_CHANNEL">();
    const auto surfaces = ceil_div(l.channels, atom / hw::element_bytes(l.precision));
    m_.settings.check("CDP_RDMA.D_DATA_CUBE_WIDTH", l.width, l.height, atom, surfaces);
    l.reach = static_cast<int>(g.template count<"CDP.D_LRN_CFG.NORMALZ_LEN">());
    l.sum_bypass = g.template on<"CDP.D_FUNC_BYPASS.SQSUM_BYPASS">();
    l.product_bypass = g.template on<"CDP.D_FUNC_BYPASS.MUL_BYPASS">();
    l.nan_to_zero = g.template on<"CDP.D_NAN_FLUSH_TO_ZERO">();
    converters(l);
    l.lut = decode_cdp_lut(luts_, l.precision);
    if (l.precision == hw::precision::int8) {
      check_start("CDP.S_LUT_LE_START_LOW", l.lut.le.start);
      check_start("CDP.S_LUT_LO_START_LOW", l.lut.lo.start);
    }
    l.source = {.ram = &m_.select(r.template on<"CDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE">(),
                                  "CDP_RDMA.D_SRC_DMA_CFG"),
                .base = r.template address<"CDP_RDMA.D_SRC_BASE_ADDR_HIGH",
                                           "CDP_RDMA.D_SRC_BASE_ADDR_LOW">(),
                .line_stride = r.template bytes<"CDP_RDMA.D_SRC_LINE_STRIDE">(),
                .surface_stride = r.template bytes<"CDP_RDMA.D_SRC_SURFACE_STRIDE">(),
                .unit = atom, .width = l.width, .height = l.height, .surfaces = surfaces};
    l.source.check("CDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
    l.destination = {
        .ram = &m_.select(g.template on<"CDP.D_DST_DMA_CFG.DST_RAM_TYPE">(), "CDP.D_DST_DMA_CFG"),
        .base = g.template address<"CDP.D_DST_BASE_ADDR_HIGH", "CDP.D_DST_BASE_ADDR_LOW">(),
        .line_stride = g.template bytes<"CDP.D_DST_LINE_STRIDE">(),
        .surface_stride = g.template bytes<"CDP.D_DST_SURFACE_STRIDE">(),
        .unit = atom, .width = l.width, .height = l.height, .surfaces = surfaces};
    l.destination.check("CDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("CDP.D_DST_LINE_STRIDE");
    return l;
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  hw::precision precision() {
    const auto code = g.template u<"CDP.D_DATA_FORMAT.INPUT_DATA_TYPE">();
    require(code <= 2 && Hw::spec.data_types.has(hw::precision(code)),
            "CDP.D_DATA_FORMAT.INPUT_DATA_TYPE", "this configuration has no precision ", code);
    require(r.template u<"CDP_RDMA.D_DATA_FORMAT.INPUT_DATA">() == code,
            "CDP_RDMA.D_DATA_FORMAT.INPUT_DATA", "differs from CDP's");
    return hw::precision(code);
  }

  // A sum of int8 squares has 21 bits; the RTL compares it with the low 22 of the start, the
  // C-model with all 38.
  static void check_start(std::string_view where, std::int64_t start) {
    require(saturate<22>(start) == start, where, "the start ", start,
            " of a table is beyond the 22 bits of int8");
  }

  // For int8 the offsets have 8 and 25 bits.
  void converters(cdp_layer& l) {
    const auto low_bits = [&](std::int32_t x, int bits) {
      const int unused = l.precision == hw::precision::int8 ? 32 - bits : 0;
      return static_cast<std::int32_t>(static_cast<std::uint32_t>(x) << unused) >> unused;
    };
    l.input = {.offset = low_bits(g.template i<"CDP.D_DATIN_OFFSET">(), 8),
               .scale = g.template i<"CDP.D_DATIN_SCALE">(),
               .shift = static_cast<int>(g.template u<"CDP.D_DATIN_SHIFTER">())};
    l.output = {.offset = low_bits(g.template i<"CDP.D_DATOUT_OFFSET">(), 25),
                .scale = g.template i<"CDP.D_DATOUT_SCALE">(),
                .shift = static_cast<int>(g.template u<"CDP.D_DATOUT_SHIFTER">())};
  }

  view g, r, luts_;
  memories<Hw>& m_;
};

// CDP from memory to memory. All channels of some pixels of a line are read before their results
// are written: a layer may overwrite its own input.
template <hw::hardware Hw>
class cdp_pipeline {
 public:
  // Executes a layer if there is one.
  bool run(device_state<Hw>& s) {
    auto &c = s.groups(unit::cdp), &r = s.groups(unit::cdp_rdma);
    if (!c.ready() || !r.ready()) return false;
    const auto cdp = s.active(unit::cdp), rdma = s.active(unit::cdp_rdma);
    const int group = c.take();
    r.take();
    const auto l = cdp_decoder<Hw>(cdp, rdma, {s.registers, 0}, s.memories).decode();
    engine_.begin(l, s.lut(unit::cdp).tables());
    const std::size_t lanes = atom / hw::element_bytes(l.precision);
    const auto surfaces = static_cast<std::size_t>(l.source.surfaces);
    const auto most = std::clamp<std::size_t>(block_bytes / (surfaces * atom), 1, l.width);
    in_.resize(most * surfaces * atom);
    out_.resize(in_.size());
    for (std::size_t y = 0; y < l.height; ++y)
      for (std::size_t x = 0; x < l.width; x += most) {
        const auto pixels = std::min<std::size_t>(most, l.width - x);
        const auto bytes = pixels * atom;
        const auto at = [&](const cube& k, std::size_t i) {
          return k.base + i * k.surface_stride + y * k.line_stride + x * atom;
        };
        for (std::size_t i = 0; i < surfaces; ++i)
          l.source.ram->read(at(l.source, i), std::span(in_).subspan(i * bytes, bytes));
        engine_.block(pixels, lanes, std::span(in_).first(surfaces * bytes), out_);
        for (std::size_t i = 0; i < surfaces; ++i)
          l.destination.ram->write(at(l.destination, i),
                                   std::span(out_).subspan(i * bytes, bytes));
      }
    report(s, group);
    s.template done<"GLB.S_INTR_STATUS.CDP_DONE_STATUS0">(group);
    return true;
  }

 private:
  static constexpr std::size_t atom = Hw::spec.memory_atom, block_bytes = 1 << 14;

  // The counters of the layer, which stop at their last value.
  void report(device_state<Hw>& s, int group) const {
    constexpr auto map = Hw::spec.map;
    const auto set = [&](std::uint32_t address, std::uint64_t value) {
      s.registers.set(group, address,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX)));
    };
    const auto& c = engine_.statistics;
    set(hw::address<map, "CDP.D_NAN_INPUT_NUM">, c.nan_inputs);
    set(hw::address<map, "CDP.D_INF_INPUT_NUM">, c.infinite_inputs);
    set(hw::address<map, "CDP.D_NAN_OUTPUT_NUM">, c.nan_outputs);
    set(hw::address<map, "CDP.D_OUT_SATURATION">, c.saturations);
    set(hw::address<map, "CDP.D_PERF_LUT_UFLOW">, c.lut.underflow);
    set(hw::address<map, "CDP.D_PERF_LUT_OFLOW">, c.lut.overflow);
    set(hw::address<map, "CDP.D_PERF_LUT_HYBRID">, c.lut.hybrid);
    set(hw::address<map, "CDP.D_PERF_LUT_LE_HIT">, c.lut.le_hit);
    set(hw::address<map, "CDP.D_PERF_LUT_LO_HIT">, c.lut.lo_hit);
  }

  cdp_engine engine_;
  std::vector<std::uint8_t> in_, out_;
};

}  // namespace nvdlac::sim
