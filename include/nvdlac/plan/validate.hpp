// SPDX-License-Identifier: Apache-2.0
#pragma once
// The independent check of a plan: it shares no code with placement and dependencies.
#include <cstddef>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/checker/events.hpp>
#include <nvdlac/plan/checker/footprint.hpp>
#include <nvdlac/plan/checker/memory.hpp>
#include <nvdlac/plan/checker/order.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::plan {

// Everything that is wrong with a program's memory and order; empty if it computes the same on
// engines of any speed. Memory: cubes inside buffers inside pools, nothing overwritten while it is
// needed, nothing read before it is written. Order: the firmware's events lead every operation to
// its end, operations that touch the same bytes wait for each other, and so do convolutions that
// CACC would mix up.
constexpr std::vector<problem> validate(const program_data& p, const hw::spec& hw,
                                        contents weights = contents::here) {
  namespace check = checker;
  const auto atom = hw.atom();
  diagnostics found;
  check::check_buffers(p, weights, found);
  check::check_surfaces(p, atom, found);
  if (!found.empty()) return found.problems();  // the rest follows every cube byte by byte

  const auto all = check::accesses(p, atom);
  check::check_sharing(p, all, found);
  check::check_written(p, atom, all, found);
  std::size_t first = 0;
  for (const auto& t : p.tasks) {
    const auto count = t.operations.size();
    bool mixed = false;
    for (const auto& op : t.operations)
      mixed = mixed || layer::on_host(op.layer.what) != t.host || (t.host && count != 1);
    if (count == 0)
      found.add({.reason = "a task has no operations"});
    else if (mixed)
      found.add({.layer = t.operations.front().layer.name,
                 .reason = "its task is neither one layer of the host nor layers of the hardware"});
    else if (!t.host) {
      auto schedule = check::read_links(t, found);
      check::pair_on_the_fly(t, schedule, found);
      if (schedule.sound) {
        check::check_progress(t, schedule, found);
        check::check_order(t, first, schedule, hw, all, found);
      }
    }
    first += count;
  }
  return found.problems();
}

template <hw::hardware Hw>
constexpr std::vector<problem> validate(const program<Hw>& p) {
  return validate(p, Hw::spec);
}

}  // namespace nvdlac::plan
