// SPDX-License-Identifier: Apache-2.0
#include "provenance.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/version.hpp>

#include "preparation.hpp"
#include "versions.hpp"

namespace nvdlac::cli {
namespace {

// "104,117.5"
std::string in_words(const std::vector<double>& numbers) {
  std::string all;
  for (const auto number : numbers) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    all += (all.empty() ? "" : ",") + std::string(digits.data(), end);
  }
  return all;
}

// --mean and --scale as numbers, also where a picture or a name gave them, or --std.
std::string as_numbers(const std::string& word, const preprocessing_options& how) {
  if (word.starts_with("--mean=")) return "--mean=" + in_words(how.how().mean);
  if (word.starts_with("--std=")) return "--scale=" + in_words(how.how().scale);
  return word;
}

std::vector<label> noted_options(const model_options& given, bool for_traces) {
  std::vector<std::string> words;
  for (const auto& name : given.configs) words.push_back("--config=" + name);
  for (const auto& given_word : given.words)
    if (auto word = as_numbers(given_word, given.preprocessing);
        std::ranges::count(words, word) == 0 || word == given_word)
      words.push_back(std::move(word));
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
