// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iterator>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/lower_bound.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/emit/even_groups.hpp>
#include <nvdlac/report/prediction.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL prediction predict(const std::vector<plan::task>& tasks, const hw::spec& s,
                               const conditions& c, std::span<const cost::host_step> steps) {
  prediction p{c, cost::cycles(tasks, s, c.memory, c.host, steps), !cost::was_measured(s)};
  for (const auto& l : p.estimate.layers)  // far from the RTL with CVSRAM, docs/performance.md
    if (l.moved.read(true) != 0 || l.moved.written_to(true) != 0) p.extrapolated = true;
  return p;
}

}  // namespace detail

NVDLAC_IMPL prediction predict(const std::vector<plan::task>& tasks, const hw::spec& s,
                               conditions c) {
  c.memory.weights_ahead = cost::kernels_ahead::none;
  return detail::predict(tasks, s, c, {});
}

NVDLAC_IMPL prediction predict_registers(const plan::program_data& p, const hw::spec& s,
                                         const conditions& c,
                                         std::span<const cost::host_step> steps) {
  auto even = emit::even_groups(p, s);
  if (even.task.operations.empty()) return detail::predict(p.tasks, s, c, steps);
  auto tasks = p.tasks;
  const auto at = tasks.begin() + static_cast<std::ptrdiff_t>(even.before);
  std::ptrdiff_t before = 0;
  for (auto t = tasks.begin(); t != at; ++t) before += std::ssize(t->operations);
  const auto added = std::ssize(even.task.operations);
  tasks.insert(at, std::move(even.task));
  auto predicted = detail::predict(tasks, s, c, steps);
  auto& layers = predicted.estimate.layers;
  layers.erase(layers.begin() + before, layers.begin() + before + added);
  return predicted;
}

NVDLAC_IMPL std::string runs_a_second(double runs) {
  if (runs >= 1000) return grouped(static_cast<std::uint64_t>(std::llround(runs)));
  return text(runs < 10 ? std::round(runs * 1e4) / 1e4 : std::round(runs * 10) / 10);
}

NVDLAC_IMPL std::string summary(const prediction& p) {
  const auto& t = p.estimate.totals;
  const auto runs = t.runs_per_second(p.given.megahertz);
  std::string s = text(grouped(t.cycles, "cycle"), " predicted",
                       p.extrapolated ? " (extrapolated)" : "", ": ", runs_a_second(runs),
                       " runs a second at ", p.given.megahertz,
                       " MHz; MACs at work ", std::round(t.utilisation() * 100), " % of the time");
  if (t.limited_by != cost::limit::none)
    s += text(", most cycles limited by ", cost::name_of(t.limited_by));
  return s + text("; ", grouped(t.read, "byte"), " read, ", grouped(t.written), " written");
}

NVDLAC_IMPL std::string summary(const cost::lower_bound& least, const prediction& p) {
  const auto cycles = least.cycles();
  if (cycles == 0) return "its hardware layers have no lower bound";
  const auto by = least.limited_by();
  const auto ratio = static_cast<double>(p.estimate.totals.cycles) / static_cast<double>(cycles);
  return text("no program of this network can take less than ", grouped(cycles, "cycle"),
              by == cost::limit::mac      ? ", which its MACs need"
              : by == cost::limit::output ? ", which SDP needs for its results"
                                          : ", which its memory needs",
              "; this one takes ", std::fixed, std::setprecision(2), ratio, " times that");
}

}  // namespace nvdlac::report
