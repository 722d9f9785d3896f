// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/conv/pipeline.hpp>
#include <nvdlac/sim/lut.hpp>
#include <nvdlac/sim/pdp/pipeline.hpp>
#include <nvdlac/sim/sdp/decode.hpp>
#include <nvdlac/sim/sdp/engine.hpp>

namespace nvdlac::sim {

// SDP with its input from memory or from a convolution, its output to memory or to PDP.
template <hw::hardware Hw>
class sdp_pipeline {
 public:
  // A convolution cannot be fetched: its layer is refused, and all its units are idle again.
  void drop(device_state<Hw>& s, convolution_pipeline<Hw>& convolution, pdp_pipeline<Hw>& pdp) {
    if (!s.groups(unit::sdp).ready() || !convolution_pipeline<Hw>::enabled(s)) return;
    const auto sdp = s.active(unit::sdp);
    if (!sdp.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">()) return;
    s.groups(unit::sdp).take();
    if (s.groups(unit::sdp_rdma).ready()) s.groups(unit::sdp_rdma).take();
    if (sdp.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">() &&
        pdp_pipeline<Hw>::flying_ready(s))
      pdp.take(s);
    convolution.take(s);
  }

  // Executes a layer if its units are all enabled.
  bool run(device_state<Hw>& s, convolution_pipeline<Hw>& convolution, pdp_pipeline<Hw>& pdp) {
    if (end_idle_reader(s)) return true;
    if (!s.groups(unit::sdp).ready()) return false;
    const auto sdp = s.active(unit::sdp), rdma = s.active(unit::sdp_rdma);
    const bool flying = sdp.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    const bool to_pdp = sdp.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    const bool reads = sdp_decoder<Hw>(sdp, nullptr, s.memories).needs_rdma();
    if ((reads && !s.groups(unit::sdp_rdma).ready()) ||
        (to_pdp && !pdp_pipeline<Hw>::flying_ready(s)) || (flying && !convolution.ready(s)))
      return false;

    group_ = s.groups(unit::sdp).take();
    if (reads) rdma_group_ = s.groups(unit::sdp_rdma).take();
    if (to_pdp) pdp.take(s);
    if (flying) convolution.take(s);

    layer_ = sdp_decoder<Hw>(sdp, reads ? &rdma : nullptr, s.memories).decode();
    if constexpr (Hw::spec.sdp_lut)
      if (layer_.y.lut) layer_.lut = decode_sdp_lut<map>({s.registers, 0});
    execute(s, convolution, pdp);
    return true;
  }

  // The counts of the last layer.
  const sdp_counts& counts() const { return engine_.counts(); }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr sdp_features features{.y = Hw::spec.has_ew(), .lut = Hw::spec.sdp_lut,
                                         .int16 = Hw::spec.data_types.int16,
                                         .fp16 = Hw::spec.data_types.fp16};

  // SDP's reader ends at once if it is enabled with nothing to read. PDP's always reads.
  static bool end_idle_reader(device_state<Hw>& s) {
    auto& g = s.groups(unit::sdp_rdma);
    if (!g.ready()) return false;
    const auto v = s.active(unit::sdp_rdma);
    if (!v.template on<"SDP_RDMA.D_FEATURE_MODE_CFG.FLYING_MODE">() ||
        !v.template on<"SDP_RDMA.D_BRDMA_CFG.BRDMA_DISABLE">() ||
        !v.template on<"SDP_RDMA.D_NRDMA_CFG.NRDMA_DISABLE">() ||
        (Hw::spec.has_ew() && !v.template on<"SDP_RDMA.D_ERDMA_CFG.ERDMA_DISABLE">()))
      return false;
    g.take();
    return true;
  }

  void execute(device_state<Hw>& s, convolution_pipeline<Hw>& convolution,
               pdp_pipeline<Hw>& pdp) {
    const auto& l = layer_;
    if (l.to_pdp) pdp.begin(s, l.width, l.height, l.channels, l.out);
    if (l.flying) begin_convolution(s, convolution);
    const std::size_t lanes = surface_lanes(Hw::spec.memory_atom, l.proc);
    engine_.begin(l, lanes, s.lut(unit::sdp).tables(),
                  l.flying ? convolution.magnitude() : sdp_any_magnitude);
    for (std::uint32_t batch = 0; batch < l.batches; ++batch) {
      if constexpr (Hw::spec.batch)
        if (batch != 0) convolution.begin_batch(batch);
      for (std::size_t i = 0; i * lanes < l.channels; ++i) {
        const auto out = l.flying ? surface(i, convolution) : engine_.surface(i);
        if (l.to_pdp) pdp.surface(i, out);
        else if (!out.empty()) write(batch, i, out);
      }
    }
    set_status(s);
    if (l.flying) convolution.end(s);
    s.template done<"GLB.S_INTR_STATUS.SDP_DONE_STATUS0">(group_);
    if (l.to_pdp) pdp.end(s);
  }

  std::span<const std::uint8_t> surface(std::size_t index, convolution_pipeline<Hw>& from) {
    engine_.begin_surface(index);
    if (from.pixels() != std::size_t{layer_.width} * layer_.height) return regroup(index, from);
    std::span<const std::uint8_t> out;
    from.surface(index, [&](std::size_t at, std::span<const std::int32_t> values) {
      out = engine_.part(at, values);
    });
    return out;
  }

  // For cubes of another shape than CACC's: SDP's surfaces are pieces of CACC's stream of atoms.
  std::span<const std::uint8_t> regroup(std::size_t index, convolution_pipeline<Hw>& from) {
    if (index == 0) {
      stream_.clear();
      taken_ = 0;
    }
    const auto size = engine_.elements();
    while (stream_.size() < size)
      from.surface(taken_++, [&](std::size_t, std::span<const std::int32_t> values) {
        stream_.insert(stream_.end(), values.begin(), values.end());
      });
    const auto out = engine_.part(0, std::span(stream_).first(size));
    stream_.erase(stream_.begin(), stream_.begin() + static_cast<std::ptrdiff_t>(size));
    return out;
  }

  void begin_convolution(device_state<Hw>& s, convolution_pipeline<Hw>& convolution) {
    const auto& l = layer_;
    convolution.begin(s, l.width, l.height, l.channels);
    require(convolution.precision() == l.proc, "SDP.D_DATA_FORMAT.PROC_PRECISION",
            "differs from CACC's");
    require(convolution.winograd() == l.winograd, "SDP.D_FEATURE_MODE_CFG.WINOGRAD",
            "differs from CACC's CONV_MODE");
    require(convolution.batches() == l.batches, "SDP.D_FEATURE_MODE_CFG.BATCH_NUMBER",
            "differs from CACC's");
  }

  // Surface `index` inside: one surface of memory, or two of half the lanes.
  void write(std::uint32_t batch, std::size_t index, std::span<const std::uint8_t> bytes) {
    auto to = layer_.destination;
    to.base += batch * layer_.batch_stride;
    if (layer_.results() == 1) return write_surface(to, index, bytes);
    constexpr std::size_t atom = Hw::spec.memory_atom;
    half_.resize(bytes.size() / 2);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t at = 0; at < half_.size(); at += atom)
        std::copy_n(&bytes[2 * at + i * atom], atom, &half_[at]);
      write_surface(to, 2 * index + i, half_);
    }
  }

  template <fixed_string Register>
  static void set(device_state<Hw>& s, int group, std::uint64_t value) {
    constexpr std::uint64_t most = 0xffffffff;
    s.registers.set(group, hw::address<map, Register>,
                    static_cast<std::uint32_t>(std::min(value, most)));
  }

  // The statistics that are enabled; the others keep what they were.
  void set_status(device_state<Hw>& s) {
    const auto& l = layer_;
    const auto& c = counts();
    const group_view<map> g(s.registers, group_);
    if (l.y.compares()) set<"SDP.D_STATUS">(s, group_, c.unequal);
    if (g.template on<"SDP.D_PERF_ENABLE.PERF_SAT_EN">())
      set<"SDP.D_PERF_OUT_SATURATION">(s, group_, c.saturated);
    if constexpr (Hw::spec.sdp_lut)
      if (l.count_lut && !l.y.bypass && l.y.lut) {
        set<"SDP.D_PERF_LUT_UFLOW">(s, group_, c.lut.underflow);
        set<"SDP.D_PERF_LUT_OFLOW">(s, group_, c.lut.overflow);
        set<"SDP.D_PERF_LUT_HYBRID">(s, group_, c.lut.hybrid);
        set<"SDP.D_PERF_LUT_LE_HIT">(s, group_, c.lut.le_hit);
        set<"SDP.D_PERF_LUT_LO_HIT">(s, group_, c.lut.lo_hit);
      }
    if constexpr (Hw::spec.data_types.fp16) {
      if (l.out == hw::precision::fp16 &&
          g.template on<"SDP.D_PERF_ENABLE.PERF_NAN_INF_COUNT_EN">())
        set<"SDP.D_STATUS_NAN_OUTPUT_NUM">(s, group_, c.nan_out);
      if (l.in == hw::precision::fp16 && !l.flying &&
          group_view<map>(s.registers, rdma_group_)
              .template on<"SDP_RDMA.D_PERF_ENABLE.PERF_NAN_INF_COUNT_EN">()) {
        set<"SDP_RDMA.D_STATUS_NAN_INPUT_NUM">(s, rdma_group_, c.nan_in);
        set<"SDP_RDMA.D_STATUS_INF_INPUT_NUM">(s, rdma_group_, c.infinite_in);
      }
    }
  }

  int group_ = 0, rdma_group_ = 0;
  sdp_layer layer_{};
  sdp_engine<features> engine_;
  std::vector<std::uint8_t> half_;
  std::vector<std::int32_t> stream_;  // atoms that CACC has given and SDP has not taken
  std::size_t taken_ = 0;             // surfaces of CACC in `stream_` so far
};

}  // namespace nvdlac::sim
