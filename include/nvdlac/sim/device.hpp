// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/hw/units.hpp>
#include <nvdlac/sim/bdma.hpp>
#include <nvdlac/sim/cdp/pipeline.hpp>
#include <nvdlac/sim/cfgrom.hpp>
#include <nvdlac/sim/layer_account.hpp>
#include <nvdlac/sim/rubik.hpp>
#include <nvdlac/sim/sdp/pipeline.hpp>

namespace nvdlac::sim {

// One NVDLA of a configuration behind its register bus, bit-exact, a whole hardware layer at a
// time. What it does not execute, and what breaks a rule of the hardware, is an nvdlac::error that
// names unit, register and rule; with settings::lenient, what the hardware survives is a warning.
template <hw::hardware Hw>
class device {
 public:
  explicit device(const settings& s = {}) : state_(s) {}

  // The bus: byte addresses from the base of NVDLA. Writing the last OP_ENABLE of a chain executes
  // the layer: when the call returns, memory and interrupts are those after it. After an error
  // the units of the refused layer are idle.
  void write(std::uint32_t address, std::uint32_t value) {
    if (in_cfgrom(address)) return;
    const auto* r = reach(address);
    if (r == nullptr || r->write_mask == 0) return;  // what can only be read stays as it is
    check_unit(*r, value);
    value &= r->write_mask;
    if (address == hw::address<map, "GLB.S_INTR_MASK">) state_.interrupts.mask = value;
    else if (address == hw::address<map, "GLB.S_INTR_SET">) state_.interrupts.raise(value);
    else if (address == hw::address<map, "GLB.S_INTR_STATUS">) clear_interrupts(value);
    else if (const auto u = find_unit(r->unit)) write_unit(*u, *r, value);
    else write_other(*r, value);
  }

  std::uint32_t read(std::uint32_t address) {
    if (in_cfgrom(address)) return rom.word(address);
    const auto* r = reach(address);
    if (r == nullptr) return 0;
    if (address == hw::address<map, "GLB.S_INTR_MASK">) return state_.interrupts.mask;
    if (address == hw::address<map, "GLB.S_INTR_STATUS">) return state_.interrupts.status;
    if (address == hw::address<map, "CDMA.S_CBUF_FLUSH_STATUS">) {
      if (state_.flight) state_.flight->observe_flush();
      return 1;
    }
    if constexpr (Hw::spec.bdma)
      if (address == hw::address<map, "BDMA.STATUS">) return bdma_.status();
    const auto u = find_unit(r->unit);
    if (!u) return state_.registers.word(0, address);
    const auto& g = state_.groups(*u);
    if (r->name == "S_STATUS") return status(*u);
    if (r->name == "S_POINTER") return g.pointer();
    if (r->name == "S_LUT_ACCESS_CFG") return state_.lut(*u).configuration();
    if (r->name == "S_LUT_ACCESS_DATA") return state_.lut(*u).read();
    if (r->name == "D_OP_ENABLE") return g.enabled[static_cast<std::size_t>(g.producer)];
    return state_.registers.word(r->name.starts_with("D_") ? g.producer : 0, address);
  }

  // The program has seen these interrupts (GLB.S_INTR_STATUS), and relies on it.
  void observe(std::uint32_t interrupts) {
    if (state_.flight) state_.flight->observe(interrupts);
  }
  // Returns those of the interrupts that a program may see before the others.
  std::uint32_t first_of(std::uint32_t interrupts) const {
    return state_.flight ? state_.flight->oldest_of(interrupts) : interrupts;
  }
  // The program has seen these bits of a unit's S_STATUS at 0, and relies on it.
  void observe_idle(const hw::reg& status, std::uint32_t bits) {
    const auto u = find_unit(status.unit);
    if (!u || !state_.flight) return;
    if ((bits & 0x3) == 0x3) state_.flight->observe_idle(*u, 0);
    if ((bits & 0x30000) == 0x30000) state_.flight->observe_idle(*u, 1);
  }
  // The program itself reads or writes these bytes of one of the device's memories.
  void host_read(const memory& m, std::uint64_t address, std::span<std::uint8_t> bytes) {
    if (state_.flight)
      state_.flight->host_reads(is_cvsram(m), address, bytes.size(), state_.memories.timing);
    m.read(address, bytes);
  }
  void host_write(memory& m, std::uint64_t address, std::span<const std::uint8_t> bytes) {
    before_host_write(m, address, bytes.size());
    m.write(address, bytes);
  }
  void host_fill(memory& m, std::uint64_t address, std::uint64_t size, std::uint8_t value) {
    before_host_write(m, address, size);
    m.fill(address, size, value);
  }

  // Executes every layer whose units are all enabled; whether there was one.
  bool run() {
    bool any = false;
    while (step()) any = true;
    return any;
  }

  bool interrupt() const { return state_.interrupts.line(); }

  // Runs until the interrupt line is raised or nothing is left to do. Whether it is raised.
  bool run_until_interrupt() {
    run();
    return interrupt();
  }

  // The rules that were broken since the last call, and tolerated.
  std::vector<std::string> take_warnings() {
    auto all = state_.memories.rules.take_warnings();
    std::ranges::move(state_.memories.timing.take_warnings(), std::back_inserter(all));
    return all;
  }

  // `f` is called after each executed layer.
  void on_layer(std::function<void(const layer_record&)> f) { state_.on_layer = std::move(f); }

  // The enabled units that wait for others: "CACC CMAC_A", empty if none.
  std::string waiting() const {
    std::string s;
    for (std::size_t i = 0; i < unit_names.size(); ++i)
      if (const auto& g = state_.groups(unit(i)); g.enabled[0] || g.enabled[1])
        s += (s.empty() ? "" : " ") + std::string(unit_names[i]);
    return s;
  }

  // For who waits and writes nothing meanwhile: a unit does not start with the other group than
  // that whose turn it is. It then waits for ever, which is refused.
  void require_turns() const {
    for (std::size_t i = 0; i < unit_names.size(); ++i) {
      const auto& g = state_.groups(unit(i));
      const auto other = g.consumer ^ 1;
      require(g.ready() || !g.enabled[static_cast<std::size_t>(other)],
              text(unit_names[i], ".S_POINTER"), "group ", other,
              " is enabled, but the unit stands at group ", g.consumer, " and waits for ever");
    }
  }

  // Registers, CBUF and interrupts as after power-on; memories keep their contents.
  void reset() {
    state_.reset();
    convolution_.reset();
    if constexpr (Hw::spec.bdma) bdma_.reset();
  }

  // The contents that the programs so far left in the CBUF for ever.
  cbuf_leak leak() const { return convolution_.leak(); }

  memory& dram() { return state_.memories.dram; }
  memory& cvsram() { return state_.memories.cvsram; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr sim::cfgrom rom{nv_small::spec};

  bool is_cvsram(const memory& m) const { return &m == &state_.memories.cvsram; }
  void before_host_write(const memory& m, std::uint64_t address, std::uint64_t size) {
    if (state_.flight)
      state_.flight->host_writes(is_cvsram(m), address, size, state_.memories.timing);
  }

  // The bus as a whole: where nothing answers, the hardware reads 0 and ignores writes.
  const hw::reg* reach(std::uint32_t address) {
    const auto* r = hw::find(map, address);
    if (r != nullptr && hw::has_unit(Hw::spec, r->unit)) [[likely]] return r;
    if (r == nullptr)
      rules().holds(false, "register bus", "no register at the address 0x", std::hex, address);
    else
      rules().holds(false, text(r->unit, '.', r->name),
                    "this configuration does not have the unit");
    return nullptr;
  }

  // The first words of the map are a ROM in the configurations that have one.
  static constexpr bool in_cfgrom(std::uint32_t address) {
    return map == hw::register_map::small && address < cfgrom::size && address % 4 == 0;
  }

  // Addresses and strides have no bits below their unit.
  void check_unit(const hw::reg& r, std::uint32_t value) {
    const auto& f = r.fields.front();
    if (r.fields.size() == 1 && f.msb == 31 && f.lsb != 0 && (value & ~f.mask()) != 0)
      rules().holds(false, text(r.unit, '.', r.name), "0x", std::hex, value,
                    " is not a multiple of 0x", 1u << f.lsb);
  }

  tolerance& rules() { return state_.memories.rules; }

  void clear_interrupts(std::uint32_t which) {
    state_.interrupts.clear(which);
    convolution_.delivery().cleared(which);
  }

  std::uint32_t status(unit u) {
    const auto now = state_.groups(u).status();
    if (now == 0 && (u == unit::sdp || u == unit::pdp)) convolution_.delivery().empty();
    return now;
  }

  void write_unit(unit u, const hw::reg& r, std::uint32_t value) {
    auto& g = state_.groups(u);
    if (r.name == "S_POINTER") {
      g.producer = static_cast<int>(value & 1);
      return;
    }
    if (state_.flight) {
      auto& timing = state_.memories.timing;
      const auto where = text(r.unit, '.', r.name);
      if (r.name.starts_with("S_LUT")) state_.flight->write_table(u, where, timing);
      else if (r.name.starts_with("D_")) state_.flight->configure(u, g.producer, where, timing);
    }
    if (r.name == "S_LUT_ACCESS_CFG")
      return state_.lut(u).configure(text(r.unit, '.', r.name), value);
    if (r.name == "S_LUT_ACCESS_DATA") return state_.lut(u).write(value);
    if (!r.name.starts_with("D_")) return state_.registers.set(0, r.address, value);
    auto& enabled = g.enabled[static_cast<std::size_t>(g.producer)];
    const bool enable = r.name == "D_OP_ENABLE";
    if (enable && (value & 1) == 0) return;
    if (enabled) {
      rules().holds(false, text(r.unit, ".", r.name), enable ? "group " : "written while group ",
                    g.producer, enable ? " is already enabled" : " is enabled");
    } else if (enable) {
      enabled = true;
      if (state_.flight)
        state_.flight->enable(u, g.producer, text(r.unit, '.', r.name), state_.memories.timing);
      run();
    } else {
      state_.registers.set(g.producer, r.address, value);
    }
  }

  // MCIF and CVIF serve the clients of a read or write weight of 0 never (seen on nv_full's RTL).
  void check_weights(const hw::reg& r, std::uint32_t value) {
    if (!r.name.starts_with("CFG_RD_WEIGHT") && !r.name.starts_with("CFG_WR_WEIGHT")) return;
    for (const auto& f : r.fields) {
      const auto client = f.name.substr(std::string_view("RD_WEIGHT_").size());
      const bool there = !client.starts_with("RSV") && (Hw::spec.bdma || client != "BDMA") &&
                         (Hw::spec.rubik || client != "RBK") &&
                         (Hw::spec.has_ew() || client != "SDP_E") &&
                         (Hw::spec.has_cdp() || client != "CDP");
      rules().holds(!there || f.extract(value) != 0, text(r.unit, '.', r.name, '.', f.name),
                    "0, by which its client is never served");
    }
  }
  void write_other(const hw::reg& r, std::uint32_t value) {
    check_weights(r, value);
    state_.registers.set(0, r.address, value);
    if constexpr (Hw::spec.bdma)
      if (r.unit == "BDMA") {
        const recording on(state_.memories);
        bdma_.write(state_, r, value);
      }
  }

  bool run_cdp() {
    if constexpr (Hw::spec.has_cdp()) return cdp_.run(state_);
    return false;
  }
  // Executes one layer, if there is one. One that is refused raises no interrupt.
  bool step() {
    const auto status = state_.interrupts.status;
    const recording on(state_.memories);
    try {
      return execute();
    } catch (...) {
      state_.interrupts.status = status;
      throw;
    }
  }

  // Records what is read and written while it lives, where that is asked for.
  class recording {
   public:
    explicit recording(sim::memories<Hw>& m) : memories_(m) {
      if (m.any_timing()) m.record(true);
    }
    ~recording() {
      if (!memories_.any_timing()) return;
      memories_.record(false);
      memories_.take_accesses();
    }
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;

   private:
    sim::memories<Hw>& memories_;
  };

  bool execute() {
    const auto before = state_.consumers();
    const bool fetched = fetch();
    if (!sdp_.run(state_, convolution_, pdp_) && !pdp_.run(state_) && !run_cdp() && !run_rubik())
      return fetched;
    convolution_.delivery().executed(before, state_.consumers());
    if (state_.flight)
      state_.flight->executed(before, state_.consumers(), convolution_.last_fetch(),
                              state_.memories.take_accesses(), state_.memories.timing);
    if (state_.on_layer) account(before);
    return true;
  }

  bool fetch() try {
    return convolution_.fetch(state_);
  } catch (...) {
    if (state_.groups(unit::cdma).ready()) state_.groups(unit::cdma).take();
    sdp_.drop(state_, convolution_, pdp_);
    throw;
  }

  // `groups`: the consumer of each unit before. The units whose consumer changed took part.
  void account(typename layer_account<Hw>::groups groups) {
    const auto now = state_.consumers();
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i] == now[i]) groups[i] = -1;
    auto record = layer_account<Hw>(state_.registers, groups)
                      .record(sdp_.counts(), convolution_.fetched());
    if (!record.units.empty()) state_.on_layer(record);  // Rubik accounts for itself
  }

  bool run_rubik() {
    if constexpr (Hw::spec.rubik) return rubik_.run(state_);
    return false;
  }

  device_state<Hw> state_;
  convolution_pipeline<Hw> convolution_;
  sdp_pipeline<Hw> sdp_;
  pdp_pipeline<Hw> pdp_;
  if_exists<Hw::spec.has_cdp(), cdp_pipeline<Hw>> cdp_;
  if_exists<Hw::spec.bdma, bdma_pipeline<Hw>> bdma_;
  if_exists<Hw::spec.rubik, rubik_pipeline<Hw>> rubik_;
};

}  // namespace nvdlac::sim
