// SPDX-License-Identifier: Apache-2.0
#pragma once
// A random network with a schedule from a file, as a user gives it.
#include <cstdint>
#include <exception>
#include <span>

#include <doctest/doctest.h>

#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices_json.hpp>

#include "../compiled.hpp"
#include "../random_graph.hpp"

// The loadable on the simulator, its trace and the exact integer reference agree in every byte, for
// two inputs. With --without compress, because the schedule is not compressed.
template <class Hw>
void expect_exact_with(const nvdlac::quantised::graph& g, const nvdlac::schedule::saved& s,
                       std::uint64_t seed, const nvdlac::cost::cvsram& beside = {}) {
  using namespace nvdlac;
  INFO(hw::name<Hw>() << ", seed " << seed << ": " << schedule::write_choices(s));
  try {
    compiled network(hardware<Hw>(), g,
                     {.without = {"compress"},
                      .schedule = schedule::read_choices(schedule::write_choices(s)),
                      .cvsram = beside});
    for (std::uint64_t input = 0; input < 2; ++input) {
      const auto feeds = random_graph::feeds(g, 10 * seed + input);
      const auto exact = quantised::evaluate_any(g, std::span<const quantised::feed>(feeds),
                                                 quantised::order_of(Hw::spec));
      CHECK((network.infer_any(feeds) == exact));
      CHECK(network.trace_differences(feeds) == 0);
    }
  } catch (const std::exception& e) {
    FAIL_CHECK(e.what());
  }
}
