// SPDX-License-Identifier: Apache-2.0
#include "printable_output.hpp"

#include <utility>

#include <nvdlac/base/escape.hpp>

namespace nvdlac::cli {
namespace {

constexpr std::size_t most_held = 1 << 16;

}  // namespace

printable_output::printable_output(std::ostream& stream)
    : stream_(stream), to_(stream.rdbuf(this)) {}

printable_output::~printable_output() {
  stream_.flush();
  stream_.rdbuf(to_);
}

printable_output::int_type printable_output::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char one = traits_type::to_char_type(c);
  return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize printable_output::xsputn(const char* from, std::streamsize count) {
  text_.append(from, static_cast<std::size_t>(count));
  // Characters of several bytes stay together: an end of a line is none of them.
  if (text_.size() > most_held && text_.back() == '\n' && !pass_on()) return 0;
  return count;
}

int printable_output::sync() { return pass_on() && to_->pubsync() == 0 ? 0 : -1; }

bool printable_output::pass_on() {
  const auto s = escape::lines(std::exchange(text_, {}));
  const auto size = static_cast<std::streamsize>(s.size());
  return to_->sputn(s.data(), size) == size;
}

}  // namespace nvdlac::cli
