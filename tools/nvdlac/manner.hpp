// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// --quiet and --color, of every command.
void add_manner(CLI::App&);

}  // namespace nvdlac::cli
