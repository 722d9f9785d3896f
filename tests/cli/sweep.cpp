// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "cli.hpp"

namespace {

// A plan with the demo model twice, two configurations, two precisions and two schedules.
std::string plan(const std::string& more = "") {
  return R"({"networks": [{"model": "net/digits.onnx", "calibration": "net/calibration.idx",
                           "input": "net/images", "first": 4},
                          {"name": "again", "model": "net/digits.onnx",
                           "calibration": "net/calibration.idx"}],
             "configurations": ["nv_large", "nv_small"], "precisions": ["int8", "fp16"],
             "schedules": [{"name": "default"}, {"name": "plain", "without": ["order"]}])" +
         more + "}";
}

struct folder : scratch {
  explicit folder(const std::string& text_of_plan) {
    std::filesystem::create_directory(path / "plans");
    std::filesystem::create_directory_symlink(digits, path / "plans" / "net");
    write("plans/p.json", text_of_plan);
  }
};

std::size_t rows_with(const std::string& table, const std::string& start) {
  std::istringstream lines(table);
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line);) found += line.starts_with(start);
  return found;
}

const std::string mpi =
#ifdef NVDLAC_MPIEXEC
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 '" NVDLAC_MPIEXEC "' -n ";
#else
    "";
#endif

}  // namespace

TEST_CASE("a sweep is a table in the plan's order, the same with any number of threads and ranks") {
  const folder dir(plan(R"(, "simulate": true)"));
  const auto one = nvdlac_in(dir.path, "sweep plans/p.json");
  CAPTURE(one.err);
  CHECK(one.code == 0);
  CHECK(one.says("p.csv: 16 items, 8 done, 8 failed"));
  const auto table = content(dir.path / "p.csv");
  CAPTURE(table);
  CHECK(table.starts_with("result,network,configuration,precision,schedule,cycles,"));
  CHECK(rows_with(table, "") == 17);
  CHECK(rows_with(table, "done,digits,nv_large,int8,default,") == 1);
  CHECK(rows_with(table, "done,again,nv_small,int8,plain,") == 1);
  CHECK(rows_with(table, "failed,digits,nv_small,fp16,default,,") == 1);
  CHECK(table.find("\ndone,digits,nv_large,int8,plain,") <
        table.find("\nfailed,digits,nv_large,fp16,default,"));
  CHECK(table.find("the configuration does not have the data type fp16") != table.npos);
  CHECK(dir.files() == 2);  // no journal is left

  nvdlac_in(dir.path, "sweep plans/p.json -o threads.csv --threads 3");
  CHECK(content(dir.path / "threads.csv") == table);
  if (mpi.empty()) return;
  for (const std::string ranks : {"1", "2", "4"}) {
    const auto r = nvdlac_in(dir.path, "sweep plans/p.json -o ranks.csv", mpi + ranks + ' ');
    CAPTURE(r.err);
    CHECK(r.code == 0);
    CHECK(r.says("16 items, 8 done"));
    CHECK(content(dir.path / "ranks.csv") == table);
  }
}

TEST_CASE("a sweep is a page too, whose texts are text") {
  const folder dir(R"({"networks": [{"name": "</script><b>", "model": "net/digits.onnx",
                                     "calibration": "net/calibration.idx"}],
                       "configurations": ["nv_small"]})");
  const auto r = nvdlac_in(dir.path, "sweep plans/p.json --html p.html");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  const auto page = content(dir.path / "p.html");
  CHECK(page.find(R"("columns":["result","network","configuration",)") != page.npos);
  CHECK(page.find(R"("rows":[["done",)") != page.npos);
  CHECK(page.find("</script><b>") == page.npos);
  CHECK(nvdlac_in(dir.path, "sweep plans/p.json --html p.csv").code == 2);
  CHECK(nvdlac_in(dir.path, "sweep plans/p.json --html plans/p.json").code == 2);
}

TEST_CASE("a sweep that was killed goes on where it was") {
  const folder dir(plan());
  nvdlac_in(dir.path, "sweep plans/p.json -o whole.csv");
  for (const char* seconds : {"0.1", "0.3", "0.6"})
    nvdlac_in(dir.path, "sweep plans/p.json", std::string("timeout -s KILL ") + seconds + ' ');
  const auto last = nvdlac_in(dir.path, "sweep plans/p.json");
  CHECK(last.code == 0);
  CHECK(content(dir.path / "p.csv") == content(dir.path / "whole.csv"));
  CHECK(dir.files() == 3);
}

TEST_CASE("another plan does not go on with a journal") {
  const folder dir(plan());
  dir.write("p.csv.journal-0", "41d3aa24ea37fe6a journal of 0123456789abcdef\n");
  const auto r = nvdlac_in(dir.path, "sweep plans/p.json");
  CHECK(r.code == 1);
  CHECK(r.complains("p.csv.journal-0: holds the results of other work (remove it, or name"));
}

TEST_CASE("all that is wrong with a plan is said at once, before anything is done") {
  const folder dir(R"({"network": [], "networks": [
      {"model": "net/digits.onnx", "calibraton": "net/calibration.idx"},
      {"name": "b", "model": "net/absent.onnx"}, {"name": "b", "model": "net/digits.onnx"},
      {"name": "c", "model": "net/digits.onnx", "first": "many"}, 7],
    "configurations": ["nv_small", "nv_tiny"], "simulate": "yes"})");
  const auto r = nvdlac_in(dir.path, "sweep plans/p.json");
  CHECK(r.code == 1);
  CAPTURE(r.err);
  for (const char* part :
       {"plans/p.json: the plan has an unknown key 'network' (there are networks, options,",
        "networks 'digits' has an unknown key 'calibraton'", "there is no file 'net/absent.onnx'",
        "networks names 'b' twice", "network 'c': --first", "networks holds 7",
        "there is no configuration 'nv_tiny' (there are nv_", "simulate is neither true nor false"})
    CHECK(r.complains(part));
  CHECK(dir.files() == 1);
  const auto refused = [&](const std::string& text_of_plan, const char* reason) {
    dir.write("plans/p.json", text_of_plan);
    const auto outcome = nvdlac_in(dir.path, "sweep plans/p.json");
    CAPTURE(outcome.err);
    CHECK(outcome.code == 1);
    CHECK(outcome.complains(reason));
  };
  const std::string network = R"({"networks": [{"model": "net/digits.onnx"}], )";
  refused("{", "plans/p.json: is not JSON");
  refused("[]", "is no JSON object");
  refused("{}", "has no networks");
  refused(R"({"networks": []})", "there is nothing to do");
  refused(network + R"("networks": []})", "'networks' is there twice");
  refused(network + R"("precisions": ["int8", "int4"]})", "'int4' is none of int8, int16 and fp16");
  refused(network + R"("schedules": [{"name": "a", "without": "ordr"}]})", "ordr");
  refused(network + R"("options": {"config": "nv_small"}})", "unknown key 'config'");
  refused(network + R"("options": {"mean": null}})", "mean is neither text, a number, true");
}

TEST_CASE("sweep protects its inputs and names its output") {
  const folder dir(plan());
  CHECK(nvdlac_in(dir.path, "sweep plans/p.json -o plans/p.json").code == 2);
  CHECK(nvdlac_in(dir.path, "sweep plans/p.json -o plans/net/digits.onnx").code == 2);
  CHECK(nvdlac_in(dir.path, "sweep plans/p.json -o -").code == 2);
  CHECK(nvdlac_in(dir.path, "sweep plans/absent.json").code == 1);
  CHECK(nvdlac_in(dir.path, "sweep plans/p.json -o absent/p.csv").complains("does not exist"));
}

TEST_CASE("verify says the same with any number of ranks") {
  if (mpi.empty()) return;
  const scratch dir;
  const auto command = "verify" + model + "--config nv_large --json --input" + pictures;
  const auto alone = nvdlac_in(dir.path, command);
  CHECK(alone.code == 0);
  for (const std::string ranks : {"1", "2", "4"}) {
    const auto r = nvdlac_in(dir.path, command, mpi + ranks + ' ');
    CAPTURE(r.err);
    CHECK(r.code == 0);
    CHECK(r.out == alone.out);
  }
  const auto rows = nvdlac_in(dir.path, "verify" + model + "--input" + pictures);
  CHECK(nvdlac_in(dir.path, "verify" + model + "--input" + pictures, mpi + "3 ").out == rows.out);
  const auto wrong = nvdlac_in(dir.path, "verify" + model + "--input absent.png", mpi + "3 ");
  CHECK(wrong.code == 1);
  CHECK(wrong.err.find("absent.png: ") == wrong.err.rfind("absent.png: "));  // said once
}
