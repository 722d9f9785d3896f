// SPDX-License-Identifier: Apache-2.0
#include "exploration.hpp"

#include <algorithm>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/cost/silicon.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/report/explored.hpp>
#include <nvdlac/report/explored_json.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::python {

std::string explore(const model& m, cli::compilation_options given, const cli::target& start,
                    const member_ranges& wanted, const cli::progress_watcher& watch) {
  report::explored answer;
  for (const auto& [member, values] : wanted) answer.ranges.push_back({member, values});
  const auto prediction = given.prediction;
  answer.start = start.spec();
  answer.megahertz = prediction.megahertz;
  const auto specs = explore::configurations(start.spec(), answer.ranges);
  const prepared_model prepared(m, std::move(given), start, watch);
  const auto& options = prepared.from().options();
  answer.networks = {options.network};
  answer.together = explore::predict(
      specs, prepared.from().network().integers, options,
      static_cast<std::uint32_t>(options.threads), [&](std::size_t done, std::size_t all) {
        if (watch) watch("predicting", done, all);
      },
      [&](const hw::spec& s) { return prediction.memory_on(s); });
  const auto by = cost::published_silicon();
  explore::estimate(answer.together, by);
  answer.estimated_by = by.source;
  answer.each = {answer.together};
  const auto& points = answer.together;
  if (std::ranges::none_of(points, [](const auto& p) { return p.refused.empty(); }))
    throw error(text("none of ", count_of(points.size(), "configuration"),
                     " runs the network; of the first: ",
                     points.front().refused));
  return report::json_text(report::to_json(answer, std::string(start.name())));
}

}  // namespace nvdlac::python
