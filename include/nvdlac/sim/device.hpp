// SPDX-License-Identifier: Apache-2.0
#pragma once
// One NVDLA of a configuration behind its register bus, bit-exact, a whole hardware layer at a
// time. What it does not execute, and what breaks a rule of the hardware, is an nvdlac::error that
// names unit, register and rule.
#include <nvdlac/sim/decode_convolution.hpp>
#include <nvdlac/sim/decode_pdp.hpp>
#include <nvdlac/sim/decode_sdp.hpp>
#include <nvdlac/sim/glb.hpp>
#include <nvdlac/sim/unit_groups.hpp>

namespace nvdlac::sim {

template <hw::hardware Hw>
class device {
 public:
  explicit device(const limits& l = {}) : memories_(l) {}

  // The bus: byte addresses from the base of NVDLA. Writing the last OP_ENABLE of a chain executes
  // the layer: when the call returns, memory and interrupts are those after it. After an error
  // the units of the refused layer are idle.
  void write(std::uint32_t address, std::uint32_t value) {
    const auto& r = register_file<map>::at(address);
    value &= r.write_mask;
    if (address == hw::address<map, "GLB.S_INTR_MASK">) glb_.mask = value;
    else if (address == hw::address<map, "GLB.S_INTR_SET">) glb_.raise(value);
    else if (address == hw::address<map, "GLB.S_INTR_STATUS">) glb_.clear(value);
    else if (const auto u = find_unit(r.unit)) write_unit(*u, r, value);
    else write_other(r, value);
  }

  std::uint32_t read(std::uint32_t address) {
    const auto& r = register_file<map>::at(address);
    if (address == hw::address<map, "GLB.S_INTR_MASK">) return glb_.mask;
    if (address == hw::address<map, "GLB.S_INTR_STATUS">) return glb_.status;
    if (address == hw::address<map, "CDMA.S_CBUF_FLUSH_STATUS">) return 1;
    const auto u = find_unit(r.unit);
    if (!u) return registers_.word(0, address);
    const auto& g = groups(*u);
    if (r.name == "S_STATUS") return g.status();
    if (r.name == "S_POINTER") return g.pointer();
    if (r.name == "D_OP_ENABLE") return g.enabled[static_cast<std::size_t>(g.producer)];
    return registers_.word(r.name.starts_with("D_") ? g.producer : 0, address);
  }

  // Executes every layer whose units are all enabled; whether there was one.
  bool run() {
    bool any = false;
    while (run_sdp() || run_pdp() || end_idle_reader()) any = true;
    return any;
  }

  bool interrupt() const { return glb_.line(); }

  // The enabled units that wait for others: "CACC CMAC_A", empty if none.
  std::string waiting() const {
    std::string s;
    for (std::size_t i = 0; i < groups_.size(); ++i)
      if (groups_[i].enabled[0] || groups_[i].enabled[1])
        s += (s.empty() ? "" : " ") + std::string(unit_names[i]);
    return s;
  }

  // Registers, CBUF and interrupts as after power-on; memories keep their contents.
  void reset() {
    registers_ = {};
    groups_ = {};
    glb_ = {};
    cbuf_ = {};
  }

  memory& dram() { return memories_.dram; }
  memory& cvsram() { return memories_.cvsram; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr std::size_t lanes = Hw::spec.memory_atom;  // of a surface, int8
  using view = group_view<map>;

  unit_groups& groups(unit u) { return groups_[static_cast<std::size_t>(u)]; }
  view active(unit u) { return {registers_, groups(u).consumer}; }

  void write_unit(unit u, const hw::reg& r, std::uint32_t value) {
    auto& g = groups(u);
    if (r.name == "S_POINTER") {
      g.producer = static_cast<int>(value & 1);
    } else if (!r.name.starts_with("D_")) {
      registers_.set(0, r.address, value);
    } else if (const auto producer = static_cast<std::size_t>(g.producer);
               r.name == "D_OP_ENABLE") {
      if ((value & 1) == 0) return;
      require_simulated(u);
      require(!g.enabled[producer], text(r.unit, ".", r.name), "group ", g.producer,
              " is already enabled");
      g.enabled[producer] = true;
      run();
    } else if (r.write_mask != 0) {
      require(!g.enabled[producer], text(r.unit, ".", r.name), "written while group ", g.producer,
              " is enabled");
      registers_.set(g.producer, r.address, value);
    }
  }

  void write_other(const hw::reg& r, std::uint32_t value) {
    if (r.unit == "BDMA" && r.name.starts_with("CFG_LAUNCH") && value != 0)
      refuse(text(r.unit, ".", r.name), Hw::spec.bdma ? "BDMA is not simulated"
                                                      : "this configuration has no BDMA");
    if (r.write_mask != 0) registers_.set(0, r.address, value);
  }

  static void require_simulated(unit u) {
    const auto refuse_unit = [&](bool exists) {
      refuse(text(name(u), ".D_OP_ENABLE"),
             exists ? "this unit is not simulated" : "this configuration does not have the unit");
    };
    if (u == unit::cdp || u == unit::cdp_rdma) refuse_unit(Hw::spec.has_cdp());
    if (u == unit::rubik) refuse_unit(Hw::spec.rubik);
    if ((u == unit::pdp || u == unit::pdp_rdma) && !Hw::spec.has_pdp()) refuse_unit(false);
  }

  template <fixed_string Group0>
  void done(int group) {
    glb_.raise(hw::field_of<map, Group0>.mask() << group);
  }

  // SDP's reader ends at once if it is enabled with nothing to read. PDP's always reads.
  bool end_idle_reader() {
    if (auto& g = groups(unit::sdp_rdma); g.ready()) {
      const auto v = active(unit::sdp_rdma);
      if (v.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() &&
          v.template on<"SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE">() &&
          v.template on<"SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE">() &&
          (!Hw::spec.has_ew() || v.template on<"SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE">())) {
        g.take();
        return true;
      }
    }
    return false;
  }

  // PDP from memory. PDP_RDMA.D_FLYING_MODE drives nothing in the hardware, and the public firmware
  // leaves it 0.
  bool run_pdp() {
    auto &p = groups(unit::pdp), &r = groups(unit::pdp_rdma);
    if (!p.ready() || !r.ready()) return false;
    const auto pdp = active(unit::pdp), rdma = active(unit::pdp_rdma);
    if (!pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">()) return false;
    const int group = p.take();
    r.take();
    const auto l = pdp_decoder<Hw>(pdp, &rdma, memories_).decode();
    narrow_.resize(std::size_t{l.width} * l.height * lanes);
    for (std::size_t s = 0; s * lanes < l.channels; ++s) {
      read_surface(l.source, s, as_bytes(narrow_));
      pool(l, s);
    }
    done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(group);
    return true;
  }

  // SDP with its input from memory or from a convolution, its output to memory or to PDP.
  bool run_sdp() {
    if (!groups(unit::sdp).ready()) return false;
    const auto sdp = active(unit::sdp), rdma = active(unit::sdp_rdma), pdp = active(unit::pdp);
    const bool flying = sdp.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    const bool to_pdp = sdp.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    const bool reads = sdp_decoder<Hw>(sdp, nullptr, memories_).needs_rdma();
    if (reads && !groups(unit::sdp_rdma).ready()) return false;
    if (flying)
      for (const auto u : convolution_units)
        if (!groups(u).ready()) return false;
    if (to_pdp && (!groups(unit::pdp).ready() ||
                   pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">()))
      return false;

    const int group = groups(unit::sdp).take();
    if (reads) groups(unit::sdp_rdma).take();
    const int pdp_group = to_pdp ? groups(unit::pdp).take() : 0;
    const auto conv_group = flying ? take_convolution() : std::array<int, 5>{};

    const auto l = sdp_decoder<Hw>(sdp, reads ? &rdma : nullptr, memories_).decode();
    pdp_layer p;
    if (to_pdp) {
      p = pdp_decoder<Hw>(pdp, nullptr, memories_).decode();
      require(p.width == l.width && p.height == l.height && p.channels == l.channels,
              "PDP.D_DATA_CUBE_IN_WIDTH", "the cube differs from SDP's");
    }
    if (flying) begin_convolution(conv_group, l);
    sdp_surfaces(l, p);
    if (flying) end_convolution(conv_group);
    done<"GLB.S_INTR_STATUS.SDP_DONE_STATUS0">(group);
    if (to_pdp) done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(pdp_group);
    return true;
  }

  void sdp_surfaces(const sdp_layer& l, const pdp_layer& p) {
    const auto elements = std::size_t{l.width} * l.height * lanes;
    wide_.resize(elements);
    narrow_.resize(elements);
    for (std::size_t s = 0; s * lanes < l.channels; ++s) {
      if (l.flying)
        core_.surface(s, lanes, Hw::spec.mac_atomic_k, Hw::spec.mac_atomic_c, wide_);
      else
        sdp_.read_source(l, s, wide_);
      sdp_.surface(l, s, lanes, wide_, narrow_);
      if (l.to_pdp) pool(p, s);
      else write_surface(l.destination, s, as_bytes(narrow_));
    }
  }

  void pool(const pdp_layer& l, std::size_t s) {
    pooled_.resize(std::size_t{l.out_width} * l.out_height * lanes);
    pdp_.surface(l, lanes, narrow_, pooled_);
    write_surface(l.destination, s, as_bytes(pooled_));
  }

  static constexpr std::array convolution_units{unit::cdma, unit::csc, unit::cmac_a, unit::cmac_b,
                                                unit::cacc};

  std::array<int, 5> take_convolution() {
    std::array<int, 5> taken{};
    for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = groups(convolution_units[i]).take();
    return taken;
  }

  void begin_convolution(const std::array<int, 5>& group, const sdp_layer& l) {
    const auto of = [&](std::size_t i) { return view(registers_, group[i]); };
    const auto cdma = decode_cdma<Hw>(of(0), memories_);
    const auto c =
        decode_convolution<Hw>(of(1), of(2), of(3), of(4), cdma, memories_.limit);
    require(c.out_width == l.width && c.out_height == l.height && c.kernels == l.channels,
            "SDP.D_DATA_CUBE_WIDTH", "the cube differs from CACC's");
    fill_cbuf(cdma, cbuf_, bytes_);
    core_.prepare(c, cbuf_);
  }

  void end_convolution(const std::array<int, 5>& group) {
    registers_.set(group[4], hw::address<map, "CACC.D_OUT_SATURATION">, core_.saturated());
    done<"GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0">(group[0]);
    done<"GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0">(group[0]);
    done<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">(group[4]);
  }

  static std::span<std::uint8_t> as_bytes(std::vector<std::int8_t>& v) {
    return {reinterpret_cast<std::uint8_t*>(v.data()), v.size()};
  }

  memories<Hw> memories_;
  register_file<map> registers_;
  std::array<unit_groups, unit_names.size()> groups_{};
  glb glb_{};
  cbuf_contents cbuf_{};
  convolution_core core_;
  sdp_engine sdp_;
  pdp_engine pdp_;
  // Of one surface: SDP's input, SDP's output or PDP's input, PDP's output; and a scratch.
  std::vector<std::int32_t> wide_;
  std::vector<std::int8_t> narrow_, pooled_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace nvdlac::sim
