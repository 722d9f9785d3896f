// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/memory.hpp>
#include <nvdlac/sim/register_file.hpp>
#include <nvdlac/sim/sdp/layer.hpp>

namespace nvdlac::sim {

// Elements of a surface: those that fill a memory atom.
constexpr std::uint32_t surface_lanes(std::uint32_t atom, hw::precision p) {
  return atom / hw::element_bytes(p);
}

// Cubes of one pixel lie in memory without gaps, whatever their strides say.
inline void pack_single_pixels(tolerance& rules, std::string_view where, cube& c) {
  if (c.width != 1 || c.height != 1) return;
  if (!rules.holds(c.surfaces == 1 || c.surface_stride == c.unit, where, "the surfaces of 1x1 ",
                   "pixels lie side by side, ", c.unit, " bytes apart"))
    c.surface_stride = c.unit;
}

// What one of SDP_RDMA's operand readers is set to, before the sub-unit's wishes are known.
struct sdp_reader {
  bool disabled = true, per_element = false;
  std::uint32_t use = 0, bytes = 1;  // use: 0 MUL, 1 ALU, 2 BOTH
  cube source{};
};

// The operands of a sub-unit that wants `alu` and `mul` from memory.
inline sdp_operands decode_operands(std::string_view where, sdp_reader r, bool alu, bool mul,
                                    std::uint32_t atom, hw::precision proc, tolerance& rules) {
  if (!alu && !mul) {
    require(r.disabled, where, "reads operands that SDP does not take: the reader never ends");
    return {};
  }
  require(!r.disabled, where, "is disabled, but SDP takes operands from memory");
  require(r.use <= 2, where, "DATA_USE=3 does not exist");
  const bool reads_alu = r.use != 0, reads_mul = r.use != 1;
  require(reads_alu == alu && reads_mul == mul, where,
          "DATA_USE does not agree with the operands that SDP takes from memory");
  require(r.bytes == 2 || proc == hw::precision::int8, where,
          "DATA_SIZE: int16 and fp16 have operands of two bytes");
  sdp_operands o{.alu = alu, .mul = mul, .per_element = r.per_element, .bytes = r.bytes,
                 .source = r.source};
  o.source.unit =
      std::uint64_t{surface_lanes(atom, proc)} * r.bytes * (alu && mul ? 2 : 1);
  if (!r.per_element) {  // the operands of all channels side by side
    o.source.width = o.source.height = 1;
    o.source.surface_stride = o.source.unit;
  }
  pack_single_pixels(rules, where, o.source);
  o.source.check(where, atom);
  return o;
}

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

}  // namespace nvdlac::sim
