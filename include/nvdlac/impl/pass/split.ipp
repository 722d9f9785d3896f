// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/pass/split.hpp>

namespace nvdlac::pass {

NVDLAC_IMPL std::int64_t split_global_pool::elements(const net::pool& whole, net::shape in) {
  const net::window w = whole.window_on(in);
  const auto counted = [&](net::sliding s, std::int32_t size) -> std::int64_t {
    return whole.count_include_pad ? net::pool_span::at(s, size, 0).padded : size;
  };
  return counted(net::vertical(w), in.h) * counted(net::horizontal(w), in.w);
}

}  // namespace nvdlac::pass
