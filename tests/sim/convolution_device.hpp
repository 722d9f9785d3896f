// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/hw/configurations/nv_full.hpp>

#include "program.hpp"

namespace program {

// CDMA to CACC of nv_full without SDP.
struct convolution_device {
  using words = registers<nv_full>;

  sim::device_state<nv_full> state{sim::settings{}};
  sim::convolution_pipeline<nv_full> pipeline{};

  void write(std::uint32_t address, std::uint32_t value) { state.registers.set(0, address, value); }

  // The results of all batches and surfaces.
  std::vector<std::int32_t> run(const words& r) {
    r.write(*this);
    using enum sim::unit;
    for (const auto u : {cdma, csc, cmac_a, cmac_b, cacc}) {
      auto& g = state.groups(u);
      g.consumer = 0;
      g.enabled = {true, false};
    }
    pipeline.fetch(state);
    pipeline.take(state);
    const sim::group_view<nv_full::spec.map> v(state.registers, 0);
    const auto width = v.count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_WIDTH">(),
               height = v.count<"CACC.D_DATAOUT_SIZE_0.DATAOUT_HEIGHT">(),
               channels = v.count<"CACC.D_DATAOUT_SIZE_1.DATAOUT_CHANNEL">();
    pipeline.begin(state, width, height, channels);
    const auto lanes = 32 / hw::element_bytes(pipeline.precision());
    std::vector<std::int32_t> all;
    for (std::uint32_t n = 0; n < pipeline.batches(); ++n) {
      if (n != 0) pipeline.begin_batch(n);
      for (std::size_t i = 0; i * lanes < channels; ++i) {
        pipeline.surface(i, [&](std::size_t, std::span<const std::int32_t> part) {
          all.insert(all.end(), part.begin(), part.end());
        });
      }
    }
    pipeline.end(state);
    return all;
  }
};

}  // namespace program
