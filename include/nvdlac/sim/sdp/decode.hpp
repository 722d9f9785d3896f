// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/sdp/decode_rdma.hpp>

namespace nvdlac::sim {

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
    if (l.batches == 1) return;
    l.batch_stride = g.template bytes<"SDP.D_DST_BATCH_STRIDE.DST_BATCH_STRIDE">();
    require(l.batch_stride % atom == 0, "SDP.D_DST_BATCH_STRIDE",
            "is not a multiple of the memory atom");
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
