// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of Rubik.
#include <cstdint>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/layer/rubik.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

template <hw::register_map Map>
constexpr void check_layer(const layer::rubik& l, rules r) {
  constexpr const auto& limits = hw::limits<Map>.rubik;
  const net::shape in = l.input.shape, out = l.output.shape;
  r.expect(r.hw().rubik, "the configuration has none");
  r.size(in, limits.width, limits.height, limits.channels, "the input");
  r.size(out, limits.width, limits.height, limits.channels, "the output");
  r.from_memory_to_memory(l.input, l.output);
  r.within(l.stride_y, 1, limits.stride, "the vertical stride");
  r.within(l.stride_x, 1, limits.stride, "the horizontal stride");
  r.expect(out.h == std::int64_t{in.h} * l.stride_y && out.w == std::int64_t{in.w} * l.stride_x,
           "the output ", out, " does not follow from the input ", in);
  const auto each = layer::surfaces(out, r.hw().atom(), l.output.precision);
  const auto all = layer::surfaces(in, r.hw().atom(), l.input.precision);
  r.expect(all == each * static_cast<std::uint64_t>(l.groups()), "the input has ", all,
           " surfaces, not ", l.groups(), " groups of ", each);
}

}  // namespace nvdlac::plan::checker
