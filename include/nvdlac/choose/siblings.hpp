// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which convolutions that read one tensor become one.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/maker.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/on_the_fly.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/sibling_groups.hpp>
#include <nvdlac/lower/siblings.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/quant/quantise.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

// The siblings that are predicted to be faster as one, each group alone with the standard schedule.
template <hw::hardware Hw>
std::vector<lower::sibling> siblings_of(const quantised::graph& integers,
                                        const compile_options& plain, lower::joining how) {
  const bool images = !plain.without.contains(std::string(lower::image_input::name));
  how.wanted = !plain.without.contains(std::string(lower::join_siblings::name));
  return lower::find_siblings<Hw>(
      integers, lower::find_poolings<Hw>(integers, images), images, how, [&](plan::lowered l) {
        return predicted_cycles(
            plan::make_program<Hw>(scheduled<Hw, schedule::standard>(std::move(l), plain, {})),
            plain);
      });
}

// All siblings apart, and the groups that are predicted to be faster by themselves as one.
template <hw::hardware Hw>
std::vector<candidate> with_siblings(candidate from, const quantised::graph& integers,
                                     const compile_options& options) {
  from.siblings = siblings_of<Hw>(integers, without_search(options), {});
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

// The shifts that convolutions have to share so that they can be one, where that is faster.
template <hw::hardware Hw>
quant::shifts_of_layers shared_shifts(const quantised::graph& integers,
                                      const compile_options& options) {
  const auto found = siblings_of<Hw>(integers, without_search(options), {.any_shifts = true});
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
