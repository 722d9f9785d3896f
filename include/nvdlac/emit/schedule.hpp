// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one order in which a host without an operating system drives a program, one layer after the
// other: a trace, and the program that exists while compiling.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/even_turns.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// A bus that also hears what happens between the writes: `begin(layer)` before the registers of a
// hardware layer, `wait_done(bits)` until all these bits of GLB.S_INTR_STATUS have been seen, and
// `host(layer)` where the host has to compute a layer itself.
template <class T>
concept schedule_bus = bus<T> && requires(T& b, const layer::layer& l, std::uint32_t bits) {
  b.begin(l);
  b.wait_done(bits);
  b.host(l);
};

namespace detail {

// Layers that hand their results on without memory are enabled together, the last first.
template <hw::hardware Hw, class Bus>
constexpr void schedule_hardware(const plan::task& t, const std::vector<layer::lut>& luts,
                                 const addresses auto& where, group_turns& turns_of_engines,
                                 loaded_luts& loaded, Bus& b) {
  const auto& ops = t.operations;
  for (std::size_t first = 0, last = 0; first < ops.size(); first = last) {
    std::vector<groups> turns;
    std::uint32_t done = 0;
    for (last = first; last < ops.size() && (last == first ||
                                             layer::takes_on_the_fly(ops[last].layer.what));
         ++last) {
      const auto& l = ops[last].layer;
      turns.push_back(turns_of_engines.next(l.what));
      done |= done_bits(l.what, turns.back());
      b.begin(l);
      if (loaded.changes_for(l.what))
        program_lut<Hw>(l.what, luts[static_cast<std::size_t>(lut_of(l.what))], b);
      program<Hw>(l, where, turns.back(), b);
    }
    for (std::size_t i = last; i-- > first;)
      enable<Hw>(ops[i].layer.what, turns[i - first], b);
    b.wait_done(done);
  }
}

}  // namespace detail

// All of it, from the registers that are written once on; weights and inputs are in memory by then.
// It takes every engine at its register group 0 and leaves it there, so it can run any number of
// times.
template <hw::hardware Hw, schedule_bus Bus>
constexpr void schedule(const plan::program_data& p, const addresses auto& where, Bus& b) {
  initialize<Hw>(b);
  group_turns turns;
  loaded_luts loaded;
  detail::schedule_hardware<Hw>(even_turns<Hw>(p), p.luts, where, turns, loaded, b);
  for (const auto& t : p.tasks) {
    if (!t.host) detail::schedule_hardware<Hw>(t, p.luts, where, turns, loaded, b);
    else
      for (const auto& op : t.operations) b.host(op.layer);
  }
}

}  // namespace nvdlac::emit
