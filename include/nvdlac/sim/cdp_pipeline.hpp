// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/decode_cdp.hpp>
#include <nvdlac/sim/device_state.hpp>

namespace nvdlac::sim {

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
