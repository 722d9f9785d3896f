// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>

namespace nvdlac::cli {

// A check for CLI11: a number from `least` to `most`. Its own Range takes nan, which is in none.
inline CLI::Validator number_from(double least, double most) {
  const auto range = text(least, " to ", most);
  return {[=](std::string& given) -> std::string {
            double v = 0;
            if (CLI::detail::lexical_cast(given, v) && v >= least && v <= most) return {};
            return text('\'', given, "' is no number from ", range);
          },
          range};
}

}  // namespace nvdlac::cli
