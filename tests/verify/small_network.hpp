// SPDX-License-Identifier: Apache-2.0
#pragma once
// A small network, prepared and compiled for a configuration of the command line, to be verified.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/prepare_on.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/verify/reference.hpp>
#include <nvdlac/verify/verifier.hpp>

#include "compiled.hpp"
#include "float_graph.hpp"
#include "hardware.hpp"

namespace small_network {

using namespace nvdlac;

inline std::vector<float> noise(std::mt19937& random, std::size_t n) {
  std::vector<float> v(n);
  for (auto& x : v) x = static_cast<float>(random() % 2001) / 1000 - 1;
  return v;
}

inline net::graph make() {
  std::mt19937 random(3);
  net::graph g;
  const auto data = g.add("data", net::input{{4, 8, 8}});
  const auto filter = g.add(
      "filter", net::convolution{.kernels = 8, .window = net::square{.kernel = 3, .pad = 1},
                                 .weights = noise(random, 8 * 4 * 9), .relu = true}, {data});
  const auto pool =
      g.add("pool", net::pool{.window = net::square{.kernel = 2, .stride = 2}}, {filter});
  const auto classes = g.add(
      "classes", net::fully_connected{.outputs = 5, .weights = noise(random, 5 * 8 * 16)}, {pool});
  g[g.add("prob", net::softmax{}, {classes})].output = true;
  net::infer_shapes(g);
  return g;
}

inline std::vector<sample> samples(std::size_t count) {
  std::mt19937 random(5);
  std::vector<sample> all;
  for (std::size_t i = 0; i < count; ++i)
    all.push_back({net::float_tensor{{4, 8, 8}, noise(random, 4 * 64)}});
  return all;
}

// The network for one configuration, and what runs and verifies it.
struct proof {
  explicit proof(const cli::target& t, std::function<void(std::vector<std::uint8_t>&)> spoil = {})
      : on(t), float_network(make()), calibration(samples(8)),
        network(prepare_on<cli::float_graph>(std::array{&t}, float_network,
                                             std::span<const sample>(calibration), {})),
        program(t, network.integers), bytes(program.loadable()) {
    if (spoil) spoil(bytes);
    session = t.simulate(runtime::load(emit::read_loadable(bytes), t.spec()), {});
  }

  verification::verifier verifier(runtime::any_session& simulated) const {
    return {"small",
            [this](std::span<const net::float_tensor> in) {
              return verification::outputs_in_file(float_network, in);
            },
            verification::compare_layers(network.graph, network.integers),
            network.integers,
            {{std::string(on.name()), on.spec(), &simulated, 1234, "1234 cycles predicted"}}};
  }
  // Verifies inputs with these labels, if there are any.
  verification::report verify(runtime::any_session& simulated, std::size_t inputs,
                              const std::vector<std::size_t>& labels = {}) const {
    const auto work = verifier(simulated);
    auto r = work.begin();
    r.labelled = !labels.empty();
    for (const auto& s : samples(inputs)) {
      auto one = work.run(text("sample ", r.inputs.size()), s,
                          runtime::feeds_of(s, simulated.inputs()));
      if (r.labelled) one.label = labels[r.inputs.size()];
      r.add(std::move(one));
    }
    return r;
  }

  const cli::target& on;
  net::graph float_network;
  std::vector<sample> calibration;
  prepared_network network;
  compiled program;
  std::vector<std::uint8_t> bytes;
  std::unique_ptr<runtime::any_session> session{};
};

}  // namespace small_network
