// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>

namespace nvdlac::cli {

// CLI11's help with descriptions that are wrapped at 100 columns.
class help_format : public CLI::Formatter {
 public:
  help_format() { column_width(indent); }

  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return entry(sub->get_name(), sub->get_description());
  }

 private:
  static constexpr std::size_t indent = 30, width = 100;

  static std::string entry(const std::string& name, const std::string& description) {
    std::string line = "  " + name, out;
    if (line.size() >= indent) {
      out = line + '\n';
      line.clear();
    }
    line.resize(indent, ' ');
    std::istringstream words(description);
    for (std::string word; words >> word;) {
      if (line.size() > indent && line.size() + 1 + word.size() > width) {
        out += line + '\n';
        line = std::string(indent, ' ');
      }
      line += (line.size() > indent ? " " : "") + word;
    }
    return out + line + '\n';
  }
};

}  // namespace nvdlac::cli
