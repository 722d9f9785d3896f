// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options of a command as their definitions describe them, for what is written from them.
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace nvdlac::cli {

struct described_option {
  std::string short_name{}, long_name{};  // "-c", "--config"; of a positional both are empty
  std::string value{};                    // "FILE"; empty of a flag
  std::vector<std::string> choices{};     // words that may be the value, where these are known
  bool takes_others = false;              // than these words, such as numbers
  std::string bounds{};                   // "[1 - 256]"
  std::string group{}, description{};
  bool several = false, required = false;

  bool is_positional() const { return short_name.empty() && long_name.empty(); }
  bool takes_path() const;
};

// In the order in which they were defined, without those that help does not show.
std::vector<described_option> options_of(const CLI::App&);
std::vector<const CLI::App*> commands_of(const CLI::App&);

// The words that completions offer for the option's value, "a, b"; they are not checked.
void suggest(CLI::Option&, const std::string& list);

// The text below the help: plain text, examples, and exit codes, each in lines.
struct described_footer {
  std::vector<std::string> text{}, examples{}, exit_codes{};
};
described_footer footer_of(const CLI::App&);

}  // namespace nvdlac::cli
