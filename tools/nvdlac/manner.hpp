// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace CLI {
class App;
}

namespace nvdlac::cli {

enum class colour { automatic, always, never };

// How a command speaks. It is set before the command begins.
struct manner {
  bool quiet = false;  // neither progress nor notes nor summaries: results, warnings and errors
  colour in_colour = colour::automatic;

  // Whether messages have colours: on a terminal, unless NO_COLOR says otherwise (no-color.org).
  bool colours_messages() const;

  static manner& in_force();
};

// The letters of a line of a table on the standard output: of a terminal its width, but 80 where it
// is narrower; elsewhere 0, as many as there are.
std::size_t line_width();

// --quiet and --color, of every command.
void add_manner(CLI::App&);

}  // namespace nvdlac::cli
