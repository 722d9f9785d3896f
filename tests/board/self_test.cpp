// SPDX-License-Identifier: Apache-2.0
// The networks by which a board's units are tested.
#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <set>
#include <span>
#include <string>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/verify/self_test.hpp>

#include "hardware.hpp"

using namespace nvdlac;

TEST_CASE("the networks are what the reference computes, with values that tell units apart") {
  const auto check = [](const cli::target& chip) {
    CAPTURE(chip.name());
    std::mt19937 random(3);
    std::set<std::string> engines;
    for (const auto& test : verification::unit_tests_of(chip.spec())) {
      CAPTURE(test.units);
      const auto program =
          chip.build(test.network, verification::options_of(test, chip.spec()));
      CHECK((program.cvsram.size != 0) == test.in_cvsram);
      for (const auto& task : program.tasks)
        for (const auto& o : task.operations)
          engines.insert(layer::name_of_engine(o.layer.what));
      const auto image = emit::read_loadable(
          emit::loadable_bytes(program, chip.name(), chip.spec(), emit::provenance{}), {});
      const auto session = chip.simulate(runtime::load(image, chip.spec()), sim::settings{});
      const auto feeds = verification::any_values(session->inputs(), random);
      const auto found = session->infer_any(feeds);
      CHECK((found == quantised::evaluate_any(test.network,
                                              std::span<const quantised::feed>(feeds))));
      nvdlac::visit([&](const auto& t) {
        std::size_t changes = 0;
        for (std::size_t i = 1; i < t.values.size(); ++i)
          changes += t.values[i] == t.values[i - 1] ? 0 : 1;
        CHECK(changes > t.values.size() / 2);
      }, found[0]);
    }
    return engines;
  };
  CHECK(check(hardware<nv_small>()) == std::set<std::string>{"CDP", "CONV", "PDP", "SDP"});
  CHECK(check(hardware<nv_large>()) == std::set<std::string>{"CDP", "CONV", "PDP", "SDP"});
  CHECK(check(hardware<nv_full>()) == std::set<std::string>{"CDP", "CONV", "PDP", "RUBIK", "SDP"});
}
