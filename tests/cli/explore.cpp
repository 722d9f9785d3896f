// SPDX-License-Identifier: Apache-2.0
// The files of `nvdlac explore`: table, database, C++, page; one network, several, and a search.
#include <doctest/doctest.h>

#include <string>

#include "cli.hpp"

namespace {

const std::string explored = "explore" + model +
                             "--range mac_atomic_k=8,16 --range cbuf_banks=4,8,16,32 "
                             "--range dram.width_bits=64,128 ";

// Two networks that `sweep` would take.
std::string pair_of_networks(const std::string& more = "") {
  return R"({"networks": [{"name": "one", "model": "net/digits.onnx",
                           "calibration": "net/calibration.idx"},
                          {"name": "two", "model": "net/digits.onnx", "without": "order",
                           "calibration": "net/calibration.idx"}])" + more + "}";
}

bool search_is_there(const outcome& o) {
  if (o.complains("built without a library for the search")) {
    MESSAGE("libpagmo-dev was not there when nvdlac was built: nothing is searched");
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("explore writes the same table for any number of threads, and says what the ranges are") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, explored + "-o a.csv --cpp a.hpp --html a.html");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.says("16 legal configurations, 0 of them cannot run the network"));
  nvdlac_in(dir.path, explored + "-o b.csv --threads 3");
  const auto table = content(dir.path / "a.csv");
  CHECK(table == content(dir.path / "b.csv"));
  CHECK(table.find(",front,refused,mac_atomic_k,dram.width_bits\n") != table.npos);
  CHECK(table.find("\n15,8,16,8,32,") != table.npos);
  CHECK(content(dir.path / "a.hpp").find("struct explored_") != std::string::npos);
  const auto page = content(dir.path / "a.html");
  CHECK(page.find("\"shape\":\"8x16\"") != page.npos);
  CHECK(page.find("struct explored_") != page.npos);
}

TEST_CASE("explore tells why combinations are missing, and of what its cycles are") {
  const std::string ranges = "--range mac_atomic_c=8,16,32 --range cbuf_banks=1,32 ";
  const auto r = nvdlac_in(".", "explore" + model + ranges);
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.says("6 combinations: 5 are not legal\n"));
  CHECK(r.says(": cbuf_banks must be at least 2"));
  CHECK(r.says("cycles are those of register traces"));

  const auto limited = nvdlac_in(".", explored + "--max macs=64,bus=64");
  CHECK(limited.code == 0);
  CHECK(limited.says("16 combinations: 0 are not legal, 12 beyond --max\n"));
  CHECK(limited.says("4 legal configurations"));
  CHECK(!limited.says("8x16"));
  CHECK(nvdlac_in(".", explored + "--max cbuf=1").complains("is within --max"));
  CHECK(nvdlac_in(".", explored + "--max area=1").complains("names none of"));
}

TEST_CASE("explore asks several networks together") {
  const scratch dir;
  std::filesystem::create_directory_symlink(digits, dir.path / "net");
  dir.write("plan.json", pair_of_networks());
  const auto r = nvdlac_in(dir.path, "explore --networks plan.json -c nv_small "
                                     "--range cbuf_banks=8,16 -o all.csv");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  const auto table = content(dir.path / "all.csv");
  CHECK(table.find(",refused,cycles of one,cycles of two\n") != table.npos);
  CHECK(nvdlac_in(dir.path, "explore" + model + "--networks plan.json --range cbuf_banks=8")
            .complains("name a network or --networks, not both"));
  dir.write("plan.json", pair_of_networks(R"(, "precisions": ["int8", "int16"])"));
  CHECK(nvdlac_in(dir.path, "explore --networks plan.json -c nv_small --range cbuf_banks=8")
            .complains("plan.json: has several precisions or schedules"));
  dir.write("plan.json", pair_of_networks(R"(, "configurations": ["nv_large"])"));
  CHECK(nvdlac_in(dir.path, "explore --networks plan.json -c nv_small --range cbuf_banks=8")
            .complains("has no item for nv_small"));
}

TEST_CASE("a search predicts as many configurations as it may, the same ones each time") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, explored + "-o a.csv --search 8");
  if (!search_is_there(r)) return;
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.says(" configurations predicted, "));
  nvdlac_in(dir.path, explored + "-o b.csv --search 8 --threads 3");
  const auto some = content(dir.path / "a.csv");
  CHECK(some == content(dir.path / "b.csv"));
  CHECK(std::count(some.begin(), some.end(), '\n') <= 9);
  nvdlac_in(dir.path, explored + "-o all.csv");
  nvdlac_in(dir.path, explored + "-o enough.csv --search 16");  // then all of them
  CHECK(content(dir.path / "enough.csv") == content(dir.path / "all.csv"));
  CHECK(nvdlac_in(dir.path, explored + "--search 3").code == 2);
}

TEST_CASE("a table by the name of a database is one") {
  const scratch dir;
  nvdlac_in(dir.path, explored + "-o a.csv");
  const auto r = nvdlac_in(dir.path, explored + "-o a.sqlite");
  if (r.complains("built without SQLite")) {
    MESSAGE("libsqlite3-dev was not there when nvdlac was built: no database is written");
    return;
  }
  CAPTURE(r.err);
  CHECK(r.code == 0);
  nvdlac_in(dir.path, explored + "-o b.sqlite");
  CHECK(content(dir.path / "a.sqlite") == content(dir.path / "b.sqlite"));
  const auto asked = shell_in(dir.path, R"(python3 -c '
import csv, sqlite3
rows = list(sqlite3.connect("a.sqlite").execute("SELECT * FROM points"))
table = list(csv.reader(open("a.csv")))[1:]
assert len(table) == 16
assert [[str(c) if c is not None else "" for c in r] for r in rows] == table, rows
print(sqlite3.connect("a.sqlite").execute("SELECT typeof(cycles) FROM points").fetchone()[0])')");
  CAPTURE(asked.err);
  CHECK(asked.out == "integer\n");
}
