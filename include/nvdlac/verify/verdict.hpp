// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a program is good enough: what a verification must find.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::verification {

// What must hold of every program, besides that it is bit-exact.
struct thresholds {
  // The least inputs whose first class is right, or the float network's without labels, in percent.
  std::optional<double> top1{};
  // The most right classes of the float network that are lost, in percent of all inputs; it takes
  // labels.
  std::optional<double> drop{};
  // The least signal to noise of every output, in dB.
  std::optional<double> snr{};
};
enum class threshold : std::uint8_t { top1, drop, snr };

// The name that a threshold has for a user of C++.
inline std::string_view name_of(threshold t) {
  return t == threshold::top1   ? "thresholds::top1"
         : t == threshold::drop ? "thresholds::drop"
                                : "thresholds::snr";
}

// One threshold and what a program has.
struct judgement {
  threshold of{};
  std::size_t program = 0;  // its place in the report
  std::string what{};       // "top-1", "SNR of 'prob'"
  double value = 0, limit = 0;
  std::string_view unit{};  // " %", " dB"
  bool met = false;
};

// Each threshold for each program. Throws nvdlac::error where `drop` is asked for without labels.
inline std::vector<judgement> judge(const report& r, const thresholds& wanted) {
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
      const double snr = counted.outputs[o].snr();
      all.push_back({threshold::snr, p, text("SNR of '", r.outputs[o].name, '\''), snr,
                     *wanted.snr, " dB", snr >= *wanted.snr});
    }
  }
  return all;
}

// What does not hold: "NETWORK on nv_small: top-1 is 97 %, by 1 % less than thresholds::top1 98".
// `named` gives thresholds the names that the user knows.
template <class Named = std::string_view (*)(threshold)>
std::vector<problem> missed(const report& r, const std::vector<judgement>& judged,
                            Named named = name_of) {
  const auto printed = [](double x) {
    std::ostringstream out;
    out << std::setprecision(6) << x;
    return out.str();
  };
  std::vector<problem> all;
  for (const auto& j : judged)
    if (!j.met)
      all.push_back({.reason = text(r.network, " on ", r.programs.at(j.program).configuration,
                                    ": ", j.what, " is ", printed(j.value), j.unit, ", by ",
                                    printed(std::fabs(j.value - j.limit)), j.unit,
                                    j.value > j.limit ? " more than " : " less than ",
                                    named(j.of), ' ', printed(j.limit))});
  return all;
}

// Where a simulated program is not the exact integer network: of each program the first input.
inline std::vector<problem> inexact(const report& r) {
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

// All that speaks against the programs: what is not bit-exact, and thresholds that are missed.
// Nothing: they are good.
inline std::vector<problem> refusals(const report& r, const thresholds& wanted = {}) {
  auto all = inexact(r);
  for (auto& p : missed(r, judge(r, wanted))) all.push_back(std::move(p));
  return all;
}

}  // namespace nvdlac::verification
