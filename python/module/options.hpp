// SPDX-License-Identifier: Apache-2.0
#pragma once
// The options of the command line as keywords of Python: their definitions are the only ones.
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nvdlac::python {

// Adds options, which set something of the caller's, as the subcommands do.
using option_adder = std::function<void(CLI::App&)>;

// An option by its keyword: keep_scales for --keep-scales, and from_ for --from, as `from` is a
// word of Python's own.
struct keyword {
  std::string name{}, option{};
  std::string value{};  // "NUMBERS"; empty: true or false
  std::vector<std::string> choices{};
  bool takes_others = false;  // than these words
  std::string group{}, description{};
  bool several = false;
};

// All but those of positionals and of `without`, which are arguments.
std::vector<keyword> keywords_of(const option_adder&, const std::vector<std::string>& without);

// A keyword that there is not, with the nearest one: a TypeError of Python.
struct unknown_keyword : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A value that the option does not take: a ValueError of Python.
struct wrong_value : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The value that a call gives an option: a flag that is set, or words.
struct given_option {
  std::string keyword{};
  bool is_flag = false;
  std::vector<std::string> words{};
};

// Sets what the options say. Throws unknown_keyword and wrong_value.
void set_options(const option_adder&, const std::vector<std::string>& without,
                 const std::vector<given_option>& given);

// A message of the command line with keywords in place of options.
std::string in_keywords(const std::string& message);

}  // namespace nvdlac::python
