// SPDX-License-Identifier: Apache-2.0
#include "spread_values.hpp"

#include <cctype>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "usage.hpp"

namespace nvdlac::cli {
namespace {

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

// "--input" of "--input=a", "-i" of "-ia".
std::string name_in(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

// One with a delimiter has its several values in one word.
bool takes_several(const CLI::Option& o) {
  return o.get_items_expected_max() > 1 && o.get_delimiter() == '\0';
}

std::string positional_of(const CLI::App& command) {
  const auto all = command.get_options([](const CLI::Option* o) { return o->get_positional(); });
  return all.empty() ? "other words" : all.front()->get_name(true);
}

}  // namespace

std::vector<std::string> spread_values(const CLI::App& command,
                                       const std::vector<std::string>& words) {
  struct further_value {
    std::size_t at = 0;
    std::string option{};
  };
  std::vector<further_value> further;
  std::string several;  // the option whose values these may be
  bool has_positional = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {  // positionals are behind it
      has_positional = has_positional || i + 1 < words.size();
      break;
    }
    if (!is_option(words[i])) {
      if (several.empty()) has_positional = true;
      else further.push_back({i, several});
      continue;
    }
    const auto name = name_in(words[i]);
    const auto* option = command.get_option_no_throw(name);
    several = option != nullptr && takes_several(*option) ? name : "";
    if (option == nullptr || option->get_items_expected_max() == 0 || name != words[i]) continue;
    if (++i < words.size() && is_option(words[i]) &&
        command.get_option_no_throw(name_in(words[i])) != nullptr)
      throw usage_error(text(name, " needs a value, but ", words[i],
                             " stands behind it, which is an option: write ", name, "=", words[i],
                             " if it is meant"));
  }
  if (!has_positional && further.size() > 1)
    throw usage_error(text("it is open which words behind ", further.front().option,
                           " are its values: write ", positional_of(command), " before it"));
  std::vector<std::string> spread;
  auto next = further.begin();
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (next != further.end() && next->at == i) {
      if (has_positional) spread.push_back(next->option);
      ++next;
    }
    spread.push_back(words[i]);
  }
  return spread;
}

}  // namespace nvdlac::cli
