// SPDX-License-Identifier: Apache-2.0
#pragma once
// Features that large configurations alone have, all of them at once and whatever they cost:
// Winograd's mode, weights without their zeros, and a secondary memory, under a random schedule.
#include <cstddef>
#include <cstdint>
#include <variant>

#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/compress.hpp>

#include "pruned.hpp"
#include "scheduled.hpp"
#include "winograd_graph.hpp"

template <class Hw>
struct forced {
  // Counts over all networks: layers in the mode, with compressed weights, and buffers in CVSRAM.
  struct uses {
    std::size_t winograd = 0, compressed = 0, in_cvsram = 0;
  };

  nvdlac::quantised::graph network{};
  bool is_possible = false;
  nvdlac::cost::cvsram beside = nvdlac::cost::cvsram_of(Hw::spec, 64 * 1024);
  nvdlac::schedule::saved schedule{};

  forced(std::uint64_t seed, nvdlac::hw::precision p, uses& all)
      : network(pruned(winograd_graph::make(seed, p, {}), seed % 2 == 0 ? 50 : 80, seed)),
        is_possible(winograd_graph::runs_on<Hw>(network)) {
    using namespace nvdlac;
    if (!is_possible) return;
    beside.weights = seed % 3 != 0;
    auto l = lower::lower<Hw>(network, "network");
    const bool compressed =
        nvdlac::schedule::compress::run(Hw::spec, l, nvdlac::cost::memory_of(Hw::spec));
    for (const auto& one : l.layers)
      if (const auto* c = std::get_if<layer::convolution>(&one.what)) {
        all.winograd += c->winograd;
        all.compressed += c->is_compressed();
      }
    schedule = random_schedule<Hw>(l, seed, beside);
    schedule.choices.compressed = compressed;
    all.in_cvsram += schedule.choices.cvsram.size();
  }
};
