// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nvdlac/hw/registers.hpp>

#include "../shared.hpp"

using namespace nvdlac::hw;

namespace {

using row = std::map<std::string, std::string, std::less<>>;

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> all;
  std::string cell;
  for (std::istringstream in(line); std::getline(in, cell, ',');) all.push_back(cell);
  return all;
}

std::uint32_t number(const std::string& s) {
  return static_cast<std::uint32_t>(std::stoul(s, nullptr, 0));
}

void check_row(register_map map, row& r, std::uint32_t& fields) {
  const auto path = r["unit"] + '.' + r["register"];
  CAPTURE(path);
  CAPTURE(r["field"]);
  const auto* found = find(map, path);
  REQUIRE(found != nullptr);
  const auto* f = find_field(map, path + '.' + r["field"]);
  REQUIRE(f != nullptr);
  ++fields;
  CHECK(found->address == number(r["address"]));
  CHECK(f->msb == number(r["msb"]));
  CHECK(f->lsb == number(r["lsb"]));
  if (r.count("access") != 0) {
    CHECK(f->reset == number(r["reset"]));
    const auto writable = found->write_mask & f->mask();
    CHECK(writable == (r["access"] == "r" ? 0 : f->mask()));
  } else {
    CHECK(found->reset() == number(r["reset"]));
    CHECK(found->write_mask == number(r["write_mask"]));
  }
}

}  // namespace

TEST_CASE("registers: the tables are those of the reference files") {
  for (const auto map : {register_map::small, register_map::full}) {
    const auto path = shared_path(map == register_map::small ? "reference/registers_nv_small.csv"
                                                             : "reference/registers_nv_full.csv");
    if (!path) return;
    std::ifstream in(*path);
    std::string line;
    std::getline(in, line);
    const auto heads = cells(line);
    std::uint32_t fields = 0;
    while (std::getline(in, line)) {
      row r;
      const auto all = cells(line);
      for (std::size_t i = 0; i < all.size(); ++i) r[heads[i]] = all[i];
      check_row(map, r, fields);
    }
    for (const auto& r : registers(map)) fields -= static_cast<std::uint32_t>(r.fields.size());
    CHECK(fields == 0);
  }
}
