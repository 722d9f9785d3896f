// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/maker.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/lower_graph.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

namespace detail {

// The siblings that are predicted to be faster as one, each group alone with the standard schedule.
NVDLAC_IMPL std::vector<lower::sibling> siblings_of(const lower::target& hw,
                                                    const quantised::graph& integers,
                                                    const compile_options& plain,
                                                    lower::joining how) {
  const bool images = !plain.without.contains(std::string(lower::image_input::name));
  how.wanted = !plain.without.contains(std::string(lower::join_siblings::name));
  return lower::siblings_of_graph(hw, integers, images, how, [&](plan::lowered l) {
    const scheduler policy = schedule_by<schedule::standard>;
    return predicted_cycles(
        hw, plan::make_program(hw, scheduled(hw, policy, std::move(l), plain, {})), plain);
  });
}

}  // namespace detail

NVDLAC_IMPL std::vector<candidate> with_siblings(const lower::target& hw, candidate from,
                                                 const quantised::graph& integers,
                                                 const compile_options& options) {
  from.siblings = detail::siblings_of(hw, integers, without_search(options), {});
  auto apart = from;
  bool any = false;
  for (auto& s : apart.siblings)
    if (s.why == lower::lone::none) {
      s.why = lower::lone::slower;
      any = true;
    }
  if (!any) return {std::move(from)};
  return {std::move(apart), std::move(from)};
}

NVDLAC_IMPL quant::shifts_of_layers shared_shifts(const lower::target& hw,
                                                  const quantised::graph& integers,
                                                  const compile_options& options) {
  const auto found =
      detail::siblings_of(hw, integers, without_search(options), {.any_shifts = true});
  quant::shifts_of_layers shifts;
  for (const auto& s : found) {
    const auto group = lower::group_of(found, s.convolution);
    if (group.empty()) continue;
    quant::shared_shifts shared;
    for (const auto& each : group) {
      const auto& op = *integers.get_if<quantised::convolution>(each.convolution);
      shared.bias = std::max(shared.bias, op.bias_shift);
      shared.sums = std::min<std::uint8_t>(shared.sums, op.shift + op.out.shift);
    }
    shifts.emplace(integers[s.convolution].name, shared);
  }
  return shifts;
}

}  // namespace nvdlac::choose
