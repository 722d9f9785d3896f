// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/base/text_stream.hpp>

#include <cstdint>
#include <ios>
#include <locale>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include <nvdlac/base/error.hpp>

using namespace nvdlac;

namespace {

// Numbers as some languages write them: 1.234,5.
struct with_points : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  char do_decimal_point() const override { return ','; }
  std::string do_grouping() const override { return "\3"; }
};

// The locale of a program for as long as this lives.
struct global_locale {
  global_locale()
      : before(std::locale::global(std::locale(std::locale::classic(), new with_points))) {}
  ~global_locale() { std::locale::global(before); }
  global_locale(const global_locale&) = delete;
  global_locale& operator=(const global_locale&) = delete;

  std::locale before;
};

}  // namespace

TEST_CASE("numbers are written and read alike whatever the program's locale is") {
  const global_locale set;
  REQUIRE((std::ostringstream() << 1234567).str() == "1.234.567");
  CHECK(text(1234567, " ", 0.5, " ", std::hex, 0x80000000U) == "1234567 0.5 80000000");
  text_stream out;
  out << std::hex << 0x80000000U;
  CHECK(out.str() == "80000000");
  std::uint64_t read = 0;
  double real = 0;
  word_stream("1234567 0.5") >> read >> real;
  CHECK(read == 1234567);
  CHECK(real == 0.5);
}
