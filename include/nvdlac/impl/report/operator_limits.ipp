// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/report/operator_limits.hpp>

namespace nvdlac::report {

NVDLAC_IMPL found_limit limit_of(const question& ask) {
  const auto most = greatest([&](std::int32_t n) { return ask(n) == lower::reason::none; });
  return {most, most > most_asked ? lower::reason::none : ask(most + 1)};
}

}  // namespace nvdlac::report
