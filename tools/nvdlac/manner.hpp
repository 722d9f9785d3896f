// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

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

enum class stream { output, messages };

// The letters of a line of the standard output, or of messages: of a terminal that tells its width
// this, but 80 where it is narrower; elsewhere 0, as many as there are.
std::size_t line_width(stream = stream::output);

// Lines of at most so many letters, broken between words; the rest of a line stands `hang` blanks
// behind its beginning. 0: as they are. Colours take no room.
std::string folded(std::string_view lines, std::size_t most, std::size_t hang = 2);

// --quiet and --color, of every command.
void add_manner(CLI::App&);

}  // namespace nvdlac::cli
