// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <streambuf>
#include <string>

namespace nvdlac::cli {

// While it lives, what a stream prints holds no command to a terminal, whatever names it is made
// of: lines of UTF-8, all else in hexadecimal.
class printable_output : std::streambuf {
 public:
  explicit printable_output(std::ostream&);
  ~printable_output() override;
  printable_output(const printable_output&) = delete;
  printable_output& operator=(const printable_output&) = delete;

 private:
  int_type overflow(int_type) override;
  std::streamsize xsputn(const char*, std::streamsize) override;
  int sync() override;
  bool pass_on();

  std::ostream& stream_;
  std::streambuf* to_;
  std::string text_{};  // not yet passed on
};

}  // namespace nvdlac::cli
