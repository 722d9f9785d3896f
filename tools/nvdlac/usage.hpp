// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace nvdlac::cli {

// The command line itself is wrong: exit code 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The work was done, and what the user asks for does not hold: exit code 4.
struct unmet : error {
  explicit unmet(std::vector<problem> what) : error(std::move(what)) {}
};

// An error in the input of a command of which 1 is an answer: exit code 2.
struct trouble : error {
  explicit trouble(const error& e) : error(e) {}
};

// Thrown where another process says what is to be said: exit code 0 here, as a launcher ends a job
// at once where a process has another one.
struct said_elsewhere {};

// The work was done and its answer is no, as of a comparison: exit code 1 without a message, so
// that flush_standard_output comes first.
struct negative {};

}  // namespace nvdlac::cli
