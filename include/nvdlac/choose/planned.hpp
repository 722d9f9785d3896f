// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program of one network's integers, by the choices that are predicted to be the fastest.
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/choose/batch.hpp>
#include <nvdlac/choose/candidate.hpp>
#include <nvdlac/choose/maker.hpp>
#include <nvdlac/choose/pass_weights.hpp>
#include <nvdlac/choose/scheduled.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac::choose {

// Layers in their order, memory and dependencies; nothing is checked yet. Without the contents of
// the weights it is quick, and compresses none.
template <hw::hardware Hw, schedule::policy Policy = schedule::standard>
plan::program<Hw> planned(const quantised::graph& integers, const compile_options& options,
                          lower::contents weights = {}) {
  if (options.batch < 1 || options.batch > 1024)
    throw error(text("a batch of ", options.batch, " pictures: 1 to 1024 are possible"));
  check_cvsram<Hw>(options);
  const program_maker<Hw, Policy> maker(integers, options);
  const auto chosen = one_by_one(
      {.batch = {options.batch}}, [&](const candidate& c) { return maker.cycles(c); },
      [&](candidate c) { return with_siblings<Hw>(std::move(c), integers, options); },
      [&](const candidate& c) { return with_batch<Hw>(c, options); },
      [&](const candidate& c) {
        return with_pass_weights(c, options, [&] { return maker.weights(c); });
      });
  return maker.program(chosen, weights);
}

// Whether the first takes fewer predicted cycles, each with the schedule of the standard policy.
template <hw::hardware Hw>
bool is_faster(const quantised::graph& a, const quantised::graph& b,
               const compile_options& options) {
  const auto plain = without_search(options);
  const auto cycles = [&](const quantised::graph* g) {
    return predicted_cycles(planned<Hw>(*g, plain, lower::contents::none()), plain);
  };
  return best(std::vector{&b, &a}, cycles) == &a;
}

}  // namespace nvdlac::choose
