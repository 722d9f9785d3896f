// SPDX-License-Identifier: Apache-2.0
#include "provenance.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

#include "preparation.hpp"
#include "versions.hpp"

namespace nvdlac::cli {
namespace {

// "--mean=104,117.5": as numbers, also where a picture gave them.
std::string mean_of(const preprocessing_options& how) {
  std::string all;
  for (const auto number : how.mean) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    all += (all.empty() ? "" : ",") + std::string(digits.data(), end);
  }
  return "--mean=" + all;
}

std::vector<label> noted_options(const model_options& given, bool for_traces) {
  std::vector<std::string> words;
  for (const auto& name : given.configs) words.push_back("--config=" + name);
  for (const auto& word : given.words)
    if (!word.starts_with("--mean=")) words.push_back(word);
    else if (const auto mean = mean_of(given.preprocessing); std::ranges::count(words, mean) == 0)
      words.push_back(mean);
  if (for_traces) words.emplace_back("--trace");
  std::ranges::stable_sort(words, {},
                           [](const std::string& w) { return w.substr(0, w.find('=')); });
  return {words.begin(), words.end()};
}

}  // namespace

emit::provenance provenance_of(const preparation& from, bool for_traces) {
  return {.version = version, .commit = commit(),
          .options = noted_options(from.given(), for_traces), .sources = from.sources()};
}

}  // namespace nvdlac::cli
