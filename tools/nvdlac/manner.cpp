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

std::size_t line_width() {
  if (isatty(STDOUT_FILENO) == 0) return 0;
  constexpr std::size_t least = 80;
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return std::max(least, known ? std::size_t{size.ws_col} : least);
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
