// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/verify/not_finite.hpp>

namespace nvdlac::verification {

NVDLAC_IMPL std::string not_finite(const report& r, std::size_t program, std::size_t output,
                                   std::optional<std::size_t> part) {
  const auto of = [&](const input_report& i) -> const comparison& {
    const auto& c = i.programs.at(program).outputs.at(output);
    return part ? c.parts.at(*part) : c;
  };
  const auto first = std::ranges::find_if_not(r.inputs, &comparison::known, of);
  if (first == r.inputs.end()) return {};
  const auto all = std::ranges::count_if(r.inputs, [&](const auto& i) { return !of(i).known(); });
  const auto& c = of(*first);
  const auto count = c.undefined > 0 ? c.undefined : c.lost;
  return text("of the ", count_of(c.count, "value"), " for ", first->name, ' ',
              c.undefined > 0 ? "the float network itself" : "the program", " computes ", count,
              count == 1 ? " that is no finite number" : " that are no finite numbers",
              all == 1 ? "" : text(", and such for ", count_of(all - 1, "input"), " more"));
}

}  // namespace nvdlac::verification
