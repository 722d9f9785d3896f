// SPDX-License-Identifier: Apache-2.0
// The definitions of `read` and of basic_model, which product.hpp declares.
#pragma once
#include <filesystem>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/data/sources.hpp>
#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/import/model.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/builder.hpp>
#include <nvdlac/net/graph.hpp>
#include <nvdlac/net/verify.hpp>
#include <nvdlac/product.hpp>

namespace nvdlac {

template <class Network>
basic_model<Network> read(const std::filesystem::path& file,
                          const import::weight_source& weights, const budget& limits) {
  return in_file(file.string(), [&] {
    auto n = import::any_network<typename Network::own_operators>(file, weights,
                                                                 {.limits = limits});
    detail::throw_if_any(net::verify(n.graph));
    emit::provenance from;
    from.sources.push_back(data::source_of_model(import::model_file(file), n.external));
    if (const auto* trained = std::get_if<std::filesystem::path>(&weights))
      from.sources.push_back(data::source_of("weights", {*trained}));
    if (const auto* noise = std::get_if<import::random_weights>(&weights))
      from.options.emplace_back("--random-weights=", noise->seed);
    return basic_model<Network>(std::move(n),
                                std::make_shared<const emit::provenance>(std::move(from)));
  });
}

template <class Network>
basic_model<Network>::basic_model(std::vector<net::network_node> nodes)
    : basic_model([&] {
        import::network n{.graph = net::to_graph<net::graph>(std::move(nodes))};
        detail::throw_if_any(net::verify(n.graph));
        return import::with_own<typename Network::own_operators>(std::move(n));
      }()) {}

}  // namespace nvdlac
