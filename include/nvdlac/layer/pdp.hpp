// SPDX-License-Identifier: Apache-2.0
#pragma once
// The layers of PDP.
#include <cstdint>

#include <nvdlac/layer/engine.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::layer {

// A split of a pooling's width into first, middle and last parts; columns of input and output.
struct pdp_split {
  std::uint8_t parts = 1;
  std::uint16_t in_first = 0, in_mid = 0, in_last = 0;
  std::uint16_t out_first = 0, out_mid = 0, out_last = 0;

  constexpr bool operator==(const pdp_split&) const = default;
};

// One pass of PDP, in the precision of its cubes. The source is SDP when input.at is on the fly.
// Padding counts as pad_value in an average and is ignored by a maximum; an average divides by the
// whole kernel.
struct pdp {
  layer::surface input{};
  layer::surface output{};
  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};  // dilation 1; kernel and stride 1..8, pads 0..7
  std::int16_t pad_value = 0;
  pdp_split split{};

  constexpr bool operator==(const pdp&) const = default;
};

template <>
struct engine<pdp> {
  static constexpr const char* name = "PDP";
  static constexpr auto number = engine_number::pdp;
  static constexpr auto source = engine_number::sdp;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.PDP_DONE_STATUS0"};
  static constexpr register_blocks<"PDP"> cores{};
  static constexpr bool is_in(const hw::spec& s) { return s.has_pdp(); }
  static constexpr fixed_string reader{"PDP_RDMA"};
  static constexpr bool uses_reader(const pdp& l) { return !l.input.at.on_the_fly(); }
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

}  // namespace nvdlac::layer
