// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/pass/join_slices.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL net::move slice_of_channels(net::shape whole, std::int32_t first,
                                        std::int32_t count) {
  const net::box b{.from = {first, 0, 0},
                   .loops = {{{count, {1, 0, 0}, {1, 0, 0}},
                              {whole.h, {0, 1, 0}, {0, 1, 0}},
                              {whole.w, {0, 0, 1}, {0, 0, 1}}}}};
  return {.target = {count, whole.h, whole.w}, .boxes = {b}};
}

}  // namespace nvdlac::pass
