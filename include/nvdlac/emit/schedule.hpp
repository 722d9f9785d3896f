// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a host without an operating system drives a program: a trace, and the program that exists
// while compiling.
#include <cstddef>
#include <type_traits>

#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/even_groups.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/emit/stage_runner.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// All of it, from the registers that are written once on; weights and inputs are in memory by then.
// It takes every engine at its register group 0 and leaves it there, so it can run any number of
// times.
template <hw::hardware Hw, schedule_bus Bus>
constexpr void schedule(const plan::program_data& p, const addresses auto& where, Bus& b) {
  initialize<Hw>(b);
  detail::stage_runner<Hw, std::remove_cvref_t<decltype(where)>, Bus> hardware(p, where, b);
  const auto even = even_groups(p, Hw::spec);
  if (even.before == 0) hardware.start(even.task, p.tasks.size());
  for (std::size_t n = 0; n < p.tasks.size(); ++n) {
    const auto& t = p.tasks[n];
    if (!t.host) hardware.start(t, n);
    if (even.before == n + 1) hardware.start(even.task, p.tasks.size());
    hardware.finish();
    if (t.host)
      for (const auto& op : t.operations) b.host(op.layer);
  }
}

}  // namespace nvdlac::emit
