// SPDX-License-Identifier: Apache-2.0
#include "described_options.hpp"

#include <sstream>

#include <CLI/CLI.hpp>

namespace nvdlac::cli {
namespace {

constexpr auto suggested = "suggested";

std::vector<std::string> words_in_braces(const std::string& text) {
  const auto begin = text.find('{'), end = text.find('}');
  std::vector<std::string> words;
  if (begin == text.npos || end == text.npos) return words;
  std::istringstream in(text.substr(begin + 1, end - begin - 1));
  for (std::string word; std::getline(in >> std::ws, word, ',');) words.push_back(word);
  return words;
}

// CLI11 tells of a validator that is not active nothing but that it is there.
std::vector<std::string> suggestions_of(const CLI::Option& option) try {
  CLI::Validator v = *const_cast<CLI::Option&>(option).get_validator(suggested);
  return words_in_braces(v.active().get_description());
} catch (const CLI::OptionNotFound&) {
  return {};
}

described_option describe(const CLI::Option& option) {
  described_option d{.group = option.get_group(), .description = option.get_description()};
  if (!option.get_snames().empty()) d.short_name = "-" + option.get_snames().front();
  if (!option.get_lnames().empty()) d.long_name = "--" + option.get_lnames().front();
  d.several = option.get_items_expected_max() > 1;
  d.required = option.get_required();
  if (option.get_items_expected_max() == 0) return d;
  const auto type = option.get_type_name();  // "FORMAT:{text,dot}", "N:INT in [1 - 1024]"
  const auto colon = type.find(':');
  d.value = d.is_positional() ? option.get_name(true) : type.substr(0, colon);
  if (colon != type.npos) {
    d.choices = words_in_braces(type.substr(colon));
    if (const auto bounds = type.find('[', colon); bounds != type.npos)
      d.bounds = type.substr(bounds);
  }
  d.takes_others = d.choices.empty();
  if (d.takes_others) d.choices = suggestions_of(option);
  return d;
}

}  // namespace

bool described_option::takes_path() const {
  for (const char* word : {"FILE", "DIR", "OUT", "MODEL", "WEIGHTS", "LOADABLE", "TRACE"})
    if (value.find(word) != value.npos) return true;
  return false;
}

std::vector<described_option> options_of(const CLI::App& app) {
  std::vector<described_option> all;
  for (const auto* option : app.get_options([](const CLI::Option* o) {
         return !o->get_group().empty();
       }))
    all.push_back(describe(*option));
  return all;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

void suggest(CLI::Option& option, const std::string& list) {
  option.check(CLI::Validator("{" + list + "}").name(suggested).active(false));
}

described_footer footer_of(const CLI::App& app) {
  described_footer footer;
  auto* to = &footer.text;
  std::istringstream in(app.get_footer());
  for (std::string line; std::getline(in, line);) {
    if (line == "Example:" || line == "Examples:") to = &footer.examples;
    else if (line.starts_with("Exit codes: ")) footer.exit_codes.push_back(line.substr(12));
    else to->push_back(line);
  }
  return footer;
}

}  // namespace nvdlac::cli
