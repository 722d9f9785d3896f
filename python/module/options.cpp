// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

#include "described_options.hpp"
#include "nearest.hpp"

namespace nvdlac::python {
namespace {

// Words of Python that are names of options.
constexpr std::array<std::string_view, 1> words_of_python{"from"};

std::string keyword_of(std::string option) {
  option.erase(0, option.find_first_not_of('-'));
  std::ranges::replace(option, '-', '_');
  if (std::ranges::count(words_of_python, option) != 0) option += '_';
  return option;
}

std::vector<keyword> keywords_in(const CLI::App& app, const std::vector<std::string>& without) {
  std::vector<keyword> all;
  for (auto& o : cli::options_of(app)) {
    if (o.long_name.empty() || o.long_name == "--help") continue;
    auto name = keyword_of(o.long_name);
    if (std::ranges::count(without, name) != 0) continue;
    all.push_back({std::move(name), o.long_name, o.value, o.choices, o.takes_others,
                   in_keywords(o.group), in_keywords(o.description), o.several});
  }
  return all;
}

// `beside` are names of what is given in another way, which may be meant.
[[noreturn]] void fail_for(const std::string& name, const std::vector<keyword>& known,
                           const std::vector<std::string>& beside) {
  std::vector<std::string> names;
  for (const auto& k : known) names.push_back(k.name);
  auto meant = names;
  meant.insert(meant.end(), beside.begin(), beside.end());
  const auto like = cli::nearest(name, meant);
  throw unknown_keyword(text("there is no option '", name, "'",
                             like.empty() ? text(" (there are ", joined(names), ")")
                                          : text(": did you mean '", like, "'?")));
}

}  // namespace

std::vector<keyword> keywords_of(const option_adder& add,
                                 const std::vector<std::string>& without) {
  CLI::App app;
  add(app);
  return keywords_in(app, without);
}

void set_options(const option_adder& add, const std::vector<std::string>& without,
                 const std::vector<given_option>& given) {
  CLI::App app;
  add(app);
  const auto known = keywords_in(app, without);
  std::vector<std::string> words;
  for (const auto& g : given) {
    const auto found = std::ranges::find(known, g.keyword, &keyword::name);
    if (found == known.end()) fail_for(g.keyword, known, without);
    if (g.is_flag != found->value.empty())
      throw wrong_value(text(g.keyword, found->value.empty() ? " is True or False"
                                                             : " takes a value: " + found->value));
    if (g.is_flag) words.push_back(found->option);
    auto of_option = g.words;
    if (!found->several && of_option.size() > 1) of_option = {joined(of_option, ",")};
    for (const auto& word : of_option) {
      if (word.empty()) throw wrong_value(g.keyword + " is empty");
      words.push_back(found->option + "=" + word);
    }
  }
  std::ranges::reverse(words);  // CLI11 takes them from the end
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    throw wrong_value(in_keywords(e.what()));
  }
}

std::string in_keywords(const std::string& message) {
  static const std::regex option("--[a-z][a-z0-9-]*");
  std::string result;
  auto at = message.cbegin();
  for (std::sregex_iterator i(message.begin(), message.end(), option), end; i != end; ++i) {
    result.append(at, (*i)[0].first).append(keyword_of(i->str()));
    at = (*i)[0].second;
  }
  return result.append(at, message.cend());
}

}  // namespace nvdlac::python
