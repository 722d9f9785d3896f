// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that an importer read, on the simulated nv_full.
#include <doctest/doctest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/host/partition.hpp>
#include <nvdlac/quantised/numbers.hpp>

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
  const compile_options how;
  const auto prepared = prepare(
      network, std::span<const sample>(samples), how, pass::verify{}, [&](net::graph& g) {
        nvdlac::detail::throw_if_any(host::partition(
            g, host::choice::all(), lower::check<nv_full>(g, how.precision)));
      });
  compiled chip(hardware<nv_full>(), prepared.integers, how);
  for (const auto& s : samples) {
    const quantised::feed feed = quantised(s[0], chip.program().inputs[0].scale);
    const auto out = chip.infer({feed}).at(0);
    CHECK(out == quantised::evaluate(prepared.integers, feed).at(0));
    CHECK(chip.trace_differences({feed}) == 0);
    const auto found = quantised::real_of(out, chip.program().outputs[0].scale);
    const auto real = net::evaluate(network, s[0]).at(0);
    REQUIRE(found.values.size() == real.values.size());
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < real.values.size(); ++i) {
      const double a{found.values[i]}, b{real.values[i]};
      ab += a * b, aa += a * a, bb += b * b;
    }
    CHECK(ab / std::sqrt(aa * bb) > near);
  }
}

}  // namespace networks
