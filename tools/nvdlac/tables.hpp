// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nvdlac::cli {

// Whether a table of this name is to be a database of SQLite: .sqlite, .sqlite3 or .db.
bool is_database(const std::filesystem::path&);

// The cells of a table that is written as CSV, line by line.
std::vector<std::vector<std::string>> cells_of(std::string_view csv);

// The file of a table that is written as CSV, head and all: the CSV itself, or a database with one
// table of that name, numbers being numbers and empty cells NULL. The same table is the same bytes.
// Throws nvdlac::error where the tool was built without SQLite.
std::vector<std::uint8_t> table_file(const std::filesystem::path&, std::string_view name,
                                     std::string_view csv);
// Throws that error before any long work.
void require_table(const std::filesystem::path&);

}  // namespace nvdlac::cli
