// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>

namespace nvdlac {

NVDLAC_IMPL void require_within(std::uint64_t budget::*value, std::uint64_t needed,
                                std::uint64_t most) {
  if (needed <= most) return;
  const auto& l = limit_of(value);
  throw error(problem{.reason = text("it has ", needed, ' ', l.counts, ", more than the limit of ",
                                     most),
                      .remedy = text("if that is meant, raise it: --limit ", l.name, '=', needed)});
}

NVDLAC_IMPL void spend_within(std::uint64_t budget::*value, std::uint64_t& spent,
                              std::uint64_t more, const budget& limits) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  spent = more > most - spent ? most : spent + more;
  require_within(value, spent, limits);
}

}  // namespace nvdlac
