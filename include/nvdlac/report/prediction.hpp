// SPDX-License-Identifier: Apache-2.0
#pragma once
// The predicted cycles of a program for reading.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/lower_bound.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::report {

// The conditions on which cycles depend besides program and configuration. The host is one that
// costs little: a program on a processor takes longer where layers are short.
struct conditions {
  cost::memory memory{};
  cost::host host = cost::test_bench;
  double megahertz = 1000;  // of NVDLA's clock
};

struct prediction {
  conditions given{};
  cost::estimate estimate{};
  bool extrapolated = false;  // the model was not compared with the RTL of all that it uses
};

// As a loadable runs it: no kernels come ahead of their layer.
prediction predict(const std::vector<plan::task>& tasks, const hw::spec& s, conditions c);
// As a list of register writes runs it, with the steps of emit::host_steps: its cycles are also
// those of the layers that make the uses of the engines' ping-pong groups even, which are not among
// the layers of the estimate.
prediction predict_registers(const plan::program_data& p, const hw::spec& s, const conditions& c,
                             std::span<const cost::host_step> steps);

// Runs a second as people read them: "7,665", "147.8", "0.1234".
std::string runs_a_second(double runs);

// "130,456 cycles predicted: 7,665 runs a second at 1000 MHz; MACs at work 34 % of the time, most
// cycles limited by memory; 475,704 bytes read, 22,110 written"
std::string summary(const prediction& p);
// "no program of this network can take less than 116,480 cycles, which its MACs need; this one
// takes 1.12 times that"
std::string summary(const cost::lower_bound& least, const prediction& p);

// In JSON; cycles are counted from the start of the program.
template <class Json>
Json to_json(const cost::layer_cycles& c) {
  return {{"start", c.start}, {"first_mac", c.loaded}, {"last_mac", c.computed}, {"done", c.done},
          {"own", c.own()}, {"behind", c.behind()},
          {"with_macs", c.mac_cycles}, {"at_least", c.bound},
          {"limited_by", cost::name_of(c.limited_by)}, {"waiting", c.waiting()},
          {"waits_in", cost::name_of(c.waits_in())}};
}

template <class Json>
Json to_json(const cost::lower_bound& least) {
  return {{"cycles", least.cycles()}, {"limited_by", cost::name_of(least.limited_by())}};
}

template <class Json>
Json to_json(const prediction& p) {
  const auto& t = p.estimate.totals;
  Json memory{{"width", p.given.memory.width}, {"latency", p.given.memory.read_latency},
              {"write_latency", p.given.memory.write_latency},
              {"outstanding", p.given.memory.outstanding}};
  if (const auto& c = p.given.memory.cvsram; c.bytes != 0)
    memory["cvsram"] = {{"bytes", c.bytes}, {"width", c.width}, {"latency", c.read_latency},
                        {"write_latency", c.write_latency}, {"outstanding", c.outstanding}};
  return {{"cycles", t.cycles}, {"clock_megahertz", p.given.megahertz},
          {"runs_per_second", t.runs_per_second(p.given.megahertz)},
          {"utilisation", t.utilisation()}, {"limited_by", cost::name_of(t.limited_by)},
          {"extrapolated", p.extrapolated},
          {"memory", std::move(memory)},
          {"host", {{"access", p.given.host.access}, {"read", p.given.host.read},
                    {"interrupt", p.given.host.interrupt}}}};
}

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/prediction.ipp>
#endif
