// SPDX-License-Identifier: Apache-2.0
#include "tables.hpp"

#include <charconv>
#include <memory>
#include <utility>

#ifdef NVDLAC_SQLITE
#include <sqlite3.h>
#endif

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>

namespace nvdlac::cli {

std::vector<std::vector<std::string>> cells_of(std::string_view csv) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row{""};
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (c == '"') {
      if (quoted && i + 1 < csv.size() && csv[i + 1] == '"') row.back() += csv[++i];
      else quoted = !quoted;
    } else if (c == ',' && !quoted) {
      row.emplace_back();
    } else if (c == '\n' && !quoted) {
      rows.push_back(std::exchange(row, {""}));
    } else {
      row.back() += c;
    }
  }
  return rows;
}

namespace {

#ifdef NVDLAC_SQLITE

class database {
 public:
  database() {
    sqlite3* made = nullptr;
    const int code = sqlite3_open(":memory:", &made);
    all_.reset(made);
    check(code);
  }

  void run(const std::string& command) { step(prepared(command).get()); }
  void insert(const std::string& command, const std::vector<std::vector<std::string>>& rows) {
    const auto insertion = prepared(command);
    for (std::size_t r = 1; r < rows.size(); ++r) {
      for (std::size_t i = 0; i < rows[r].size(); ++i)
        bind(insertion.get(), static_cast<int>(i) + 1, rows[r][i]);
      step(insertion.get());
      check(sqlite3_reset(insertion.get()));
    }
  }
  std::vector<std::uint8_t> bytes() const {
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> all(
        sqlite3_serialize(all_.get(), "main", &size, 0), &sqlite3_free);
    if (!all) throw error("SQLite has no memory for the database");
    return {all.get(), all.get() + size};
  }

 private:
  using statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

  void check(int code) const {
    if (code != SQLITE_OK && code != SQLITE_DONE)
      throw error(text("SQLite: ", sqlite3_errmsg(all_.get())));
  }
  statement prepared(const std::string& command) const {
    sqlite3_stmt* made = nullptr;
    check(sqlite3_prepare_v2(all_.get(), command.c_str(), -1, &made, nullptr));
    return {made, &sqlite3_finalize};
  }
  void step(sqlite3_stmt* s) const { check(sqlite3_step(s)); }
  void bind(sqlite3_stmt* s, int place, const std::string& cell) const {
    const char *const begin = cell.data(), *const end = begin + cell.size();
    sqlite3_int64 whole = 0;
    double real = 0;
    if (cell.empty()) return check(sqlite3_bind_null(s, place));
    if (std::from_chars(begin, end, whole).ptr == end)
      return check(sqlite3_bind_int64(s, place, whole));
    const auto [last, why] = std::from_chars(begin, end, real);
    if (last == end && why == std::errc())
      return check(sqlite3_bind_double(s, place, real));
    std::string_view words(cell);
    if (words[0] == escape::formula_guard && escape::begins_formula(words.substr(1)))
      words.remove_prefix(1);  // a database computes nothing
    check(sqlite3_bind_text(s, place, words.data(), static_cast<int>(words.size()),
                            SQLITE_TRANSIENT));
  }

  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> all_{nullptr, &sqlite3_close};
};

std::string in_quotes(std::string_view name) {
  std::string all = "\"";
  for (const char c : name) all += c == '"' ? "\"\"" : std::string(1, c);
  return all + '"';
}

std::vector<std::uint8_t> database_of(std::string_view name, std::string_view csv) {
  const auto rows = cells_of(csv);
  std::string names, places;
  for (const auto& column : rows.at(0)) {
    names += (names.empty() ? "" : ", ") + in_quotes(column);
    places += places.empty() ? "?" : ", ?";
  }
  database all;
  all.run("CREATE TABLE " + in_quotes(name) + " (" + names + ")");
  all.run("BEGIN");
  all.insert("INSERT INTO " + in_quotes(name) + " VALUES (" + places + ")", rows);
  all.run("COMMIT");
  return all.bytes();
}

#endif

}  // namespace

bool is_database(const std::filesystem::path& path) {
  const auto kind = path.extension();
  return kind == ".sqlite" || kind == ".sqlite3" || kind == ".db";
}

void require_table([[maybe_unused]] const std::filesystem::path& path) {
#ifndef NVDLAC_SQLITE
  if (is_database(path))
    throw error({.file = path.string(),
                 .reason = "is to be a database, and this nvdlac was built without SQLite",
                 .remedy = "name a .csv, or install libsqlite3-dev and build it again"});
#endif
}

std::vector<std::uint8_t> table_file(const std::filesystem::path& path,
                                     [[maybe_unused]] std::string_view name,
                                     std::string_view csv) {
  require_table(path);
#ifdef NVDLAC_SQLITE
  if (is_database(path)) return database_of(name, csv);
#endif
  return {csv.begin(), csv.end()};
}

}  // namespace nvdlac::cli
