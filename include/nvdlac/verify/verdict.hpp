// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a program is good enough: what a verification must find.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/verify/report.hpp>

namespace nvdlac::verification {

// The conditions that must hold of every program, besides that it is bit-exact.
struct thresholds {
  // The least inputs whose first class is right, or the float network's without labels, in percent.
  std::optional<double> top1{};
  // The most right classes of the float network that are lost, in percent of all inputs; it takes
  // labels.
  std::optional<double> drop{};
  // The least signal to noise of every output, in dB; of one that several tensors hold, of each
  // part.
  std::optional<double> snr{};
};
enum class threshold : std::uint8_t { top1, drop, snr };

// The name that a threshold has for a user of C++.
std::string_view name_of(threshold t);

// One threshold and what a program has.
struct judgement {
  threshold of{};
  std::size_t program = 0;  // its place in the report
  std::string what{};       // "top-1", "SNR of 'prob'"
  double value = 0, limit = 0;  // the value is NaN where it is not known
  std::string_view unit{};  // " %", " dB"
  bool met = false;
  std::string unknown{};    // why the value is not known, as report::not_finite says it

  // "top-1 is 97 %"
  std::string found() const;
};

// Each threshold for each program. Throws nvdlac::error where `drop` is asked for without labels.
std::vector<judgement> judge(const report& r, const thresholds& wanted);

// Returns what does not hold: "NETWORK on nv_small: top-1 is 97 %, by 1 % less than
// thresholds::top1 98", or why the value is not known. `named` gives thresholds the names that the
// user knows.
template <class Named = std::string_view (*)(threshold)>
std::vector<problem> missed(const report& r, const std::vector<judgement>& judged,
                            Named named = name_of) {
  std::vector<problem> all;
  for (const auto& j : judged) {
    if (j.met) continue;
    const auto by = j.unknown.empty()
                        ? text(", by ", std::fabs(j.value - j.limit), j.unit,
                               j.value > j.limit ? " more than " : " less than ")
                        : ", and so misses ";
    all.push_back({.reason = text(r.network, " on ", r.programs.at(j.program).configuration, ": ",
                                  j.found(), by, named(j.of), ' ', j.limit)});
  }
  return all;
}

// Where a simulated program is not the exact integer network: of each program the first input.
std::vector<problem> inexact(const report& r);

// All that speaks against the programs: what is not bit-exact, and thresholds that are missed.
// Nothing: they are good.
std::vector<problem> refusals(const report& r, const thresholds& wanted = {});

}  // namespace nvdlac::verification

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/verify/verdict.ipp>
#endif
