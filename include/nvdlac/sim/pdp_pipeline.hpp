// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/decode_pdp.hpp>
#include <nvdlac/sim/device_state.hpp>

namespace nvdlac::sim {

// PDP with its input from memory, or surface by surface from SDP.
template <hw::hardware Hw>
class pdp_pipeline {
 public:
  // Executes a layer from memory if there is one. PDP_RDMA.D_FLYING_MODE drives nothing in the
  // hardware, and the public firmware leaves it 0.
  bool run(device_state<Hw>& s) {
    auto &p = s.groups(unit::pdp), &r = s.groups(unit::pdp_rdma);
    if (!p.ready() || !r.ready()) return false;
    const auto pdp = s.active(unit::pdp), rdma = s.active(unit::pdp_rdma);
    if (!pdp.template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">()) return false;
    group_ = p.take();
    r.take();
    layer_ = pdp_decoder<Hw>(pdp, &rdma, s.memories).decode();
    in_.resize(std::size_t{layer_.width} * layer_.height * lanes);
    for (std::size_t i = 0; i * lanes < layer_.channels; ++i) {
      read_surface(layer_.source, i, in_);
      surface(i, in_);
    }
    end(s);
    return true;
  }

  // PDP waits for SDP.
  static bool flying_ready(const device_state<Hw>& s) {
    return s.groups(unit::pdp).ready() &&
           !s.active(unit::pdp).template on<"PDP.D_OPERATION_MODE_CFG.FLYING_MODE">();
  }

  // The layer behind SDP: `take` it, `begin` it, then every surface in order, then `end`.
  void take(device_state<Hw>& s) { group_ = s.groups(unit::pdp).take(); }
  void begin(device_state<Hw>& s, std::uint32_t width, std::uint32_t height,
             std::uint32_t channels) {
    const group_view<Hw::spec.map> pdp(s.registers, group_);
    layer_ = pdp_decoder<Hw>(pdp, nullptr, s.memories).decode();
    require(layer_.width == width && layer_.height == height && layer_.channels == channels,
            "PDP.D_DATA_CUBE_IN_WIDTH", "the cube differs from SDP's");
  }
  void surface(std::size_t index, std::span<const std::uint8_t> in) {
    out_.resize(std::size_t{layer_.out_width} * layer_.out_height * lanes);
    engine_.surface(layer_, lanes, {reinterpret_cast<const std::int8_t*>(in.data()), in.size()},
                    {reinterpret_cast<std::int8_t*>(out_.data()), out_.size()});
    write_surface(layer_.destination, index, out_);
  }
  void end(device_state<Hw>& s) {
    s.template done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(group_);
  }

 private:
  static constexpr std::size_t lanes = Hw::spec.memory_atom;

  int group_ = 0;
  pdp_layer layer_{};
  pdp_engine engine_;
  std::vector<std::uint8_t> in_, out_;  // of one surface
};

}  // namespace nvdlac::sim
