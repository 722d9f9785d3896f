// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace nvdlac::cli {

// --limit NAME=NUMBER, of nvdlac::budget; takes effect while the command line is parsed.
void add_limits(CLI::App&);

}  // namespace nvdlac::cli
