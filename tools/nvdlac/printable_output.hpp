// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <ostream>
#include <streambuf>
#include <string>

namespace nvdlac::cli {

// While it lives, what a stream prints holds no command to a terminal, whatever names it is made
// of: lines of UTF-8, all else in hexadecimal. Of messages, whole lines are passed on, in which the
// words error, warning and note have colours, or notes are left out, as the manner is.
class printable_output : std::streambuf {
 public:
  explicit printable_output(std::ostream&, bool of_messages = false);
  ~printable_output() override;
  printable_output(const printable_output&) = delete;
  printable_output& operator=(const printable_output&) = delete;

 private:
  int_type overflow(int_type) override;
  std::streamsize xsputn(const char*, std::streamsize) override;
  int sync() override;
  bool pass_on(std::size_t count);

  std::ostream& stream_;
  std::streambuf* to_;
  bool of_messages_;
  std::string text_{};  // not yet passed on
};

}  // namespace nvdlac::cli
