// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/conv/cdma.hpp>
#include <nvdlac/sim/layer_record.hpp>
#include <nvdlac/sim/register_file.hpp>

namespace nvdlac::sim {

// What operations of CDMA read for one convolution, for its account.
struct fetched_input {
  cube_size in{};  // of the last operation
  traffic data{}, weights{};
  std::uint64_t nan_data = 0;

  template <hw::hardware Hw>
  void add(const group_view<Hw::spec.map>& g, const cdma_layer& l,
           const convolution_counts& n) {
    constexpr std::uint32_t atom = Hw::spec.memory_atom;
    in = {l.width, l.height, l.channels, l.batches, l.in};
    nan_data += n.nan_data;
    if (l.brings_data) {
      const auto lanes = atom / hw::element_bytes(l.in);
      const auto line =
          l.pixel ? align_up(l.source.width * l.format.plane0_bytes, atom) +
                        align_up(l.source.width * l.format.plane1_bytes, atom)
                  : std::uint64_t{l.width} * atom * ceil_div(l.channels, lanes) * l.batches;
      // RAM_TYPE 1 is DRAM.
      data.read[g.template on<"CDMA.D_DAIN_RAM_TYPE">() ? 0 : 1] += line * l.height;
    }
    if (!l.brings_weights) return;
    auto& bytes = weights.read[g.template on<"CDMA.D_WEIGHT_RAM_TYPE">() ? 0 : 1];
    bytes += l.weight_bytes;
    if (l.compressed)
      bytes += l.mask_bytes + ceil_div(l.kernels, Hw::spec.kernel_group(l.precision)) * 4;
  }
};

}  // namespace nvdlac::sim
