// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of CDP.
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/cdp.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_layer(const layer::cdp& l, rules r) {
  constexpr const auto& limits = hw::limits<Map>.cdp;
  r.expect(r.hw().has_cdp(), "the configuration has none");
  r.size(l.input.shape, limits.width, limits.height, limits.channels, "the input");
  r.expect(l.output.shape == l.input.shape, "the output ", l.output.shape, " is not the input ",
           l.input.shape);
  r.from_memory_to_memory(l.input, l.output);
  r.expect(l.local_size >= 3 && l.local_size <= 9 && l.local_size % 2 == 1, "it normalises over ",
           l.local_size, " channels, none of 3, 5, 7 and 9");
  r.within(l.in.shift, 0, limits.input_shift, "the input converter's shift");
  r.within(l.out.shift, 0, limits.output_shift, "the output converter's shift");
  if (l.input.precision == hw::precision::int8) {
    r.within(l.in.offset, -128, 127, "the input converter's offset");
    r.within(l.out.offset, -(1 << 24), (1 << 24) - 1, "the output converter's offset");
  }
  r.expect(l.lut >= 0, "it has no lookup table");
  r.expect(l.lut < r.luts(), "there is no lookup table ", l.lut);
}

}  // namespace nvdlac::plan::checker
