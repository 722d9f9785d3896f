// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace nvdlac::cli {

// The words behind a command, "--input a b" written as "--input a --input b": an option that may be
// given several times takes all words up to the next option. Where the command's positional comes
// only behind them, one more word is that; of more nobody can tell, which is a usage_error, as is
// an option of the command in place of a value.
std::vector<std::string> spread_values(const CLI::App& command,
                                       const std::vector<std::string>& words);

}  // namespace nvdlac::cli
