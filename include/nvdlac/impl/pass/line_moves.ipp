// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/box.hpp>
#include <nvdlac/pass/line_moves.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL net::move every_line(net::shape to, std::int32_t first, std::int32_t step) {
  return {.target = to,
          .boxes = std::vector{net::box{.from = {0, first, 0},
                                        .loops = {{{to.c, {1, 0, 0}, {1, 0, 0}},
                                                   {to.h, {0, 1, 0}, {0, step, 0}},
                                                   {to.w, {0, 0, 1}, {0, 0, 1}}}}}}};
}

NVDLAC_IMPL net::move lines_in_turn(net::shape to, std::int32_t tensors) {
  std::vector<net::box> boxes;
  for (std::int32_t n = 0; n < tensors; ++n)
    boxes.push_back({.input = n,
                     .to = {0, n, 0},
                     .loops = {{{to.c, {1, 0, 0}, {1, 0, 0}},
                                {(to.h - 1 - n) / tensors + 1, {0, tensors, 0}, {0, 1, 0}},
                                {to.w, {0, 0, 1}, {0, 0, 1}}}}});
  return {.target = to, .boxes = boxes};
}

}  // namespace nvdlac::pass
