// SPDX-License-Identifier: Apache-2.0
#include "limit_options.hpp"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>

#include "named_numbers.hpp"

namespace nvdlac::cli {
namespace {

std::vector<named_number> numbers_in(budget& b) {
  std::vector<named_number> all;
  for (const auto& l : all_limits) all.push_back({l.name, &(b.*l.value)});
  return all;
}

}  // namespace

void add_limits(CLI::App& app, budget& to) {
  budget usual;
  app.add_option_function<std::vector<std::string>>(
         "--limit",
         [&to](const std::vector<std::string>& words) {
           for (const auto& word : words) set_number("--limit", word, numbers_in(to));
         },
         "What one input may cost, where more than is plausible is meant; may be given several "
         "times: " + list(numbers_in(usual)))
      ->type_name("NAME=NUMBER");
}

}  // namespace nvdlac::cli
