// SPDX-License-Identifier: Apache-2.0
// The files of `nvdlac explore`: table, database, C++, page; one network, several, and a search.
#include <doctest/doctest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "tables.hpp"

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

// The rows of a table by the names of their columns.
std::vector<std::map<std::string, std::string>> rows_in(const std::string& csv) {
  const auto cells = nvdlac::cli::cells_of(csv);
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t r = 1; r < cells.size(); ++r) {
    rows.emplace_back();
    for (std::size_t i = 0; i < cells[r].size(); ++i) rows.back()[cells[0].at(i)] = cells[r][i];
  }
  return rows;
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
  CHECK(table.find(",estimated_square_micrometres,estimated_nanojoules,base,front,outlined,refused,"
                   "mac_atomic_k,dram.width_bits\n") != table.npos);
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

TEST_CASE("explore schedules all of a hundred, and of more those on the front") {
  const scratch dir;
  const auto one = [&](const std::string& banks, const std::string& more, const char* file) {
    const auto r = nvdlac_in(dir.path, "explore" + model + "--range mac_atomic_k=8,16 "
                                       "--range sdp_bs_bn_throughput=1,2 "
                                       "--range dram.width_bits=64,128,256 --range cbuf_banks=" +
                                           banks + " --range cbuf_entries_per_bank=" +
                                           "128,256,512,1024 " + more + " -o " + file);
    CAPTURE(r.err);
    CHECK(r.code == 0);
    return r;
  };
  const std::string banks = "2,4,6,8,12,16,24,32";
  const auto few = one("8,16", "", "few.csv"), all = one(banks, "", "all.csv"),
             exact = one(banks, "--exact", "exact.csv");
  CHECK(!few.says("--exact"));
  CHECK(!exact.says("--exact"));
  CHECK(all.says("the others (<) in outline"));
  const auto rows = rows_in(content(dir.path / "all.csv"));
  const auto exact_rows = rows_in(content(dir.path / "exact.csv"));
  REQUIRE(rows.size() > 100);
  REQUIRE(rows.size() == exact_rows.size());
  std::size_t outlined = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(exact_rows[i].at("outlined") == "no");
    if (rows[i].at("outlined") == "no") CHECK(rows[i].at("cycles") == exact_rows[i].at("cycles"));
    else {
      CHECK(rows[i].at("front") == "no");
      ++outlined;
    }
  }
  CHECK(outlined > 50);
}

TEST_CASE("explore tells of each what limits it and its runs a second, and where the base stands") {
  const scratch dir;
  const auto r = nvdlac_in(dir.path, explored + "--clock 500 -o a.csv");
  CAPTURE(r.out);
  CHECK(r.code == 0);
  for (const char* part : {"cycles  runs/s  limited by  bytes read", "6 base   8x8 ",
                           "dram.width_bits", "base is nv_small, which is ",
                           "; runs a second at 500 MHz\n"})
    CHECK(r.says(part));
  const auto rows = rows_in(content(dir.path / "a.csv"));
  std::size_t bases = 0;
  for (const auto& row : rows) {
    CHECK(std::stod(row.at("runs_per_second")) ==
          doctest::Approx(500e6 / std::stod(row.at("cycles"))).epsilon(1e-4));
    CHECK(row.at("limited_by") != "");
    bases += row.at("base") == "yes" ? 1 : 0;
    if (row.at("base") != "yes") continue;
    CHECK(row.at("dram_bits") == "64");
    CHECK(row.at("cbuf_banks") == "32");
  }
  CHECK(bases == 1);
  CHECK(nvdlac_in(dir.path, "explore" + model + "--range cbuf_banks=16")
            .says("base is nv_small, which is none of the points"));
}

TEST_CASE("explore predicts for the memory that there is, of each as its interface takes it") {
  const scratch dir;
  const auto cycles = [&](const std::string& more) {
    const std::string one = "explore" + model + "--range dram.width_bits=64,128 -o t.csv " + more;
    REQUIRE(nvdlac_in(dir.path, one).code == 0);
    std::vector<long> all;
    for (const auto& row : rows_in(content(dir.path / "t.csv")))
      all.push_back(std::stol(row.at("cycles")));
    return all;
  };
  const auto usual = cycles(""), slow = cycles("--memory latency=500"),
             narrow = cycles("--memory width=4"), wide = cycles("--memory width=16");
  REQUIRE(usual.size() == 2);
  CHECK(slow[0] > usual[0]);
  CHECK(slow[1] > usual[1]);
  CHECK(narrow[0] > usual[0]);
  CHECK(narrow[0] == narrow[1]);  // the interface's own width is not what limits
  CHECK(wide == usual);

  // The prediction of `compile` for the trace with such a memory.
  const auto compiled = nvdlac_in(dir.path, "compile" + model + "--memory latency=500 "
                                            "--programming access=0,read=0,interrupt=0 "
                                            "--trace t.nvtrace --report t.json");
  REQUIRE(compiled.code == 0);
  CHECK(nlohmann::json::parse(content(dir.path / "t.json")).at("prediction").at("cycles") ==
        slow[0]);
}

TEST_CASE("area and energy are sums of a table, the published one or the user's") {
  const scratch dir;
  // A configuration of 64 MACs, 32 banks of 4 KiB and 64 bits: an area of each number's own digits.
  dir.write("own.json", R"({"source": "our library", "area": 100, "area_of_mac": 0.001,
                            "area_of_cbuf_kib": 0.0001, "area_of_bus_bit": 0.00001,
                            "area_of_sdp_lane": 1000, "energy_of_byte": 2})");
  const std::string one = "explore" + model + "--range cbuf_banks=32 ";
  const auto r = nvdlac_in(dir.path, one + "--costs own.json -o own.csv");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.says("area and energy of a run (~) are estimates by our library\n"));
  const auto numbers_in = [&](const char* file) {  // of its second line
    const auto row = rows_in(content(dir.path / file)).at(0);
    std::map<std::string, double> numbers;
    for (const auto* name : {"bytes_read", "bytes_written", "cycles", "estimated_nanojoules",
                             "estimated_square_micrometres"})
      numbers[name] = std::stod(row.at(name));
    return numbers;
  };
  auto own = numbers_in("own.csv");
  // 100 + 1000 + .064 + .0128 + .00064
  CHECK(own.at("estimated_square_micrometres") == 1'100'077'440);
  CHECK(own["estimated_nanojoules"] ==
        doctest::Approx(0.002 * (own["bytes_read"] + own["bytes_written"])).epsilon(0.01));

  CHECK(
      nvdlac_in(dir.path, one + "-o published.csv").says("are estimates by nvdla.org/primer.html"));
  auto published = numbers_in("published.csv");
  CHECK(published["estimated_square_micrometres"] == 549'760);  // NVIDIA's estimate: 0.55 mm2
  CHECK(published["estimated_nanojoules"] >
        0.0141 * published["cycles"] + 0.16 * (own["bytes_read"] + own["bytes_written"]) - 1);

  const auto wrong = [&](const std::string& table, const std::string& words) {
    dir.write("wrong.json", table);
    const auto o = nvdlac_in(dir.path, one + "--costs wrong.json");
    CAPTURE(table);
    CAPTURE(o.err);
    CHECK(o.code == 1);
    CHECK(o.complains("wrong.json: " + words));
  };
  wrong(R"({"aera": 1})", "has an unknown key 'aera'");
  wrong(R"({"area": -1})", "has for 'area' no number from 0 to 1e9");
  wrong(R"({"area": 1, "area": 2})", "has the key 'area' twice");
  wrong("[]", "is no object with numbers");
  wrong("{", "is no JSON");
  CHECK(nvdlac_in(dir.path, one + "--costs own.json -o own.json").code == 2);
}

TEST_CASE("the front is of what one asks for") {
  const scratch dir;
  const std::string lanes = "explore" + model + "--range sdp_bs_bn_throughput=1,2 "
                                                "--range cbuf_banks=16,32 ";
  const auto few = nvdlac_in(dir.path, lanes + "--front area,bus -o a.csv");
  CAPTURE(few.err);
  CHECK(few.code == 0);
  CHECK(few.says("2 are on the front of area, bus\n"));  // the smaller CBUF, however many lanes
  CHECK(nvdlac_in(dir.path, lanes).says("are on the front of cycles, macs, cbuf, bus, lanes\n"));
  CHECK(nvdlac_in(dir.path, lanes + "--front cycles,price").complains(
      "--front: 'price' is none of cycles, macs, cbuf, bus, lanes, area, energy"));
  CHECK(nvdlac_in(dir.path, lanes + "--front area,area").complains("--front names area twice"));
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
