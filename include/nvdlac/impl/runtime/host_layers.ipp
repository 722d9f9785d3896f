// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/quantised/on_host.hpp>
#include <nvdlac/runtime/host_layers.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL host::registry host_layers_of(const quantised::graph& network) {
  host::registry all;
  for (quantised::graph::id n = 0; n < network.size(); ++n) {
    const auto* const op = std::get_if<quantised::on_host>(&network[n].op);
    if (op != nullptr && op->layer != nullptr && all.find(op->layer->name) == nullptr)
      all.add(*op->layer);
  }
  return all;
}

}  // namespace nvdlac::runtime
