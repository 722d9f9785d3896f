// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace nvdlac {
struct budget;
}

namespace nvdlac::cli {

// --limit NAME=NUMBER, of nvdlac::budget.
void add_limits(CLI::App&, budget&);

}  // namespace nvdlac::cli
