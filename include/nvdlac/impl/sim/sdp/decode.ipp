// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/sim/sdp/decode.hpp>

namespace nvdlac::sim {

NVDLAC_IMPL void pack_single_pixels(tolerance& rules, std::string_view where, cube& c) {
  if (c.width != 1 || c.height != 1) return;
  if (!rules.holds(c.surfaces == 1 || c.surface_stride == c.unit, where, "the surfaces of 1x1 ",
                   "pixels lie side by side, ", c.unit, " bytes apart"))
    c.surface_stride = c.unit;
}

NVDLAC_IMPL sdp_operands decode_operands(std::string_view where, sdp_reader r, bool alu, bool mul,
                                         std::uint32_t atom, hw::precision proc, tolerance& rules) {
  if (!alu && !mul) {
    require(r.disabled, where, "reads operands that SDP does not take: the reader never ends");
    return {};
  }
  require(!r.disabled, where, "is disabled, but SDP takes operands from memory");
  require(r.use <= 2, where, "DATA_USE=3 does not exist");
  const bool reads_alu = r.use != 0, reads_mul = r.use != 1;
  require(reads_alu == alu && reads_mul == mul, where,
          "DATA_USE does not agree with the operands that SDP takes from memory");
  require(r.bytes == 2 || proc == hw::precision::int8, where,
          "DATA_SIZE: int16 and fp16 have operands of two bytes");
  sdp_operands o{.alu = alu, .mul = mul, .per_element = r.per_element, .bytes = r.bytes,
                 .source = r.source};
  o.source.unit =
      std::uint64_t{surface_lanes(atom, proc)} * r.bytes * (alu && mul ? 2 : 1);
  if (!r.per_element) {  // the operands of all channels side by side
    o.source.width = o.source.height = 1;
    o.source.surface_stride = o.source.unit;
  }
  pack_single_pixels(rules, where, o.source);
  o.source.check(where, atom);
  return o;
}

}  // namespace nvdlac::sim
