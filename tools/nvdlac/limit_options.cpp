// SPDX-License-Identifier: Apache-2.0
#include "limit_options.hpp"

#include <charconv>
#include <string>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>

#include "usage.hpp"

namespace nvdlac::cli {
namespace {

std::string names() {
  std::string all;
  for (const auto& l : all_limits)
    all += text(all.empty() ? "" : ", ", l.name, " (", budget{}.*l.value, ")");
  return all;
}

void set_limit(const std::string& word) {
  const auto equals = word.find('=');
  for (const auto& l : all_limits) {
    if (l.name != word.substr(0, equals)) continue;
    const auto digits = equals == word.npos ? "" : word.substr(equals + 1);
    std::uint64_t value = 0;
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || failed != std::errc{} || end != digits.data() + digits.size())
      throw usage_error("--limit: '" + word + "' is not " + std::string(l.name) + "=NUMBER");
    budget::in_force().*l.value = value;
    return;
  }
  throw usage_error("--limit: '" + word + "' names none of the limits " + names());
}

}  // namespace

void add_limits(CLI::App& app) {
  app.add_option_function<std::vector<std::string>>(
         "--limit",
         [](const std::vector<std::string>& words) {
           for (const auto& word : words) set_limit(word);
         },
         "What one input may cost, where more than is plausible is meant; may be given several "
         "times: " + names())
      ->allow_extra_args(false)->type_name("NAME=NUMBER");
}

}  // namespace nvdlac::cli
