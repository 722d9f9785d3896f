// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/convolution_pipeline.hpp>
#include <nvdlac/sim/decode_sdp.hpp>
#include <nvdlac/sim/pdp_pipeline.hpp>

namespace nvdlac::sim {

// SDP with its input from memory or from a convolution, its output to memory or to PDP.
template <hw::hardware Hw>
class sdp_pipeline {
 public:
  // Executes a layer if its units are all enabled.
  bool run(device_state<Hw>& s, convolution_pipeline<Hw>& convolution, pdp_pipeline<Hw>& pdp) {
    if (end_idle_reader(s)) return true;
    if (!s.groups(unit::sdp).ready()) return false;
    const auto sdp = s.active(unit::sdp), rdma = s.active(unit::sdp_rdma);
    const bool flying = sdp.template on<"SDP.D_FEATURE_MODE_CFG.FLYING_MODE">();
    const bool to_pdp = sdp.template on<"SDP.D_FEATURE_MODE_CFG.OUTPUT_DST">();
    const bool reads = sdp_decoder<Hw>(sdp, nullptr, s.memories).needs_rdma();
    if ((reads && !s.groups(unit::sdp_rdma).ready()) ||
        (flying && !convolution_pipeline<Hw>::ready(s)) ||
        (to_pdp && !pdp_pipeline<Hw>::flying_ready(s)))
      return false;

    const int group = s.groups(unit::sdp).take();
    if (reads) s.groups(unit::sdp_rdma).take();
    if (to_pdp) pdp.take(s);
    if (flying) convolution.take(s);

    const auto l = sdp_decoder<Hw>(sdp, reads ? &rdma : nullptr, s.memories).decode();
    if (to_pdp) pdp.begin(s, l.width, l.height, l.channels);
    if (flying) convolution.begin(s, l.width, l.height, l.channels);
    const auto elements = std::size_t{l.width} * l.height * lanes;
    wide_.resize(elements);
    narrow_.resize(elements);
    for (std::size_t i = 0; i * lanes < l.channels; ++i) {
      if (flying) convolution.surface(i, wide_);
      else engine_.read_source(l, i, wide_);
      engine_.surface(l, i, lanes, wide_,
                      {reinterpret_cast<std::int8_t*>(narrow_.data()), narrow_.size()});
      if (to_pdp) pdp.surface(i, narrow_);
      else write_surface(l.destination, i, narrow_);
    }
    if (flying) convolution.end(s);
    s.template done<"GLB.S_INTR_STATUS.SDP_DONE_STATUS0">(group);
    if (to_pdp) pdp.end(s);
    return true;
  }

 private:
  static constexpr std::size_t lanes = Hw::spec.memory_atom;

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

  sdp_engine engine_;
  std::vector<std::int32_t> wide_;    // SDP's input, of one surface
  std::vector<std::uint8_t> narrow_;  // its output
};

}  // namespace nvdlac::sim
