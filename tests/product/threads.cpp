// SPDX-License-Identifier: Apache-2.0
// Several threads read, calibrate, compile and run at once: nothing is shared behind their backs.
// The preset `threads` runs this under the thread sanitizer.
#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/product.hpp>

namespace {

using nvdlac::nv_small;
using nvdlac::pictures;

const std::filesystem::path digits = NVDLAC_SOURCE_DIR "/examples/digits";

struct outcome {
  std::vector<std::uint8_t> loadable{};
  std::vector<nvdlac::result> results{};
  bool operator==(const outcome&) const = default;
};

outcome whole(const nvdlac::model& model) {
  auto chip = nvdlac::compile<nv_small>(model, pictures(digits / "calibration.idx"));
  outcome o{chip.loadable()};
  for (const char* name : {"images/3_a.pgm", "images/7_a.pgm"})
    o.results.push_back(chip.run(digits / name));
  return o;
}

}  // namespace

TEST_CASE("threads that each compile and run a network get what one alone gets") {
  const auto model = nvdlac::read(digits / "digits.onnx");
  const auto expected = whole(model);
  std::vector<outcome> found(4);
  {
    std::vector<std::jthread> users;
    for (std::size_t i = 0; i < found.size(); ++i)  // half of them share the model
      users.emplace_back([&, i] {
        found[i] = whole(i % 2 == 0 ? model : nvdlac::read(digits / "digits.onnx"));
      });
  }
  for (const auto& f : found) CHECK(f == expected);
}

TEST_CASE("limits hold for what they are given to, and for nothing that runs beside it") {
  struct rounds {
    int reads = 0, refused = 0, runs = 0, refused_runs = 0;
  };
  const auto words_of = [](const auto& f) {
    try {
      f();
    } catch (const nvdlac::error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  const auto model = nvdlac::read(digits / "digits.onnx");
  const auto loadable =
      nvdlac::compile<nv_small>(model, pictures(digits / "calibration.idx")).loadable();
  const auto in_turns = [&](const nvdlac::budget& limits, const char* of_model,
                            const char* of_run) {
    rounds r;
    for (int i = 0; i < 20; ++i) {
      const auto read = words_of([&] { (void)nvdlac::read(digits / "digits.onnx", {}, limits); });
      if (read.empty()) ++r.reads;
      else if (read.find(of_model) != read.npos) ++r.refused;
      const auto run = words_of([&] { (void)nvdlac::chip<nv_small>(loadable, "d", limits); });
      if (run.empty()) ++r.runs;
      else if (run.find(of_run) != run.npos) ++r.refused_runs;
    }
    return r;
  };
  rounds all, few, less;
  {
    const std::jthread one([&] { all = in_turns({}, "", ""); });
    const std::jthread two([&] { few = in_turns({.nodes = 5, .work = 1000}, "limit of 5 ",
                                                "--limit work="); });
    less = in_turns({.weights = 10, .work = 2000}, "limit of 10 ", "limit of 2000 ");
  }
  CHECK(all.reads == 20);
  CHECK(all.runs == 20);
  for (const auto& r : {few, less}) {
    CHECK(r.refused == 20);
    CHECK(r.refused_runs == 20);
  }
}
