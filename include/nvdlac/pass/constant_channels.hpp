// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions that read maps which are the same for every input.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/least_lanes.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/rewriter.hpp>

namespace nvdlac::pass {

// An input of a concat; no value: it is computed.
struct joined_channels {
  std::int32_t channels = 0;
  const net::float_tensor* value = nullptr;
};
// A convolution of what is computed, and what it sums of the constants at each place.
struct split_by_constants {
  net::convolution rest{};
  net::float_tensor sums{};
};
split_by_constants split_constants(const net::convolution& c, net::shape in,
                                   std::span<const joined_channels> parts);

// A convolution of a tensor beside constant maps, such as the coordinates of places, reads the
// tensor alone, and what it would sum of the constants is added behind it. That saves their
// joining, which copies both where the tensor does not fill atoms, and lets a picture stay one.
struct constant_channels {
  static constexpr std::string_view name = "constant_channels";
  static constexpr std::string_view description =
      "add what convolutions sum of constant maps beside their input";

  template <class Graph>
  static void run(Graph& g) {
    rewriter<Graph> r(g);
    for (const auto n : g.order()) {
      const auto* c = as_alone<net::convolution>(g, n);
      if (c == nullptr || c->groups != 1) continue;
      const auto from = g.inputs(n).front();
      if (as<net::concat>(g, from) == nullptr || !r.only_feeds(from, n)) continue;
      std::vector<joined_channels> parts;
      std::vector<typename Graph::id> rest;
      std::int32_t channels = 0;
      for (const auto i : g.inputs(from)) {
        const auto* value = as<net::constant>(g, i);
        parts.push_back({g[i].shape.c, value == nullptr ? nullptr : &value->value});
        if (value != nullptr) continue;
        rest.push_back(i);
        channels += g[i].shape.c;
      }
      if (rest.size() == parts.size() || channels % hw::least_lanes == 0) continue;
      const bool relu = c->relu;
      auto split = split_constants(*c, g[from].shape, parts);
      const auto whole = rest.size() == 1 ? rest[0]
                                          : r.add(g[from].name + "/computed", net::concat{}, rest);
      const auto sums = r.add(g[n].name + "/computed", std::move(split.rest), {whole});
      const auto constants = r.add(g[n].name + "/constants",
                                   net::constant{std::move(split.sums)}, {});
      g[n].op = net::add{.relu = relu};
      r.set_inputs(n, {sums, constants});
    }
    r.finish();
  }
};

}  // namespace nvdlac::pass

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/pass/constant_channels.ipp>
#endif
