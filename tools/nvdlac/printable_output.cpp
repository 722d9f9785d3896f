// SPDX-License-Identifier: Apache-2.0
#include "printable_output.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>

#include "manner.hpp"
#include "progress.hpp"

namespace nvdlac::cli {
namespace {

constexpr std::size_t most_held = 1 << 16;

struct message_kind {
  std::string_view label, code;
};
constexpr message_kind kinds[]{
    {"error: ", "\x1b[1;31m"}, {"warning: ", "\x1b[1;33m"}, {"note: ", "\x1b[1;36m"}};

// "nvdlac: error: .."
std::string dressed(std::string_view lines) {
  const auto& how = manner::in_force();
  const bool in_colour = how.colours_messages();
  std::string out;
  while (!lines.empty()) {
    const auto line = lines.substr(0, std::min(lines.find('\n'), lines.size() - 1) + 1);
    lines.remove_prefix(line.size());
    const auto begin = std::min(line.find(": "), line.size() - 2) + 2;
    const auto* kind = line.size() < 3 ? std::end(kinds)
                                       : std::ranges::find_if(kinds, [&](const message_kind& k) {
                                           return line.substr(begin).starts_with(k.label);
                                         });
    if (kind == std::end(kinds)) {
      out += line;
    } else if (!how.quiet || kind->label != "note: ") {
      const auto rest = begin + kind->label.size() - 1;
      out += line.substr(0, begin);
      out += in_colour ? text(kind->code, line.substr(begin, rest - begin), "\x1b[0m")
                       : std::string(line.substr(begin, rest - begin));
      out += line.substr(rest);
    }
  }
  return out;
}

}  // namespace

printable_output::printable_output(std::ostream& stream, bool of_messages)
    : stream_(stream), to_(stream.rdbuf(this)), of_messages_(of_messages) {}

printable_output::~printable_output() {
  stream_.flush();
  pass_on(text_.size());
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
  if (text_.size() > most_held && text_.back() == '\n' && !pass_on(text_.size()))
    return 0;
  return count;
}

int printable_output::sync() {
  const auto terminal = without_progress();
  const auto count = of_messages_ ? text_.rfind('\n') + 1 : text_.size();
  return pass_on(count) && to_->pubsync() == 0 ? 0 : -1;
}

bool printable_output::pass_on(std::size_t count) {
  const auto terminal = without_progress();
  auto s = escape::lines(text_.substr(0, count));
  text_.erase(0, count);
  if (of_messages_) s = folded(dressed(s), line_width(stream::messages));
  const auto size = static_cast<std::streamsize>(s.size());
  return to_->sputn(s.data(), size) == size;
}

}  // namespace nvdlac::cli
