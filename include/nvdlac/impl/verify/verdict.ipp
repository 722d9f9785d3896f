// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/verify/not_finite.hpp>
#include <nvdlac/verify/report.hpp>
#include <nvdlac/verify/verdict.hpp>

namespace nvdlac::verification {

NVDLAC_IMPL std::string_view name_of(threshold t) {
  return t == threshold::top1   ? "thresholds::top1"
         : t == threshold::drop ? "thresholds::drop"
                                : "thresholds::snr";
}

NVDLAC_IMPL std::string judgement::found() const {
  return unknown.empty() ? text(what, " is ", value, unit)
                         : text(what, " is not known (", unknown, ')');
}

NVDLAC_IMPL std::vector<judgement> judge(const report& r, const thresholds& wanted) {
  if (wanted.drop && !r.labelled)
    throw error(problem{.reason = "thresholds::drop compares how many classes are right",
                        .remedy = "give the labels of the inputs"});
  std::vector<judgement> all;
  const auto percent = [&](std::size_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(r.inputs.size());
  };
  const auto add = [&](judgement j) {
    if (!j.unknown.empty()) j.value = std::numeric_limits<double>::quiet_NaN();
    j.met = j.of == threshold::drop ? j.value <= j.limit : j.value >= j.limit;
    all.push_back(std::move(j));
  };
  for (std::size_t p = 0; p < r.programs.size(); ++p) {
    const auto& counted = r.programs[p];
    const bool classified = std::ranges::none_of(r.inputs, [&](const input_report& i) {
      return std::isnan(i.expected.value) || std::isnan(i.programs[p].first.value);
    });
    const auto no_class = classified ? "" : not_finite(r, p, 0);
    if (wanted.top1) {
      const double good = percent(r.labelled ? counted.right : counted.agreed);
      add({.of = threshold::top1, .program = p,
           .what = r.labelled ? "top-1" : "top-1 beside float", .value = good,
           .limit = *wanted.top1, .unit = " %", .unknown = no_class});
    }
    if (wanted.drop) {
      const double lost = percent(r.float_right) - percent(counted.right);
      add({.of = threshold::drop, .program = p, .what = "drop of top-1", .value = lost,
           .limit = *wanted.drop, .unit = " %", .unknown = no_class});
    }
    if (!wanted.snr) continue;
    for (std::size_t o = 0; o < counted.outputs.size(); ++o) {
      const auto& c = counted.outputs[o];
      const auto worst = c.parts.empty() ? std::nullopt : std::optional(c.worst_part());
      const auto part = worst ? text("part '", r.outputs[o].parts.at(*worst), "' of ") : "";
      add({.of = threshold::snr, .program = p,
           .what = text("SNR of ", part, '\'', r.outputs[o].name, '\''),
           .value = c.worst_snr(), .limit = *wanted.snr, .unit = " dB",
           .unknown = not_finite(r, p, o, worst)});
    }
  }
  return all;
}

NVDLAC_IMPL std::vector<problem> inexact(const report& r) {
  std::vector<problem> all;
  for (std::size_t p = 0; p < r.programs.size(); ++p)
    for (const auto& i : r.inputs) {
      const auto& differs = i.programs[p].differs;
      if (!differs) continue;
      all.push_back({.layer = differs->output,
                     .reason = text("the simulated ", r.programs[p].configuration,
                                    " differs from the exact integer network for ", i.name,
                                    ": element ", differs->element, " is ", differs->found,
                                    ", not ", differs->expected)});
      break;
    }
  return all;
}

NVDLAC_IMPL std::vector<problem> refusals(const report& r, const thresholds& wanted) {
  auto all = inexact(r);
  for (auto& p : missed(r, judge(r, wanted))) all.push_back(std::move(p));
  return all;
}

}  // namespace nvdlac::verification
