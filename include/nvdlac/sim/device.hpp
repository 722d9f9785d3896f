// SPDX-License-Identifier: Apache-2.0
#pragma once
// One NVDLA of a configuration behind its register bus, bit-exact, a whole hardware layer at a
// time. What it does not execute, and what breaks a rule of the hardware, is an nvdlac::error that
// names unit, register and rule.
#include <nvdlac/sim/sdp_pipeline.hpp>

namespace nvdlac::sim {

template <hw::hardware Hw>
class device {
 public:
  explicit device(const limits& l = {}) : state_(l) {}

  // The bus: byte addresses from the base of NVDLA. Writing the last OP_ENABLE of a chain executes
  // the layer: when the call returns, memory and interrupts are those after it. After an error
  // the units of the refused layer are idle.
  void write(std::uint32_t address, std::uint32_t value) {
    const auto& r = register_file<map>::at(address);
    value &= r.write_mask;
    if (address == hw::address<map, "GLB.S_INTR_MASK">) state_.interrupts.mask = value;
    else if (address == hw::address<map, "GLB.S_INTR_SET">) state_.interrupts.raise(value);
    else if (address == hw::address<map, "GLB.S_INTR_STATUS">) state_.interrupts.clear(value);
    else if (const auto u = find_unit(r.unit)) write_unit(*u, r, value);
    else write_other(r, value);
  }

  std::uint32_t read(std::uint32_t address) {
    const auto& r = register_file<map>::at(address);
    if (address == hw::address<map, "GLB.S_INTR_MASK">) return state_.interrupts.mask;
    if (address == hw::address<map, "GLB.S_INTR_STATUS">) return state_.interrupts.status;
    if (address == hw::address<map, "CDMA.S_CBUF_FLUSH_STATUS">) return 1;
    const auto u = find_unit(r.unit);
    if (!u) return state_.registers.word(0, address);
    const auto& g = state_.groups(*u);
    if (r.name == "S_STATUS") return g.status();
    if (r.name == "S_POINTER") return g.pointer();
    if (r.name == "D_OP_ENABLE") return g.enabled[static_cast<std::size_t>(g.producer)];
    return state_.registers.word(r.name.starts_with("D_") ? g.producer : 0, address);
  }

  // Executes every layer whose units are all enabled; whether there was one.
  bool run() {
    bool any = false;
    while (sdp_.run(state_, convolution_, pdp_) || pdp_.run(state_)) any = true;
    return any;
  }

  bool interrupt() const { return state_.interrupts.line(); }

  // The enabled units that wait for others: "CACC CMAC_A", empty if none.
  std::string waiting() const {
    std::string s;
    for (std::size_t i = 0; i < unit_names.size(); ++i)
      if (const auto& g = state_.groups(unit(i)); g.enabled[0] || g.enabled[1])
        s += (s.empty() ? "" : " ") + std::string(unit_names[i]);
    return s;
  }

  // Registers, CBUF and interrupts as after power-on; memories keep their contents.
  void reset() {
    state_.reset();
    convolution_.reset();
  }

  memory& dram() { return state_.memories.dram; }
  memory& cvsram() { return state_.memories.cvsram; }

 private:
  static constexpr auto map = Hw::spec.map;

  void write_unit(unit u, const hw::reg& r, std::uint32_t value) {
    auto& g = state_.groups(u);
    if (r.name == "S_POINTER") {
      g.producer = static_cast<int>(value & 1);
    } else if (!r.name.starts_with("D_")) {
      state_.registers.set(0, r.address, value);
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
      state_.registers.set(g.producer, r.address, value);
    }
  }

  void write_other(const hw::reg& r, std::uint32_t value) {
    if (r.unit == "BDMA" && r.name.starts_with("CFG_LAUNCH") && value != 0)
      refuse(text(r.unit, ".", r.name), Hw::spec.bdma ? "BDMA is not simulated"
                                                      : "this configuration has no BDMA");
    if (r.write_mask != 0) state_.registers.set(0, r.address, value);
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

  device_state<Hw> state_;
  convolution_pipeline<Hw> convolution_;
  sdp_pipeline<Hw> sdp_;
  pdp_pipeline<Hw> pdp_;
};

}  // namespace nvdlac::sim
