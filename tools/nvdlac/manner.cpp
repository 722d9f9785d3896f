// SPDX-License-Identifier: Apache-2.0
#include "manner.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <sys/ioctl.h>
#include <unistd.h>

namespace nvdlac::cli {

manner& manner::in_force() {
  static manner the_manner;
  return the_manner;
}

bool manner::colours_messages() const {
  if (in_colour != colour::automatic) return in_colour == colour::always;
  const auto says = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  return says("NO_COLOR").empty() && says("TERM") != "dumb" && isatty(STDERR_FILENO) != 0;
}

std::size_t line_width(stream of) {
  const int descriptor = of == stream::output ? STDOUT_FILENO : STDERR_FILENO;
  constexpr std::size_t least = 80;
  winsize size{};  // of the terminals of mpirun's ranks, which nobody reads, 0
  if (isatty(descriptor) == 0 || ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 0;
  return std::max(least, std::size_t{size.ws_col});
}

namespace {

// Where a line of so many letters ends: at its last blank that is not among the first ones, or, if
// there is none, at the next; at the end of what fits.
std::size_t end_of_line(std::string_view line, std::size_t most) {
  std::size_t letters = 0, last = line.npos;
  bool in_colour = false, begun = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\x1b') in_colour = true;
    if (in_colour) {
      in_colour = c != 'm';
      continue;
    }
    if (c == ' ' && begun) last = i;
    begun = begun || c != ' ';
    if (letters++ >= most && last != line.npos) return last;
  }
  return line.size();
}

}  // namespace

std::string folded(std::string_view lines, std::size_t most, std::size_t hang) {
  if (most == 0) return std::string(lines);
  std::string out;
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    std::string line(lines.substr(0, end));
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()) + hang, ' ');
    for (auto at = end_of_line(line, most); at < line.size(); at = end_of_line(line, most)) {
      const auto next = line.find_first_not_of(' ', at);
      out += line.substr(0, line.find_last_not_of(' ', at) + 1);
      if (next != line.npos) out += '\n';
      line = next == line.npos ? "" : indent + line.substr(next);
    }
    out += line;
    if (end < lines.size()) out += '\n';
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return out;
}

void add_manner(CLI::App& app) {
  auto& now = manner::in_force();
  app.add_flag("-q,--quiet", now.quiet,
               "Say neither progress nor notes nor what was made: results, warnings and errors "
               "only");
  app.add_option_function<std::string>(
         "--color",
         [&now](const std::string& when) {
           now.in_colour = when == "auto"     ? colour::automatic
                           : when == "always" ? colour::always
                                              : colour::never;
         },
         "Colours of messages: auto (default: on a terminal, unless NO_COLOR is set), always or "
         "never")
      ->check(CLI::IsMember({"auto", "always", "never"}))->type_name("WHEN");
}

}  // namespace nvdlac::cli
