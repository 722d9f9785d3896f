// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/decode_convolution.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/fill_cbuf.hpp>
#include <nvdlac/sim/fp16_core.hpp>
#include <nvdlac/sim/fp16_winograd_core.hpp>
#include <nvdlac/sim/winograd_core.hpp>

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
    input_ = decode_cdma<Hw>(of(0), s.memories, cbuf_.kept_lines);
    layer_ = decode_convolution<Hw>(of(1), of(2), of(3), of(4), input_, s.memories.settings);
    check_taken(width, height, channels);
    // What fails below leaves nothing to reuse.
    auto held = std::exchange(cbuf_, {});
    filler_.fill(input_, of(1).template count<"CSC.D_RELEASE.RLS_SLICES">(), held);
    cbuf_ = std::move(held);
    saturated_ = 0;
    with_core([&](auto& core) {
      if constexpr (requires { core.set_threads(1); })
        core.set_threads(s.memories.settings.threads);
    });
    begin_batch(0);
  }

  // What SDP must agree with: the precision of CACC's results (32 bits each; the bits of fp32 for
  // fp16, memory atom / element bytes lanes a surface) and the mode. Valid after begin().
  hw::precision precision() const { return layer_.precision; }
  bool winograd() const { return layer_.winograd; }

  // The largest magnitude of integer results.
  std::int64_t magnitude() const {
    constexpr std::int64_t any = std::int64_t{1} << 31, product = std::int64_t{1} << 14;
    if (layer_.precision != hw::precision::int8 || layer_.winograd) return any;
    const auto sum = static_cast<std::int64_t>(layer_.kernel_elements()) * product;
    return std::min(any, round_shift(sum, layer_.truncate));
  }

  // Inputs that share the weights: begin() prepares the first, begin_batch(n) each other one, whose
  // surfaces follow then, from 0.
  std::uint32_t batches() const { return input_.batches; }
  void begin_batch(std::uint32_t n) {
    if (n != 0) with_core([&](auto& core) { saturated_ += core.saturated(); });
    cbuf_.select(n);
    with_core([&](auto& core) { core.prepare(layer_, cbuf_); });
  }

  // The pixels of a surface of results.
  std::size_t pixels() const { return std::size_t{layer_.out_width} * layer_.out_height; }

  // Surface `index` of the accumulator's results, 32 bits for SDP, in one or more parts: f(index of
  // the first result, results).
  template <class F>
  void surface(std::size_t index, const F& f) {
    const auto p = layer_.precision;
    const auto lanes = Hw::spec.memory_atom / hw::element_bytes(p);
    with_core([&](auto& core) {
      if constexpr (requires { core.each_part(index, lanes, index, index, f); }) {
        core.each_part(index, lanes, Hw::spec.kernel_group(p), Hw::spec.mac_atomic_c, f);
      } else {
        values_.resize(std::size_t{layer_.out_width} * layer_.out_height * lanes);
        core.surface(index, lanes, Hw::spec.kernel_group(p), Hw::spec.mac_atomic_c, values_);
        f(std::size_t{0}, std::span<const std::int32_t>(values_));
      }
    });
  }

  void end(device_state<Hw>& s) {
    with_core([&](auto& core) { saturated_ += core.saturated(); });
    filler_.counts.saturated = saturated_;
    constexpr auto map = Hw::spec.map;
    const auto& n = filler_.counts;
    s.registers.set(group_[4], hw::address<map, "CACC.D_OUT_SATURATION">, n.saturated);
    s.registers.set(group_[0], hw::address<map, "CDMA.D_NAN_INPUT_DATA_NUM">, n.nan_data);
    s.registers.set(group_[0], hw::address<map, "CDMA.D_INF_INPUT_DATA_NUM">, n.inf_data);
    s.registers.set(group_[0], hw::address<map, "CDMA.D_NAN_INPUT_WEIGHT_NUM">, n.nan_weights);
    s.registers.set(group_[0], hw::address<map, "CDMA.D_INF_INPUT_WEIGHT_NUM">, n.inf_weights);
    s.template done<"GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0">(group_[0]);
    s.template done<"GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0">(group_[0]);
    s.template done<"GLB.S_INTR_STATUS.CACC_DONE_STATUS0">(group_[4]);
  }

  // After end(): what the layer counted.
  const convolution_counts& counts() const { return filler_.counts; }

  void reset() { cbuf_ = {}; }

 private:
  static constexpr std::array units{unit::cdma, unit::csc, unit::cmac_a, unit::cmac_b, unit::cacc};

  // CACC hands SDP a stream of atoms and says which is the last; SDP counts them through its own
  // cube. So the cubes may differ in shape, but not in the number of atoms: with fewer of CACC SDP
  // waits for ever, with more it ends too early. The channels of an atom come as they are.
  void check_taken(std::uint32_t width, std::uint32_t height, std::uint32_t channels) const {
    const std::uint64_t lanes = Hw::spec.memory_atom / hw::element_bytes(layer_.precision);
    const auto atoms = [&](std::uint64_t w, std::uint64_t h, std::uint64_t c) {
      return w * h * ceil_div(c, lanes);
    };
    const auto given = atoms(layer_.out_width, layer_.out_height, layer_.kernels);
    const auto taken = atoms(width, height, channels);
    require(given == taken, "SDP.D_DATA_CUBE_WIDTH", "the cube has ", taken,
            " atoms of channels, but CACC gives ", given);
    const bool same = layer_.out_width == width && layer_.out_height == height &&
                      layer_.kernels == channels;
    require(same || (!layer_.winograd && input_.batches == 1), "SDP.D_DATA_CUBE_WIDTH",
            "the cube differs from CACC's, which Winograd and batches do not allow");
    require(layer_.kernels % lanes == channels % lanes, "SDP.D_DATA_CUBE_CHANNEL", channels,
            " channels end elsewhere in an atom than the ", layer_.kernels, " kernels of CACC");
  }

  struct none {};
  template <bool Exists, class Core>
  using if_exists = std::conditional_t<Exists, Core, none>;

  // f(the core of the layer's mode and precision).
  template <class F>
  void with_core(F&& f) {
    constexpr auto types = Hw::spec.data_types;
    if constexpr (Hw::spec.winograd && types.fp16)
      if (layer_.winograd && layer_.precision == hw::precision::fp16) return f(fp16_winograd_);
    if constexpr (Hw::spec.winograd)
      if (layer_.winograd) return f(winograd_);
    if constexpr (types.fp16)
      if (layer_.precision == hw::precision::fp16) return f(fp16_);
    if constexpr (types.int16)
      if (layer_.precision == hw::precision::int16) return f(int16_);
    f(int8_);
  }

  std::array<int, 5> group_{};
  cbuf_contents cbuf_{};
  cdma_layer input_{};
  convolution layer_{};
  cbuf_filler<Hw> filler_;
  convolution_core int8_;
  if_exists<Hw::spec.data_types.int16, int16_core> int16_;
  if_exists<Hw::spec.data_types.fp16, fp16_core> fp16_;
  if_exists<Hw::spec.winograd, winograd_core> winograd_;
  if_exists<Hw::spec.winograd && Hw::spec.data_types.fp16, fp16_winograd_core> fp16_winograd_;
  std::vector<std::int32_t> values_;  // of one surface
  std::uint32_t saturated_ = 0;
};

}  // namespace nvdlac::sim
