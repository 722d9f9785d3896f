// SPDX-License-Identifier: Apache-2.0
#pragma once
// The predicted cycles of a program for reading.
#include <cmath>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/cost/cycles.hpp>

namespace nvdlac::report {

// What cycles depend on besides program and configuration.
struct conditions {
  cost::memory memory{};
  cost::host host{};
  double megahertz = 1000;  // of NVDLA's clock
};

struct prediction {
  conditions given{};
  cost::estimate estimate{};
  bool extrapolated = false;  // the model was not compared with this configuration's RTL
};

inline prediction predict(const std::vector<plan::task>& tasks, const hw::spec& s,
                          const conditions& c) {
  return {c, cost::cycles(tasks, s, c.memory, c.host), !cost::was_measured(s)};
}

// "130456 cycles, 7665 runs a second at 1000 MHz; MACs at work 34 % of the time, most cycles limited
// by the memory; 475704 bytes read, 22110 written"
inline std::string summary(const prediction& p) {
  const auto& t = p.estimate.totals;
  const auto runs = t.runs_per_second(p.given.megahertz);
  std::string s = text(t.cycles, " cycles predicted", p.extrapolated ? " (extrapolated)" : "", ": ",
                       std::round(runs * 10) / 10, " runs a second at ", p.given.megahertz,
                       " MHz; MACs at work ", std::round(t.utilisation() * 100), " % of the time");
  if (t.limited_by != cost::limit::none)
    s += text(", most cycles limited by ", cost::name_of(t.limited_by));
  return s + text("; ", t.read, " bytes read, ", t.written, " written");
}

// In JSON; cycles are counted from the start of the program.
template <class Json>
Json to_json(const cost::layer_cycles& c) {
  return {{"start", c.start}, {"first_mac", c.loaded}, {"last_mac", c.computed}, {"done", c.done},
          {"with_macs", c.mac_cycles}, {"at_least", c.bound},
          {"limited_by", cost::name_of(c.limited_by)}, {"waiting", c.waiting()},
          {"waits_in", cost::name_of(c.waits_in())}};
}

template <class Json>
Json to_json(const prediction& p) {
  const auto& t = p.estimate.totals;
  return {{"cycles", t.cycles}, {"clock_megahertz", p.given.megahertz},
          {"runs_per_second", t.runs_per_second(p.given.megahertz)},
          {"utilisation", t.utilisation()}, {"limited_by", cost::name_of(t.limited_by)},
          {"extrapolated", p.extrapolated},
          {"memory", {{"width", p.given.memory.width}, {"latency", p.given.memory.read_latency},
                      {"write_latency", p.given.memory.write_latency},
                      {"outstanding", p.given.memory.outstanding}}},
          {"host", {{"access", p.given.host.access}, {"interrupt", p.given.host.interrupt}}}};
}

}  // namespace nvdlac::report
