// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/pdp/decode.hpp>
#include <nvdlac/sim/pdp/engine.hpp>

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
    floats_.statistics = {};
    in_.resize(static_cast<std::size_t>(layer_.source.surface_bytes()));
    for (std::size_t i = 0; i < layer_.source.surfaces; ++i) {
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
             std::uint32_t channels, hw::precision precision) {
    const group_view<Hw::spec.map> pdp(s.registers, group_);
    layer_ = pdp_decoder<Hw>(pdp, nullptr, s.memories).decode();
    floats_.statistics = {};
    require(layer_.width == width && layer_.height == height && layer_.channels == channels,
            "PDP.D_DATA_CUBE_IN_WIDTH", "the cube differs from SDP's");
    require(layer_.precision == precision, "PDP.D_DATA_FORMAT.INPUT_DATA",
            "differs from what SDP writes");
  }
  void surface(std::size_t index, std::span<const std::uint8_t> in) {
    out_.resize(static_cast<std::size_t>(layer_.destination.surface_bytes()));
    if (layer_.precision == hw::precision::int8)
      int8_.surface(layer_, atom, {reinterpret_cast<const std::int8_t*>(in.data()), in.size()},
                    {reinterpret_cast<std::int8_t*>(out_.data()), out_.size()});
    else words(in);
    write_surface(layer_.destination, index, out_);
  }
  void end(device_state<Hw>& s) {
    report(s);
    s.template done<"GLB.S_INTR_STATUS.PDP_DONE_STATUS0">(group_);
  }

 private:
  static constexpr std::size_t atom = Hw::spec.memory_atom;

  // A surface of elements of 16 bits.
  void words(std::span<const std::uint8_t> in) {
    words_in_.resize(in.size() / 2);
    words_out_.resize(out_.size() / 2);
    for (std::size_t i = 0; i < words_in_.size(); ++i)
      words_in_[i] = static_cast<std::uint16_t>(in[2 * i] | in[2 * i + 1] << 8);
    if (layer_.precision == hw::precision::int16) {
      if constexpr (Hw::spec.data_types.int16)
        int16_.surface(
            layer_, atom / 2,
            {reinterpret_cast<const std::int16_t*>(words_in_.data()), words_in_.size()},
            {reinterpret_cast<std::int16_t*>(words_out_.data()), words_out_.size()});
    } else {
      if constexpr (Hw::spec.data_types.fp16)
        floats_.surface(layer_, atom / 2, words_in_, words_out_);
    }
    for (std::size_t i = 0; i < words_out_.size(); ++i) {
      out_[2 * i] = static_cast<std::uint8_t>(words_out_[i]);
      out_[2 * i + 1] = static_cast<std::uint8_t>(words_out_[i] >> 8);
    }
  }

  void report(device_state<Hw>& s) const {
    constexpr auto map = Hw::spec.map;
    const auto set = [&](std::uint32_t address, std::uint64_t value) {
      s.registers.set(group_, address,
                      static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX)));
    };
    set(hw::address<map, "PDP.D_NAN_INPUT_NUM">, floats_.statistics.nan_inputs);
    set(hw::address<map, "PDP.D_INF_INPUT_NUM">, floats_.statistics.infinite_inputs);
    set(hw::address<map, "PDP.D_NAN_OUTPUT_NUM">, floats_.statistics.nan_outputs);
  }

  int group_ = 0;
  pdp_layer layer_{};
  pdp_engine int8_;
  pdp_integers<std::int16_t, std::int32_t> int16_;
  pdp_floats floats_;
  std::vector<std::uint8_t> in_, out_;  // of one surface
  std::vector<std::uint16_t> words_in_, words_out_;
};

}  // namespace nvdlac::sim
