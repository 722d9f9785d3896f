// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/decode_convolution.hpp>
#include <nvdlac/sim/device_state.hpp>

namespace nvdlac::sim {

// CDMA, CSC, CMAC and CACC: one convolution, taken surface by surface by SDP.
template <hw::hardware Hw>
class convolution_pipeline {
 public:
  // All its units are enabled.
  static bool ready(const device_state<Hw>& s) {
    return std::ranges::all_of(units, [&](unit u) { return s.groups(u).ready(); });
  }

  // Takes the groups of all units: idle again, whatever comes of the layer.
  void take(device_state<Hw>& s) {
    for (std::size_t i = 0; i < units.size(); ++i) group_[i] = s.groups(units[i]).take();
  }

  // Decodes the layer and fills the CBUF. SDP expects a cube of width x height x channels.
  void begin(device_state<Hw>& s, std::uint32_t width, std::uint32_t height,
             std::uint32_t channels) {
    const auto of = [&](std::size_t i) { return group_view<Hw::spec.map>(s.registers, group_[i]); };
    const auto cdma = decode_cdma<Hw>(of(0), s.memories);
    const auto c = decode_convolution<Hw>(of(1), of(2), of(3), of(4), cdma, s.memories.limit);
    require(c.out_width == width && c.out_height == height && c.kernels == channels,
            "SDP.D_DATA_CUBE_WIDTH", "the cube differs from CACC's");
    fill_cbuf(cdma, cbuf_, bytes_);
    core_.prepare(c, cbuf_);
  }

  // What SDP must agree with: the precision of CACC's results (32 bits each; the bits of fp32 for
  // fp16, memory atom / element bytes lanes a surface) and the mode. Valid after begin().
  hw::precision precision() const { return hw::precision::int8; }
  bool winograd() const { return false; }

  // Inputs that share the weights: begin() prepares the first, begin_batch(n) each other one, whose
  // surfaces follow then, from 0.
  std::uint32_t batches() const { return 1; }
  void begin_batch(std::uint32_t) {}

  // Surface `index` of the accumulator's results, 32 bits for SDP.
  void surface(std::size_t index, std::span<std::int32_t> out) {
    core_.surface(index, Hw::spec.memory_atom, Hw::spec.mac_atomic_k, Hw::spec.mac_atomic_c, out);
  }

  void end(device_state<Hw>& s) {
    s.registers.set(group_[4], hw::address<Hw::spec.map, "CACC.D_OUT_SATURATION">,
                    core_.saturated());
    s.template done<"GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0">(group_[0]);
    s.template done<"GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0">(group_[0]);
    s.template done<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">(group_[4]);
  }

  void reset() { cbuf_ = {}; }

 private:
  static constexpr std::array units{unit::cdma, unit::csc, unit::cmac_a, unit::cmac_b, unit::cacc};

  std::array<int, 5> group_{};
  cbuf_contents cbuf_{};
  convolution_core core_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace nvdlac::sim
