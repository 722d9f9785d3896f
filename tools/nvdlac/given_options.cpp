// SPDX-License-Identifier: Apache-2.0
#include "given_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/CLI.hpp>

#include "compilation_options.hpp"

namespace nvdlac::cli {
namespace {

// Options of files, whose content counts, --config, noted elsewhere, and some that change no byte.
constexpr std::array<std::string_view, 7> without_influence{
    "--calibration", "--scales", "--schedule", "--config", "--threads", "--clock", "--programming"};

}  // namespace

std::vector<std::string> given_options(const CLI::App& app) {
  compilation_options unused;
  CLI::App known;
  known.set_help_flag();
  add_model_options(known, unused.model);
  add_building(known, unused);
  auto all = known.get_options([](const CLI::Option* o) { return !o->get_lnames().empty(); });
  std::ranges::sort(all, {}, [](const CLI::Option* o) { return o->get_lnames().front(); });
  std::vector<std::string> words;
  for (const auto* option : all) {
    const auto name = "--" + option->get_lnames().front();
    const auto* const given = app.get_option_no_throw(name);
    if (given == nullptr || given->count() == 0 ||
        std::ranges::find(without_influence, name) != without_influence.end())
      continue;
    if (given->get_items_expected_max() == 0) words.push_back(name);
    else
      for (const auto& value : given->results()) words.push_back(name + '=' + value);
  }
  return words;
}

}  // namespace nvdlac::cli
