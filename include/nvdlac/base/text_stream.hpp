// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <locale>
#include <sstream>
#include <string>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// A stream that writes text for files and messages: numbers stand there as C++ writes them, without
// separators of thousands, whatever std::locale::global the program has set.
class text_stream : public std::ostringstream {
 public:
  text_stream() { imbue(std::locale::classic()); }
};

// A stream that reads words and numbers of such a text.
class word_stream : public std::istringstream {
 public:
  explicit word_stream(const std::string& s) : std::istringstream(s) {
    imbue(std::locale::classic());
  }
};

}  // namespace nvdlac
