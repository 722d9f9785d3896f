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

// The counts that the status registers of one layer hold.
struct cdp_statistics {
  std::uint64_t nan_inputs = 0, infinite_inputs = 0, nan_outputs = 0, saturations = 0;
  lut_counts lut{};
};

class cdp_engine {
 public:
  cdp_statistics statistics{};

  void begin(const cdp_layer& l, const lut_tables& t);

  // `in` and `out`: surface by surface, `pixels` pixels of `lanes` elements each.
  void block(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out);

 private:
  static constexpr std::size_t halo = 4;

  struct answer {
    std::int8_t value = 0;
    bool saturated = false;
    lut_counts counts{};
  };

  answer look_up(std::int64_t sum, std::int32_t x) const;

  void count(const answer& a, std::uint64_t times);

  // int8 without sums: the result follows from the element alone.
  void direct(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
              std::span<std::uint8_t> out);

  // Table entries stay for layers that look up the same.
  void prepare_sums(const cdp_layer& l, const lut_tables& t);

  void look_up_sum(std::int32_t sum);

  void int8(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
            std::span<std::uint8_t> out);

  void int16(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out);

  void fp16s(std::size_t pixels, std::size_t lanes, std::span<const std::uint8_t> in,
             std::span<std::uint8_t> out);

  static std::size_t place(std::size_t pixels, std::size_t lanes, std::size_t p, std::size_t c) {
    return 2 * ((c / lanes * pixels + p) * lanes + c % lanes);
  }
  static std::uint16_t word(std::span<const std::uint8_t> in, std::size_t pixels,
                            std::size_t lanes, std::size_t p, std::size_t c) {
    const auto at = place(pixels, lanes, p, c);
    return static_cast<std::uint16_t>(in[at] | in[at + 1] << 8);
  }
  static void set_word(std::span<std::uint8_t> out, std::size_t pixels, std::size_t lanes,
                       std::size_t p, std::size_t c, std::uint16_t value);

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/cdp/pipeline.ipp>
#endif
