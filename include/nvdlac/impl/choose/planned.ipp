// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/choose/batch.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/folded.hpp>
#include <nvdlac/choose/lines.hpp>
#include <nvdlac/choose/maker.hpp>
#include <nvdlac/choose/map_order.hpp>
#include <nvdlac/choose/paced.hpp>
#include <nvdlac/choose/pass_weights.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/choose/transposed.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::choose {

namespace detail {

// The network with its maps as this configuration had rather read them, where it would.
NVDLAC_IMPL std::optional<quantised::graph> ordered(const lower::target& hw,
                                                    const quantised::graph& integers,
                                                    const compile_options& options) {
  if (options.batch < 1 || options.batch > 1024)
    throw error(text("a batch of ", count_of(options.batch, "picture"),
                     ": 1 to 1024 are possible"));
  check_memories(hw, options);
  if (options.without.contains(std::string(lower::map_order::name))) return std::nullopt;
  return in_map_order(hw, integers);
}

}  // namespace detail

NVDLAC_IMPL plan::program_data planned(const lower::target& hw, const quantised::graph& given,
                                       const compile_options& options, lower::contents weights,
                                       scheduler policy) {
  const auto ordered = detail::ordered(hw, given, options);
  const auto& integers = ordered ? *ordered : given;
  const program_maker maker(hw, policy, integers, options);
  const auto chosen = one_by_one(
      {.batch = {options.batch}}, [&](const candidate& c) { return maker.cycles(c); },
      [&](candidate c) {
        return with_siblings(maker.lowered_for(), std::move(c), integers, options);
      },
      [&](const candidate& c) { return with_batch(hw, c, options); },
      [&](const candidate& c) {
        return with_pass_weights(c, options, [&] { return maker.weights(c); });
      },
      [&](const candidate& c) {
        return with_folded(with_transposed(c, maker.can_transpose(c), options), options, maker);
      },
      [&](const candidate& c) { return with_lines(c, integers, options); },
      [&](const candidate& c) { return with_paced(c, options, maker); });
  return maker.program(chosen, weights);
}

NVDLAC_IMPL plan::program_data outlined(const lower::target& hw, const quantised::graph& given,
                                        const compile_options& options,
                                        std::size_t most_scheduled) {
  const auto ordered = detail::ordered(hw, given, options);
  const program_maker maker(hw, schedule_by<schedule::standard>, ordered ? *ordered : given,
                            options);
  return maker.outline({.batch = {options.batch}}, most_scheduled);
}

NVDLAC_IMPL bool is_faster(const lower::target& hw, const quantised::graph& a,
                           const quantised::graph& b, const compile_options& options) {
  const auto plain = without_search(options);
  const auto cycles = [&](const quantised::graph* g) {
    return predicted_cycles(hw, planned(hw, *g, plain, lower::contents::none()), plain);
  };
  return best(std::vector{&b, &a}, cycles) == &a;
}

}  // namespace nvdlac::choose
