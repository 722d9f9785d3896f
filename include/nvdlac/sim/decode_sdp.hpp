// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/memories.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/sdp.hpp>

namespace nvdlac::sim {

// What one of SDP_RDMA's operand readers is set to, before the sub-unit's wishes are known.
struct sdp_reader {
  bool disabled = true, per_element = false;
  std::uint32_t use = 0, bytes = 1;  // use: 0 MUL, 1 ALU, 2 BOTH
  cube source{};
};

// The operands of a sub-unit that wants `alu` and `mul` from memory.
inline sdp_operands decode_operands(std::string_view where, sdp_reader r, bool alu, bool mul,
                                    std::uint32_t atom) {
  if (!alu && !mul) {
    require(r.disabled, where, "reads operands that SDP does not take: the reader never ends");
    return {};
  }
  require(!r.disabled, where, "is disabled, but SDP takes operands from memory");
  require(r.use <= 2, where, "DATA_USE=3 does not exist");
  const bool reads_alu = r.use != 0, reads_mul = r.use != 1;
  require(reads_alu == alu && reads_mul == mul, where,
          "DATA_USE does not agree with the operands that SDP takes from memory");
  sdp_operands o{.alu = alu, .mul = mul, .per_element = r.per_element, .bytes = r.bytes,
                 .source = r.source};
  o.source.unit = std::uint64_t{atom} * r.bytes * (alu && mul ? 2 : 1);
  if (!r.per_element) {  // the operands of all channels side by side
    o.source.width = o.source.height = 1;
    o.source.surface_stride = o.source.unit;
  }
  o.source.check(where, atom);
  return o;
}

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
    m_.limit.check("SDP.D_DATA_CUBE_WIDTH", l.width, l.height, atom, ceil_div(l.channels, atom));
    require(g.template u<"SDP.D_DATA_FORMAT.PROC_PRECISION">() == 0 &&
                g.template u<"SDP.D_DATA_FORMAT.OUT_PRECISION">() == 0,
            "SDP.D_DATA_FORMAT", "only int8 is simulated");
    require(!g.template on<"SDP.D_FEATURE_MODE_CFG.WINOGRAD">() &&
                g.template u<"SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == 0,
            "SDP.D_FEATURE_MODE_CFG", "WINOGRAD and batches are not simulated");
    l.flying = g.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    l.to_pdp = g.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    require(!l.to_pdp || Hw::spec.has_pdp(), "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST",
            "this configuration has no PDP");
    x1();
    x2();
    y();
    l.reads_memory = needs_rdma();
    rdma();
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

  static void check_x(std::string_view where, const sdp_x& u) {
    if (u.bypass) return;
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, where, "ALU_ALGO=3 does not exist");
    require(u.mul_shift <= 63, where, "MUL_SHIFT_VALUE ", u.mul_shift, " is more than 63");
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
    require(g.template on<"SDP.D_DP_EW_CFG.EW_LUT_BYPASS">(), "SDP.D_DP_EW_CFG.EW_LUT_BYPASS",
            "the lookup table is not simulated");
    u.alu_bypass = g.template on<"SDP.D_DP_EW_CFG.EW_ALU_BYPASS">();
    u.algorithm = alu_algorithm(g.template u<"SDP.D_DP_EW_CFG.EW_ALU_ALGO">());
    require(u.alu_bypass || u.algorithm <= alu_algorithm::sum, "SDP.D_DP_EW_CFG.EW_ALU_ALGO",
            "EQL is not simulated");
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
  }

  cube whole_cube(memory& ram, std::uint64_t base, std::uint64_t line, std::uint64_t surface) {
    return {.ram = &ram, .base = base, .line_stride = line, .surface_stride = surface,
            .unit = atom, .width = l.width, .height = l.height,
            .surfaces = ceil_div(l.channels, atom)};
  }

  void rdma() {
    if (r == nullptr) return;  // the device starts a layer that reads memory only with SDP_RDMA
    require(r->template count<"SDP_RDMA.D_DATA_CUBE_WIDTH.WIDTH">() == l.width &&
                r->template count<"SDP_RDMA.D_DATA_CUBE_HEIGHT.HEIGHT">() == l.height &&
                r->template count<"SDP_RDMA.D_DATA_CUBE_CHANNEL.CHANNEL">() == l.channels,
            "SDP_RDMA.D_DATA_CUBE_WIDTH", "the cube differs from SDP's");
    require(r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.IN_PRECISION">() == 0 &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.PROC_PRECISION">() == 0 &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.OUT_PRECISION">() == 0,
            "SDP_RDMA.D_FEATURE_MODE_CFG", "only int8 is simulated");
    require(!r->template on<"SDP_RDMA.D_FEATURE_MODE_CFG.WINOGRAD">() &&
                r->template u<"SDP_RDMA.D_FEATURE_MODE_CFG.BATCH_NUMBER">() == 0,
            "SDP_RDMA.D_FEATURE_MODE_CFG", "WINOGRAD and batches are not simulated");
    require(r->template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() == l.flying,
            "SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE", "differs from SDP's");
    if (!l.flying) {
      l.source = whole_cube(m_.select(r->template on<"SDP_RDMA.D_SRC_DMA_CFG.SRC_RAM_TYPE">(),
                                      "SDP_RDMA.D_SRC_DMA_CFG"),
                            r->template address<"SDP_RDMA.D_SRC_BASE_ADDR_HIGH.SRC_BASE_ADDR_HIGH",
                                                "SDP_RDMA.D_SRC_BASE_ADDR_LOW.SRC_BASE_ADDR_LOW">(),
                            r->template bytes<"SDP_RDMA.D_SRC_LINE_STRIDE">(),
                            r->template bytes<"SDP_RDMA.D_SRC_SURFACE_STRIDE">());
      l.source.check("SDP_RDMA.D_SRC_BASE_ADDR_LOW", atom);
    }
    readers();
  }

  template <fixed_string Config, fixed_string Disable, fixed_string Use, fixed_string Size,
            fixed_string Mode, fixed_string Ram, fixed_string High, fixed_string Low,
            fixed_string Line, fixed_string Surface>
  sdp_operands reader(bool alu, bool mul) {
    sdp_reader o{.disabled = r->template on<Disable>(),
                 .per_element = r->template on<Mode>(),
                 .use = r->template u<Use>(),
                 .bytes = r->template count<Size>()};
    if (alu || mul)
      o.source = whole_cube(m_.select(r->template on<Ram>(), Config.view()),
                            r->template address<High, Low>(), r->template bytes<Line>(),
                            r->template bytes<Surface>());
    return decode_operands(Config.view(), o, alu, mul, atom);
  }

  void readers() {
    const auto alu = [](const auto& u) { return !u.bypass && !u.alu_bypass && u.alu_from_memory; };
    const auto mul = [](const auto& u) { return !u.bypass && !u.mul_bypass && u.mul_from_memory; };
    l.x1.operands = reader<"SDP_RDMA.D_BRDMA_CFG", "SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_USE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_SIZE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_DATA_MODE",
                           "SDP_RDMA.D_BRDMA_CFG.BRDMA_RAM_TYPE",
                           "SDP_RDMA.D_BS_BASE_ADDR_HIGH", "SDP_RDMA.D_BS_BASE_ADDR_LOW",
                           "SDP_RDMA.D_BS_LINE_STRIDE", "SDP_RDMA.D_BS_SURFACE_STRIDE">(
        alu(l.x1), mul(l.x1));
    l.x2.operands = reader<"SDP_RDMA.D_NRDMA_CFG", "SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_USE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_SIZE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_DATA_MODE",
                           "SDP_RDMA.D_NRDMA_CFG.NRDMA_RAM_TYPE",
                           "SDP_RDMA.D_BN_BASE_ADDR_HIGH", "SDP_RDMA.D_BN_BASE_ADDR_LOW",
                           "SDP_RDMA.D_BN_LINE_STRIDE", "SDP_RDMA.D_BN_SURFACE_STRIDE">(
        alu(l.x2), mul(l.x2));
    if constexpr (Hw::spec.has_ew())
      l.y.operands = reader<"SDP_RDMA.D_ERDMA_CFG", "SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_USE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_SIZE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_DATA_MODE",
                            "SDP_RDMA.D_ERDMA_CFG.ERDMA_RAM_TYPE",
                            "SDP_RDMA.D_EW_BASE_ADDR_HIGH", "SDP_RDMA.D_EW_BASE_ADDR_LOW",
                            "SDP_RDMA.D_EW_LINE_STRIDE", "SDP_RDMA.D_EW_SURFACE_STRIDE">(
          alu(l.y), mul(l.y));
  }

  void output() {
    l.output = {.offset = g.template i<"SDP.D_CVT_OFFSET.CVT_OFFSET">(),
                .scale = static_cast<std::int16_t>(g.template i<"SDP.D_CVT_SCALE.CVT_SCALE">()),
                .shift = static_cast<std::uint8_t>(g.template u<"SDP.D_CVT_SHIFT.CVT_SHIFT">())};
    if (l.to_pdp) return;
    l.destination =
        whole_cube(m_.select(g.template on<"SDP.D_DST_DMA_CFG.DST_RAM_TYPE">(),
                             "SDP.D_DST_DMA_CFG"),
                   g.template address<"SDP.D_DST_BASE_ADDR_HIGH.DST_BASE_ADDR_HIGH",
                                      "SDP.D_DST_BASE_ADDR_LOW.DST_BASE_ADDR_LOW">(),
                   g.template bytes<"SDP.D_DST_LINE_STRIDE.DST_LINE_STRIDE">(),
                   g.template bytes<"SDP.D_DST_SURFACE_STRIDE.DST_SURFACE_STRIDE">());
    l.destination.check("SDP.D_DST_BASE_ADDR_LOW", atom);
    l.destination.check_no_overlap("SDP.D_DST_LINE_STRIDE");
  }

  view g;
  const view* r;
  memories<Hw>& m_;
  sdp_layer l{};
};

}  // namespace nvdlac::sim
