// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/repeat_last.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL bool repeats_places(const net::move& m, net::shape in) {
  if (m.target.c != in.c || m.target.size() <= in.size()) return false;
  return std::ranges::all_of(m.boxes, [&](const net::box& b) {
    const auto of_channels = [](const net::box_loop& l) { return l.to.c != 0 || l.from.c != 0; };
    const net::position next{1, 0, 0};
    const auto is_whole = [&](const net::box_loop& l) {
      return l.count == in.c && l.to == next && l.from == next;
    };
    return b.input == 0 && b.to.c == 0 && b.from.c == 0 &&
           std::ranges::count_if(b.loops, of_channels) == 1 &&
           std::ranges::count_if(b.loops, is_whole) == 1;
  });
}

}  // namespace nvdlac::pass
