// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/pool.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

namespace {

const emit::loadable_image& image() {
  static const auto bytes = emit::loadable(example::digits<nv_small>());
  static const auto read = emit::read_loadable(bytes, {});
  return read;
}

// A simulator of which a run takes some time, as on hardware.
struct slow : runtime::simulated<nv_small> {
  slow() : simulated(sim::settings{}) {}
  bool wait(std::chrono::milliseconds t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return runtime::simulated<nv_small>::wait(t);
  }
  std::uint32_t read(std::uint32_t address) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return runtime::simulated<nv_small>::read(address);
  }
};

std::vector<std::unique_ptr<runtime::any_session>> slow_ones(int count) {
  std::vector<std::unique_ptr<runtime::any_session>> all;
  for (int i = 0; i < count; ++i)
    all.push_back(std::make_unique<runtime::session<nv_small, slow>>(image(), slow()));
  return all;
}

std::vector<quantised::feed> input(unsigned seed) {
  const auto bytes = example::noise(8 * 6 * 6, seed);
  return {net::int8_tensor{{8, 6, 6}, {bytes.begin(), bytes.end()}}};
}

}  // namespace

TEST_CASE("runs of a pool give each its own result, whichever device was free") {
  runtime::session<nv_small> alone(image());
  runtime::pool all(slow_ones(3));
  CHECK(all.size() == 3);
  std::vector<std::future<runtime::pool::outputs>> results;
  for (unsigned seed = 0; seed < 12; ++seed) results.push_back(all.run(input(seed)));
  for (unsigned seed = 0; seed < 12; ++seed)
    CHECK(results[seed].get() == alone.infer_any(input(seed)));
}

TEST_CASE("what is wrong with one run reaches who has asked for it, and nobody else") {
  runtime::pool all(slow_ones(2));
  auto wrong = all.run({});
  auto right = all.run(input(1));
  CHECK_THROWS_AS(wrong.get(), error);
  CHECK(right.get().size() == 1);
}

TEST_CASE("a pool ends the runs that were begun") {
  std::future<runtime::pool::outputs> last;
  {
    runtime::pool all(slow_ones(1));
    for (unsigned seed = 0; seed < 3; ++seed) last = all.run(input(seed));
  }
  CHECK(last.get().size() == 1);
  CHECK_THROWS_AS(runtime::pool({}), error);
}
