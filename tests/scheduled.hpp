// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random schedules, and a network with one from a file, as a user gives it.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/choices_json.hpp>
#include <nvdlac/schedule/draft.hpp>
#include <nvdlac/schedule/search.hpp>

#include "compiled.hpp"
#include "random_graph.hpp"

// A convolution of equal weights.
inline nvdlac::quantised::convolution kernels_of(std::int32_t kernels, std::int32_t channels,
                                                nvdlac::net::square window = {}) {
  const auto k = static_cast<std::size_t>(kernels);
  nvdlac::quantised::convolution c{.kernels = kernels, .window = window};
  c.weights.assign(k * static_cast<std::size_t>(channels * window.kernel * window.kernel),
                   std::int8_t{1});
  c.bias.assign(k, 3);
  c.multiplier.assign(k, 90);
  c.shift = 14;
  return c;
}

// The error that f() throws, as text; empty: nothing.
std::string complaint(const auto& f) {
  try {
    f();
  } catch (const nvdlac::error& e) {
    return e.what();
  }
  return {};
}

// Some changes of the plain schedule of a draft, whatever they cost, as far as CVSRAM has room.
// `layers`: also of the layers themselves.
template <class Hw>
nvdlac::schedule::saved random_schedule(const nvdlac::schedule::draft& d, std::uint64_t seed,
                                        bool layers) {
  using namespace nvdlac;
  auto now = schedule::detail::rate(std::make_shared<const schedule::draft>(d),
                                    d.numbered({.beside = seed % 2 == 0, .kept = true}));
  for (std::uint64_t n = 0; n < 24 && !now.pieces.empty(); ++n) {
    const auto change = schedule::detail::draw(now, layers, 100 * seed + n)();
    auto other = schedule::detail::with_change(now, change);
    if (other.of && other.price.cvsram <= d.numbers().memory().cvsram.bytes) now = std::move(other);
  }
  return {.network = "network", .configuration = std::string(hw::name<Hw>()),
          .choices = now.of->named(now.what)};
}
// A random schedule whose layers stay as they are.
template <class Hw>
nvdlac::schedule::saved random_schedule(const nvdlac::plan::lowered& l, std::uint64_t seed,
                                        const nvdlac::cost::cvsram& beside = {}) {
  using namespace nvdlac;
  return random_schedule<Hw>({Hw::spec, l, cost::memory_of(Hw::spec, beside)}, seed, false);
}

// The loadable on the simulator, its trace and the exact reference agree in every byte, for two
// inputs.
template <class Hw>
void expect_exact_with(const nvdlac::quantised::graph& g, const nvdlac::schedule::saved& s,
                       std::uint64_t seed, const nvdlac::cost::cvsram& beside = {},
                       std::vector<nvdlac::quantised::feed> (*feeds_of)(
                           const nvdlac::quantised::graph&, std::uint64_t) = random_graph::feeds) {
  using namespace nvdlac;
  INFO(hw::name<Hw>() << ", seed " << seed << ": " << schedule::write_choices(s));
  try {
    compiled network(hardware<Hw>(), g,
                     {.schedule = schedule::read_choices(schedule::write_choices(s)),
                      .cvsram = beside});
    for (std::uint64_t input = 0; input < 2; ++input) {
      const auto feeds = feeds_of(g, 10 * seed + input);
      const auto exact = quantised::evaluate_any(g, std::span<const quantised::feed>(feeds),
                                                 quantised::order_of(Hw::spec));
      CHECK((network.infer_any(feeds) == exact));
      CHECK(network.trace_differences(feeds) == 0);
    }
  } catch (const std::exception& e) {
    FAIL_CHECK(e.what());
  }
}
