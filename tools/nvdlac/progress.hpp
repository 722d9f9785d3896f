// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace nvdlac::cli {

// One line on the terminal that counts what is done: "calibrating 12/100". Nothing appears when the
// standard error is not a terminal.
class progress_line {
 public:
  explicit progress_line(std::string what, bool quiet = false);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void operator()(std::size_t done, std::size_t all);
  bool is_shown() const { return shown_; }
  void clear();  // for what is said meanwhile

 private:
  std::string what_;
  bool terminal_;
  bool shown_ = false;
  std::size_t percent_ = 101;
};

}  // namespace nvdlac::cli
