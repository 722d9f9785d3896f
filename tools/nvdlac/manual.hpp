// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace CLI {
class App;
}

namespace nvdlac::cli {

// The page of the manual, for man, of the whole or of one of its commands.
std::string man_page(const CLI::App&);

// A script for a shell (bash, zsh or fish) that completes the words of that name's command line.
std::string completion(const CLI::App&, const std::string& shell, const std::string& name);

// Writes all pages and completions as they lie in a prefix's share: man/man1/nvdlac-run.1, ..
void write_manual(const CLI::App&, const std::filesystem::path& share);

}  // namespace nvdlac::cli
