// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/decode_rubik.hpp>
#include <nvdlac/sim/device_state.hpp>

namespace nvdlac::sim {

// Rubik: always from memory to memory.
template <hw::hardware Hw>
class rubik_pipeline {
 public:
  // Executes a layer if one is enabled.
  bool run(device_state<Hw>& s) {
    auto& g = s.groups(unit::rubik);
    if (!g.ready()) return false;
    const int group = g.take();
    const auto l = decode_rubik<Hw>(group_view<Hw::spec.map>(s.registers, group), s.memories);
    engine_.run(l);
    record(s, l);
    s.template done<"GLB.S_INTR_STATUS.RUBIK_DONE_STATUS0">(group);
    return true;
  }

 private:
  static void record(device_state<Hw>& s, const rubik_layer& l) {
    const auto precision = l.element == 1 ? hw::precision::int8 : hw::precision::int16;
    s.layer = {.units = "RBK",
               .in = {l.width, l.height, l.in_channels, 1, precision},
               .out = {l.width * l.x_stride, l.height * l.y_stride, l.channels, 1, precision}};
    const auto cube = l.line_bytes() * l.height * l.surfaces() * l.x_stride * l.y_stride;
    const auto rows = std::uint64_t{l.channels} * l.height * l.padded_row_bytes();
    s.count_read(client::rubik, l.source.ram, l.mode == rubik_mode::merge ? rows : cube);
    s.count_write(client::rubik, l.destination.ram, l.mode == rubik_mode::split ? rows : cube);
    s.end_layer();
  }

  rubik_engine engine_;
};

}  // namespace nvdlac::sim
