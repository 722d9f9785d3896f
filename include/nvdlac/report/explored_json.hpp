// SPDX-License-Identifier: Apache-2.0
#pragma once
// Predicted configurations of a range in JSON. It is a template, so that the library of JSON costs
// only who asks for it.
#include <cstddef>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/report/explored.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::report {

// The points that run the networks, of the front with their C++: the estimated area in square
// millimetres, energy of a run in microjoules; `start` is the name of the
// configuration that the ranges change.
template <class Json = json>
Json to_json(const explored& a, const std::string& start) {
  Json j{{"networks", a.networks}, {"start", start}, {"clock_megahertz", a.megahertz},
         {"refused", 0}, {"estimate", a.estimated_by}, {"front_of", Json::array()}};
  for (const auto o : a.objectives)
    j["front_of"].push_back(explore::objective_names[static_cast<std::size_t>(o)]);
  auto& members = j["members"] = Json::array();
  for (const auto& r : a.ranges) members.push_back(r.member);
  auto& points = j["points"] = Json::array();
  std::size_t refused = 0;
  for (std::size_t n = 0; n < a.together.size(); ++n) {
    const auto& p = a.together[n];
    if (!p.refused.empty()) {
      ++refused;
      continue;
    }
    const auto [cycles, macs, cbuf, bus, lanes, area, energy] = explore::objectives(p);
    Json one{{"point", n},
             {"shape", text(p.spec.mac_atomic_c, 'x', p.spec.mac_atomic_k)},
             {"macs", macs}, {"cbuf", cbuf}, {"bus", bus}, {"cycles", cycles},
             {"runs_per_second", p.totals.runs_per_second(a.megahertz)},
             {"limited_by", cost::name_of(p.totals.limited_by)}, {"base", p.spec == a.start},
             {"lanes", lanes}, {"area", static_cast<double>(area) / 1e6},
             {"energy", static_cast<double>(energy) / 1e3},
             {"read", p.totals.read}, {"written", p.totals.written},
             {"features", p.features}, {"weights", p.weights}, {"front", p.on_front},
             {"outlined", p.outlined}};
    auto& values = one["values"] = Json::array();
    for (const auto& r : a.ranges) values.push_back(explore::value_of(p.spec, r.member));
    if (a.each.size() > 1) {
      auto& each = one["each"] = Json::array();
      for (const auto& own : a.each) each.push_back(own[n].totals.cycles);
    }
    if (p.on_front) one["header"] = text(head_of_explored, '\n', struct_of(n, p.spec));
    points.push_back(std::move(one));
  }
  j["refused"] = refused;
  return j;
}

}  // namespace nvdlac::report
