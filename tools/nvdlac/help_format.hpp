// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "manner.hpp"

namespace nvdlac::cli {

// CLI11's help in lines of 100 letters, or of a terminal's width where that is less.
class help_format : public CLI::Formatter {
 public:
  help_format() { column_width(indent); }

  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = '\n' + behind("", group + ':');
    for (const auto* option : options) out += make_option(option, is_positional);
    return out;
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return entry(sub->get_name(), sub->get_description());
  }
  std::string make_description(const CLI::App* app) const override {
    return app->get_description().empty() ? "" : behind("", app->get_description());
  }
  // Examples and their like, which begin with a blank, keep their lines, but for long commands.
  std::string make_footer(const CLI::App* app) const override {
    std::string out, paragraph;
    const auto end = [&] {
      if (!paragraph.empty()) out += behind("", paragraph);
      paragraph.clear();
    };
    std::istringstream lines(app->get_footer());
    for (std::string line; std::getline(lines, line);) {
      const bool stays = line.empty() || line[0] == ' ';
      if (stays || line.starts_with("Example") || line.starts_with("Exit codes:")) end();
      if (stays) out += example(line);
      else paragraph += (paragraph.empty() ? "" : " ") + line;
    }
    end();
    return out;
  }

 private:
  static constexpr std::size_t indent = 30;

  static std::size_t width() {
    constexpr std::size_t most = 100;
    const auto terminal = line_width();
    return terminal == 0 ? most : std::min(most, terminal);
  }

  // Words behind the beginning of a line, on lines of which others begin with as many blanks.
  static std::string behind(const std::string& begin, const std::string& words) {
    std::istringstream lines(folded(words, width() - begin.size(), 0));
    std::string out, line;
    while (std::getline(lines, line))
      out += (out.empty() ? begin : std::string(begin.size(), ' ')) + line + '\n';
    return out.empty() ? begin + '\n' : out;
  }

  // A line of a shell that is too long goes on behind a \.
  static std::string example(const std::string& line) {
    constexpr std::string_view goes_on = " \\";
    const bool is_command = line.starts_with("  nvdlac ") || line.starts_with("      --");
    if (!is_command || line.size() <= width()) return line + '\n';
    std::istringstream parts(folded(line, width() - goes_on.size(), 4));
    std::string out;
    for (std::string part; std::getline(parts, part);)
      out += (out.empty() ? "" : std::string(goes_on) + '\n') + part;
    return out + '\n';
  }

  static std::string entry(const std::string& name, const std::string& description) {
    std::string line = "  " + name, out;
    if (line.size() >= indent) {
      out = line + '\n';
      line.clear();
    }
    line.resize(indent, ' ');
    return out + behind(line, description);
  }
};

}  // namespace nvdlac::cli
