// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that an importer read, on the simulated nv_full.
#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/host/choice.hpp>
#include <nvdlac/hw/configurations/nv_full.hpp>

#include "../net/random.hpp"
#include "pipeline.hpp"

namespace networks {

using namespace nvdlac;

// Loadable, trace and integer reference are equal bit for bit, and near the float network.
inline void check(const std::string& name, const net::graph& network, double near = 0.99) {
  INFO(name);
  const net::shape in = network[net::input_nodes(network).at(0)].shape;
  randomness random(11);
  std::vector<sample> samples;
  for (int i = 0; i < 4; ++i) samples.push_back({random.tensor(in)});
  for (const auto& s : samples) {
    const auto r = run_on(hardware<nv_full>(), network, std::span<const sample>(samples), s,
                          {.host = host::choice::all()}, replay::yes);
    CHECK((r.simulated == r.exact));
    CHECK(r.trace_differences == 0);
    REQUIRE(r.values.size() == r.real.size());
    for (std::size_t i = 0; i < r.values.size(); ++i) CHECK(cosine(r.values[i], r.real[i]) > near);
  }
}

}  // namespace networks
