// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/verify/report.hpp>
#include <nvdlac/verify/verdict.hpp>

namespace nvdlac::verification {

NVDLAC_IMPL std::string_view name_of(threshold t) {
  return t == threshold::top1   ? "thresholds::top1"
         : t == threshold::drop ? "thresholds::drop"
                                : "thresholds::snr";
}

NVDLAC_IMPL std::vector<judgement> judge(const report& r, const thresholds& wanted) {
  if (wanted.drop && !r.labelled)
    throw error(problem{.reason = "thresholds::drop compares how many classes are right",
                        .remedy = "give the labels of the inputs"});
  std::vector<judgement> all;
  const auto percent = [&](std::size_t part) {
    return 100 * static_cast<double>(part) / static_cast<double>(r.inputs.size());
  };
  for (std::size_t p = 0; p < r.programs.size(); ++p) {
    const auto& counted = r.programs[p];
    if (wanted.top1) {
      const double good = percent(r.labelled ? counted.right : counted.agreed);
      all.push_back({threshold::top1, p, r.labelled ? "top-1" : "top-1 beside float", good,
                     *wanted.top1, " %", good >= *wanted.top1});
    }
    if (wanted.drop) {
      const double lost = percent(r.float_right) - percent(counted.right);
      all.push_back({threshold::drop, p, "drop of top-1", lost, *wanted.drop, " %",
                     lost <= *wanted.drop});
    }
    if (!wanted.snr) continue;
    for (std::size_t o = 0; o < counted.outputs.size(); ++o) {
      const auto& c = counted.outputs[o];
      const double snr = c.worst_snr();
      const auto part =
          c.parts.empty() ? "" : text("part '", r.outputs[o].parts.at(c.worst_part()), "' of ");
      all.push_back({threshold::snr, p, text("SNR of ", part, '\'', r.outputs[o].name, '\''), snr,
                     *wanted.snr, " dB", snr >= *wanted.snr});
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
