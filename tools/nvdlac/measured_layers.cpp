// SPDX-License-Identifier: Apache-2.0
#include "measured_layers.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/report/table.hpp>

#include "manner.hpp"

namespace nvdlac::cli {
namespace {

std::uint64_t cycles_of(const measured_layer& l, double megahertz) {
  return static_cast<std::uint64_t>(std::llround(l.seconds * megahertz * 1e6));
}

// "CDMA.WT_READ_STALL" of the register CDMA.D_PERF_WT_READ_STALL.
std::string short_name(std::string register_name) {
  constexpr std::string_view marks = "D_PERF_";
  if (const auto at = register_name.find(marks); at != register_name.npos)
    register_name.erase(at, marks.size());
  return register_name;
}

std::uint32_t count_by(const measured_layer& l, const std::string& counter) {
  const auto found = std::ranges::find(l.counters, counter,
                                       &runtime::measured_operation::counter::name);
  return found == l.counters.end() ? 0 : found->value;
}

}  // namespace

std::vector<measured_layer> measure_layers(runtime::any_session& on,
                                           const std::vector<quantised::feed>& feeds,
                                           const std::vector<report::layer_row>& rows,
                                           std::size_t runs) {
  std::vector<measured_layer> all;
  for (const auto& r : rows) all.push_back({.row = r});
  std::vector<std::vector<double>> times(all.size());
  for (std::size_t run = 0; run < runs; ++run)
    for (auto& m : on.measure(feeds)) {
      const auto l = std::ranges::find_if(all, [&](const measured_layer& x) {
        return x.row.task == m.task && x.row.index == m.operation;
      });
      times[static_cast<std::size_t>(l - all.begin())].push_back(m.seconds);
      l->counters = std::move(m.counters);
    }
  std::vector<measured_layer> measured;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto& t = times[i];
    if (t.empty()) continue;  // a layer of the host
    std::ranges::nth_element(t, t.begin() + static_cast<std::ptrdiff_t>(t.size() / 2));
    all[i].seconds = t[t.size() / 2];
    measured.push_back(std::move(all[i]));
  }
  return measured;
}

std::string to_table(const std::vector<measured_layer>& all, double megahertz) {
  std::vector<std::string> counters;  // what no unit has counted has no column
  for (const auto& l : all)
    for (const auto& c : l.counters)
      if (c.value != 0 && std::ranges::find(counters, c.name) == counters.end())
        counters.push_back(c.name);
  std::vector<report::table::column> titles{
      {.title = "layer", .shortens = true, .leads = true}, {.title = "engine", .leads = true},
      {"predicted", true}, {"taken", true}, {"ratio", true}};
  for (const auto& c : counters) titles.push_back({short_name(c), true});
  report::table t(std::move(titles));
  for (const auto& l : all) {
    const auto predicted = l.row.on_hardware.own(), taken = cycles_of(l, megahertz);
    const auto hundredths = predicted == 0 ? 0 : std::llround(100.0 * static_cast<double>(taken) /
                                                              static_cast<double>(predicted));
    std::vector<std::string> row{
        l.row.name, l.row.unit, grouped(predicted), grouped(taken),
        predicted == 0 ? "-" : text(hundredths / 100, '.', hundredths / 10 % 10, hundredths % 10)};
    for (const auto& c : counters) row.push_back(grouped(count_by(l, c)));
    t.add(std::move(row));
  }
  return t.print(line_width());
}

report::json to_json(const std::vector<measured_layer>& all, double megahertz) {
  auto list = report::json::array();
  for (const auto& l : all) {
    report::json counters = report::json::object();
    for (const auto& c : l.counters) counters[c.name] = c.value;
    list.push_back({{"task", l.row.task}, {"operation", l.row.index}, {"layer", l.row.name},
                    {"engine", l.row.unit}, {"microseconds", l.seconds * 1e6},
                    {"cycles_predicted", l.row.on_hardware.own()},
                    {"cycles_taken", cycles_of(l, megahertz)}, {"counters", counters}});
  }
  return list;
}

}  // namespace nvdlac::cli
