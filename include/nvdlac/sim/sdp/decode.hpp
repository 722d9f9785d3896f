// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/sdp/arithmetic.hpp>
#include <nvdlac/sim/sdp/layer.hpp>

namespace nvdlac::sim {

// Elements of a surface: those that fill a memory atom.
constexpr std::uint32_t surface_lanes(std::uint32_t atom, hw::precision p) {
  return atom / hw::element_bytes(p);
}

// Cubes of one pixel lie in memory without gaps, whatever their strides say.
void pack_single_pixels(tolerance& rules, std::string_view where, cube& c);

// The settings of one of SDP_RDMA's operand readers, before the sub-unit's wishes are known.
struct sdp_reader {
  bool disabled = true, per_element = false;
  std::uint32_t use = 0, bytes = 1;  // use: 0 MUL, 1 ALU, 2 BOTH
  cube source{};
};

// The operands of a sub-unit that wants `alu` and `mul` from memory.
sdp_operands decode_operands(std::string_view where, sdp_reader r, bool alu, bool mul,
                             std::uint32_t atom, hw::precision proc, tolerance& rules);

// SDP_RDMA's part of a layer that SDP's registers have described; `g` its active group.
template <hw::hardware Hw>
class sdp_rdma_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  sdp_rdma_decoder(const view& rdma, memories<Hw>& m, sdp_layer& layer)
      : g(rdma), m_(m), l(layer) {}

  // Throws nvdlac::error.
  void decode() {
    require(g.template count<"SDP_RDMA.D_DATA_CUBE_WIDTH.WIDTH">() == l.width &&
                g.template count<"SDP_RDMA.D_DATA_CUBE_HEIGHT.HEIGHT">() == l.height &&
                g.template count<"SDP_RDMA.D_DATA_CUBE_CHANNEL.CHANNEL">() == l.channels,
            "SDP_RDMA.D_DATA_CUBE_WIDTH", "the cube differs from SDP's");
    require(g.template u<"SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION">() ==
                static_cast<std::uint32_t>(l.proc),
            "SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION", "differs from SDP's");
    require(g.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.WINOGRAD">() == l.winograd,
            "SDP_RDMA.D_FEATURE_MODE_CFG.WINOGRAD", "differs from SDP's");
    require(g.template count<"SDP_RDMA.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == l.batches,
            "SDP_RDMA.D_FEATURE_MODE_CFG.BATCH_NUMBER", "differs from SDP's");
    require(g.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() == l.flying,
            "SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE", "differs from SDP's");
    if (!l.flying) source();
    readers();
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  void source() {
    constexpr auto where = "SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION";
    const auto code = g.template u<"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION">();
    require(code <= 2, where, "3 does not exist");
    l.in = hw::precision(code);
    require(Hw::spec.data_types.has(l.in), where, "this configuration has no such precision");
    require(l.in == l.proc ||
                (l.in == hw::precision::int16 && l.proc == hw::precision::int8),
            where, "SDP computes in the precision of its input, or in int8 on int16");
    l.source = cube_of(m_.select(g.template on<"SDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE">(),
                                 "SDP_RDMA.D_SRC_DMA_CFG"),
                       g.template address<"SDP_RDMA.D_SRC_BASE_ADDR_HIGH.SRC_BASE_ADDR_HIGH",
                                          "SDP_RDMA.D_SRC_BASE_ADDR_LOW.SRC_BASE_ADDR_LOW">(),
                       g.template bytes<"SDP_RDMA.D_SRC_LINE_STRIDE">(),
                       g.template bytes<"SDP_RDMA.D_SRC_SURFACE_STRIDE">());
    l.source.surfaces *= l.sources();  // two even where the second has no channel
    pack_single_pixels(m_.rules, "SDP_RDMA.D_SRC_SURFACE_STRIDE", l.source);
    l.source.check("SDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
  }

  cube cube_of(memory& ram, std::uint64_t base, std::uint64_t line, std::uint64_t surface) {
    return {.ram = &ram, .base = base, .line_stride = line, .surface_stride = surface,
            .unit = atom, .width = l.width, .height = l.height,
            .surfaces = ceil_div(l.channels, surface_lanes(atom, l.proc))};
  }

  template <fixed_string Config, fixed_string Disable, fixed_string Use, fixed_string Size,
            fixed_string Mode, fixed_string Ram, fixed_string High, fixed_string Low,
            fixed_string Line, fixed_string Surface, class Unit>
  void reader(Unit& u) {
    const bool alu = !u.bypass && !u.alu_bypass && u.alu_from_memory;
    const bool mul = !u.bypass && !u.mul_bypass && u.mul_from_memory;
    sdp_reader o{.disabled = g.template on<Disable>(),
                 .per_element = g.template on<Mode>(),
                 .use = g.template u<Use>(),
                 .bytes = g.template count<Size>()};
    if (alu || mul)
      o.source = cube_of(m_.select(g.template on<Ram>(), Config.view()),
                         g.template address<High, Low>(), g.template bytes<Line>(),
                         g.template bytes<Surface>());
    u.operands = decode_operands(Config.view(), o, alu, mul, atom, l.proc, m_.rules);
  }

  void readers() {
    reader<"SDP_RDMA.D_BRDMA_CFG", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE",
           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_USE", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_SIZE",
           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE", "SDP_RDMA.D_BRDMA_CFG.BRDMA_RAM_TYPE",
           "SDP_RDMA.D_BS_BASE_ADDR_HIGH", "SDP_RDMA.D_BS_BASE_ADDR_LOW",
           "SDP_RDMA.D_BS_LINE_STRIDE", "SDP_RDMA.D_BS_SURFACE_STRIDE">(l.x1);
    reader<"SDP_RDMA.D_NRDMA_CFG", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE",
           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_SIZE",
           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_MODE", "SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE",
           "SDP_RDMA.D_BN_BASE_ADDR_HIGH", "SDP_RDMA.D_BN_BASE_ADDR_LOW",
           "SDP_RDMA.D_BN_LINE_STRIDE", "SDP_RDMA.D_BN_SURFACE_STRIDE">(l.x2);
    if constexpr (Hw::spec.has_ew())
      reader<"SDP_RDMA.D_ERDMA_CFG", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE",
             "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE",
             "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE", "SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE",
             "SDP_RDMA.D_EW_BASE_ADDR_HIGH", "SDP_RDMA.D_EW_BASE_ADDR_LOW",
             "SDP_RDMA.D_EW_LINE_STRIDE", "SDP_RDMA.D_EW_SURFACE_STRIDE">(l.y);
  }

  const view& g;
  memories<Hw>& m_;
  sdp_layer& l;
};

template <hw::hardware Hw>
class sdp_decoder {
 public:
  using view = group_view<Hw::spec.map>;

  // `rdma` is empty if SDP_RDMA is not enabled.
  sdp_decoder(const view& sdp, const view* rdma, memories<Hw>& m) : g(sdp), r(rdma), m_(m) {}

  // Throws nvdlac::error.
  sdp_layer decode() {
    l.width = g.template count<"SDP.D_DATA_CUBE_WIDTH.WIDTH">();
    l.height = g.template count<"SDP.D_DATA_CUBE_HEIGHT.HEIGHT">();
    l.channels = g.template count<"SDP.D_DATA_CUBE_CHANNEL.CHANNEL">();
    mode();
    m_.settings.check("SDP.D_DATA_CUBE_WIDTH", l.width, l.height, surface_lanes(atom, l.proc),
                   ceil_div(l.channels, surface_lanes(atom, l.proc)) * l.batches);
    x1();
    x2();
    y();
    l.reads_memory = needs_rdma();
    l.in = l.proc;  // of surfaces from CACC
    if (r != nullptr) sdp_rdma_decoder<Hw>(*r, m_, l).decode();
    require((!l.to_pdp && !l.y.compares()) || (l.in == l.proc && l.proc == l.out),
            "SDP.D_DATA_FORMAT.OUT_PRECISION",
            "what goes to PDP, or is compared, keeps its precision");
    output();
    return l;
  }

  // Whether SDP waits for SDP_RDMA: decided by SDP's own registers.
  bool needs_rdma() const {
    const auto from_memory = [](bool bypass, bool off, bool memory) {
      return !bypass && !off && memory;
    };
    const bool b = g.template on<"SDP.D_DP_BS_CFG.BS_BYPASS">();
    const bool n = g.template on<"SDP.D_DP_BN_CFG.BN_BYPASS">();
    const bool e = g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">();
    return !g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">() ||
           from_memory(b, g.template on<"SDP.D_DP_BS_CFG.BS_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC">()) ||
           from_memory(b, g.template on<"SDP.D_DP_BS_CFG.BS_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC">()) ||
           from_memory(n, g.template on<"SDP.D_DP_BN_CFG.BN_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC">()) ||
           from_memory(n, g.template on<"SDP.D_DP_BN_CFG.BN_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SRC">()) ||
           from_memory(e, g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">(),
                       g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC">()) ||
           from_memory(e, g.template on<"SDP.D_DP_EW_CFG.EW_MUL_BYPASS">(),
                       g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_SRC">());
  }

 private:
  static constexpr std::uint32_t atom = Hw::spec.memory_atom;

  template <fixed_string Path>
  hw::precision precision() const {
    const auto code = g.template u<Path>();
    require(code <= 2, Path.view(), "3 does not exist");
    require(Hw::spec.data_types.has(hw::precision(code)), Path.view(),
            "this configuration has no such precision");
    return hw::precision(code);
  }

  void mode() {
    using enum hw::precision;
    l.proc = precision<"SDP.D_DATA_FORMAT.PROC_PRECISION">();
    l.out = precision<"SDP.D_DATA_FORMAT.OUT_PRECISION">();
    require(l.proc == int8 || l.out != int8, "SDP.D_DATA_FORMAT.OUT_PRECISION",
            "only what is computed in int8 becomes int8");
    // The C-model converts it; the RTL writes half of the bytes or hangs.
    require(l.proc != int8 || l.out != fp16, "SDP.D_DATA_FORMAT.OUT_PRECISION",
            "what is computed in int8 becomes fp16 by way of int16 alone");
    l.flying = g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    l.to_pdp = g.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    l.winograd = g.template on<"SDP.D_FEATURE_MODE_CFG.WINOGRAD">();
    l.nan_to_zero = g.template on<"SDP.D_FEATURE_MODE_CFG.NAN_TO_ZERO">();
    l.batches = g.template count<"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER">();
    l.count_lut = g.template on<"SDP.D_PERF_ENABLE.PERF_LUT_EN">();
    constexpr auto to_pdp = "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST";
    constexpr auto winograd = "SDP.D_FEATURE_MODE_CFG.WINOGRAD";
    constexpr auto batch = "SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER";
    require(!l.to_pdp || Hw::spec.has_pdp(), to_pdp, "this configuration has no PDP");
    require(!l.winograd || Hw::spec.winograd, winograd, "this configuration has no Winograd mode");
    require(l.batches == 1 || Hw::spec.batch, batch, "this configuration has no batches");
    require(!l.winograd || l.flying, winograd, "belongs to what comes from CACC");
    require(l.batches == 1 || l.flying, batch, "belongs to what comes from CACC");
    require(!l.winograd || l.batches == 1, batch, "Winograd has no batches");
    require(!l.winograd || (l.width % 4 == 0 && l.height % 4 == 0), winograd,
            "the cube is a multiple of 4 wide and high");
    require(!l.to_pdp || (!l.winograd && l.batches == 1), to_pdp,
            "neither Winograd nor batches go to PDP");
    require(l.results() == 1 || (!l.to_pdp && !l.winograd && l.batches == 1),
            "SDP.D_DATA_FORMAT.OUT_PRECISION",
            "int8 that becomes wider goes to memory, without Winograd and batches");
  }

  static void check_prelu(std::string_view where, const auto& u) {
    require(!u.prelu || u.mul_bypass || u.alu_bypass, where, "PReLU needs the ALU bypassed");
  }
  static void check_x(std::string_view where, const sdp_x& u) {
    if (u.bypass) return;
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, where, "ALU_ALGO=3 does not exist");
    require(u.mul_shift <= 63, where, "MUL_SHIFT_VALUE ", u.mul_shift, " is more than 63");
    check_prelu(where, u);
  }

  void x1() {
    auto& u = l.x1;
    u.bypass = g.template on<"SDP.D_DP_BS_CFG.BS_BYPASS">();
    u.alu_bypass = g.template on<"SDP.D_DP_BS_CFG.BS_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_BS_CFG.BS_ALU_ALGO">());
    u.mul_bypass = g.template on<"SDP.D_DP_BS_CFG.BS_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_BS_CFG.BS_MUL_PRELU">();
    u.relu = !g.template on<"SDP.D_DP_BS_CFG.BS_RELU_BYPASS">();
    u.alu_from_memory = g.template on<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SRC">();
    u.alu_shift = static_cast<int>(g.template u<"SDP.D_DP_BS_ALU_CFG.BS_ALU_SHIFT_VALUE">());
    u.alu_operand = g.template i<"SDP.D_DP_BS_ALU_SRC_VALUE.BS_ALU_OPERAND">();
    u.mul_from_memory = g.template on<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SRC">();
    u.mul_shift = static_cast<int>(g.template u<"SDP.D_DP_BS_MUL_CFG.BS_MUL_SHIFT_VALUE">());
    u.mul_operand = g.template i<"SDP.D_DP_BS_MUL_SRC_VALUE.BS_MUL_OPERAND">();
    check_x("SDP.D_DP_BS_CFG", u);
  }

  void x2() {
    auto& u = l.x2;
    u.bypass = g.template on<"SDP.D_DP_BN_CFG.BN_BYPASS">();
    u.alu_bypass = g.template on<"SDP.D_DP_BN_CFG.BN_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_BN_CFG.BN_ALU_ALGO">());
    u.mul_bypass = g.template on<"SDP.D_DP_BN_CFG.BN_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_BN_CFG.BN_MUL_PRELU">();
    u.relu = !g.template on<"SDP.D_DP_BN_CFG.BN_RELU_BYPASS">();
    u.alu_from_memory = g.template on<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SRC">();
    u.alu_shift = static_cast<int>(g.template u<"SDP.D_DP_BN_ALU_CFG.BN_ALU_SHIFT_VALUE">());
    u.alu_operand = g.template i<"SDP.D_DP_BN_ALU_SRC_VALUE.BN_ALU_OPERAND">();
    u.mul_from_memory = g.template on<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SRC">();
    u.mul_shift = static_cast<int>(g.template u<"SDP.D_DP_BN_MUL_CFG.BN_MUL_SHIFT_VALUE">());
    u.mul_operand = g.template i<"SDP.D_DP_BN_MUL_SRC_VALUE.BN_MUL_OPERAND">();
    check_x("SDP.D_DP_BN_CFG", u);
  }

  void y() {
    auto& u = l.y;
    u.bypass = g.template on<"SDP.D_DP_EW_CFG.EW_BYPASS">();
    if (u.bypass) return;
    require(Hw::spec.has_ew(), "SDP.D_DP_EW_CFG.EW_BYPASS",
            "this configuration has no element-wise unit (Y)");
    u.lut = !g.template on<"SDP.D_DP_EW_CFG.EW_LUT_BYPASS">();
    require(!u.lut || Hw::spec.sdp_lut, "SDP.D_DP_EW_CFG.EW_LUT_BYPASS",
            "this configuration has no lookup table");
    u.alu_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_EW_CFG.EW_ALU_ALGO">());
    require(!u.compares() || (!l.to_pdp && !l.winograd && l.batches == 1),
            "SDP.D_DP_EW_CFG.EW_ALU_ALGO",
            "EQL has no output: it goes neither to PDP nor with Winograd and batches");
    u.mul_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_MUL_BYPASS">();
    u.prelu = g.template on<"SDP.D_DP_EW_CFG.EW_MUL_PRELU">();
    u.alu_from_memory = g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_SRC">();
    u.alu_convert = !g.template on<"SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS">();
    u.alu_operand = g.template i<"SDP.D_DP_EW_ALU_SRC_VALUE.EW_ALU_OPERAND">();
    u.alu_converter = {
        .offset = g.template i<"SDP.D_DP_EW_ALU_CVT_OFFSET_VALUE.EW_ALU_CVT_OFFSET">(),
        .scale = static_cast<std::int16_t>(
            g.template i<"SDP.D_DP_EW_ALU_CVT_SCALE_VALUE.EW_ALU_CVT_SCALE">()),
        .shift = static_cast<std::uint8_t>(
            g.template u<"SDP.D_DP_EW_ALU_CVT_TRUNCATE_VALUE.EW_ALU_CVT_TRUNCATE">())};
    u.mul_from_memory = g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_SRC">();
    u.mul_convert = !g.template on<"SDP.D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS">();
    u.mul_operand = g.template i<"SDP.D_DP_EW_MUL_SRC_VALUE.EW_MUL_OPERAND">();
    u.mul_converter = {
        .offset = g.template i<"SDP.D_DP_EW_MUL_CVT_OFFSET_VALUE.EW_MUL_CVT_OFFSET">(),
        .scale = static_cast<std::int16_t>(
            g.template i<"SDP.D_DP_EW_MUL_CVT_SCALE_VALUE.EW_MUL_CVT_SCALE">()),
        .shift = static_cast<std::uint8_t>(
            g.template u<"SDP.D_DP_EW_MUL_CVT_TRUNCATE_VALUE.EW_MUL_CVT_TRUNCATE">())};
    u.truncate = static_cast<int>(g.template u<"SDP.D_DP_EW_TRUNCATE_VALUE.EW_TRUNCATE">());
    check_prelu("SDP.D_DP_EW_CFG", u);
    const bool real = l.proc == hw::precision::fp16;
    require(!u.compares() || !u.lut, "SDP.D_DP_EW_CFG.EW_LUT_BYPASS",
            "a comparison has no result to look up");
    require(!u.compares() || real || !u.alu_convert, "SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS",
            "a comparison of integers takes its operand as it is");
    // They widen fp16 from memory.
    const auto widened = [&](bool off, bool memory, bool converts, std::string_view where) {
      require(!real || off || !memory || converts, where,
              "operands of fp16 from memory pass the converter");
    };
    widened(u.alu_bypass, u.alu_from_memory, u.alu_convert,
            "SDP.D_DP_EW_ALU_CFG.EW_ALU_CVT_BYPASS");
    widened(u.mul_bypass, u.mul_from_memory, u.mul_convert,
            "SDP.D_DP_EW_MUL_CFG.EW_MUL_CVT_BYPASS");
  }

  void output() {
    l.output = {.offset = g.template i<"SDP.D_CVT_OFFSET.CVT_OFFSET">(),
                .scale = static_cast<std::int16_t>(g.template i<"SDP.D_CVT_SCALE.CVT_SCALE">()),
                .shift = static_cast<std::uint8_t>(g.template u<"SDP.D_CVT_SHIFT.CVT_SHIFT">())};
    if (l.y.compares())
      m_.rules.holds(l.output == converter{}, "SDP.D_CVT_SCALE",
                     "a comparison has no output to convert");
    if (l.to_pdp || l.y.compares()) return;
    auto& d = l.destination;
    d = {.ram = &m_.select(g.template on<"SDP.D_DST_DMA_CFG.DST_RAM_TYPE">(), "SDP.D_DST_DMA_CFG"),
         .base = g.template address<"SDP.D_DST_BASE_ADDR_HIGH.DST_BASE_ADDR_HIGH",
                                    "SDP.D_DST_BASE_ADDR_LOW.DST_BASE_ADDR_LOW">(),
         .line_stride = g.template bytes<"SDP.D_DST_LINE_STRIDE.DST_LINE_STRIDE">(),
         .surface_stride = g.template bytes<"SDP.D_DST_SURFACE_STRIDE.DST_SURFACE_STRIDE">(),
         .unit = atom, .width = l.width, .height = l.height,
         .surfaces = ceil_div(l.channels, surface_lanes(atom, l.proc)) * l.results()};
    pack_single_pixels(m_.rules, "SDP.D_DST_SURFACE_STRIDE", d);
    d.check("SDP.D_DST_BASE_ADDR_LOW", atom);
    d.check_no_overlap("SDP.D_DST_LINE_STRIDE");
    if constexpr (Hw::spec.batch)
      if (l.batches > 1) batches();
  }

  // The cubes of all pictures of a batch.
  void batches() {
    const auto& d = l.destination;
    l.batch_stride = g.template bytes<"SDP.D_DST_BATCH_STRIDE.DST_BATCH_STRIDE">();
    require(l.batch_stride % atom == 0, "SDP.D_DST_BATCH_STRIDE",
            "is not a multiple of the memory atom");
    // The writer's transfers are pairs of atoms that begin at even ones, and so are CACC's.
    const auto pair = 2 * std::uint64_t{atom};
    const bool one_pixel = l.width == 1 && l.height == 1;
    require(d.base % pair == 0, "SDP.D_DST_BASE_ADDR_LOW", "is not a multiple of ", pair,
            ", as batches want it");
    require(one_pixel || d.line_stride % pair == 0, "SDP.D_DST_LINE_STRIDE",
            "is not a multiple of ", pair, ", as batches want it");
    require(one_pixel || d.surface_stride % pair == 0, "SDP.D_DST_SURFACE_STRIDE",
            "is not a multiple of ", pair, ", as batches want it");
    auto last = d;
    last.base += (l.batches - 1) * l.batch_stride;
    last.check("SDP.D_DST_BATCH_STRIDE", atom);
  }

  view g;
  const view* r;
  memories<Hw>& m_;
  sdp_layer l{};
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/sdp/decode.ipp>
#endif
