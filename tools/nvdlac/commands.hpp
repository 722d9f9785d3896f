// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "target.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

// Each adds its subcommand, whose callback does the work.
void add_configs(CLI::App&, target_list);
void add_config(CLI::App&);
void add_compile(CLI::App&, target_list);
void add_reproduce(CLI::App&, target_list);
void add_import(CLI::App&, target_list);
void add_run(CLI::App&, target_list);
void add_locate(CLI::App&, target_list);
void add_bench(CLI::App&, target_list);
void add_check(CLI::App&, target_list);
void add_replay(CLI::App&, target_list);
void add_inspect(CLI::App&, target_list);
void add_diff(CLI::App&, target_list);
void add_verify(CLI::App&, target_list);
void add_explore(CLI::App&, target_list);
void add_sweep(CLI::App&, target_list);

// The command line for these configurations; returns the exit code.
int run(int count, char** arguments, target_list);

}  // namespace nvdlac::cli
