// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/comparison.hpp>
#include <nvdlac/host/detection.hpp>
#include <nvdlac/host/embedding.hpp>
#include <nvdlac/host/expectation.hpp>
#include <nvdlac/host/gather.hpp>
#include <nvdlac/host/non_max_suppression.hpp>
#include <nvdlac/host/on_host.hpp>
#include <nvdlac/host/post_process.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/host/top_k.hpp>
#include <nvdlac/net/on_host.hpp>

namespace nvdlac::host {

// The layers that select by values, as at a detector's end, or at places.
using selection_operators = type_list<compare, embedding, expectation, gather, gather_elements,
                                      non_max_suppression, peak, top_k, places_of_top_k, where>;

NVDLAC_IMPL registry::registry() {
  const auto add_all = [&]<class Op>(std::type_identity<Op>) { add<Op>(); };
  for_each(net_operators{}, add_all);
  for (std::size_t f = 0; f < net::functions.size(); ++f)
    add(layer_of(static_cast<net::function>(f)));
  for_each(host_operators{}, add_all);
  for_each(detection_operators{}, add_all);
  for_each(post_process_operators{}, add_all);
  for_each(selection_operators{}, add_all);
}

NVDLAC_IMPL void registry::add(net::host_layer l) {
  if (l.name.empty() || !l.infer || !l.evaluate)
    throw error("a layer of the host needs a name, a shape rule and a computation");
  std::string name = l.name;
  if (!layers_.emplace(name, std::move(l)).second)
    throw error(text("the host has a layer '", name, "' already"));
}

NVDLAC_IMPL const net::host_layer* registry::find(std::string_view name) const {
  const auto found = layers_.find(name);
  return found == layers_.end() ? nullptr : &found->second;
}

NVDLAC_IMPL const net::host_layer& registry::get(std::string_view name) const {
  const auto* found = find(name);
  if (found == nullptr)
    throw error(problem{.reason = text("the host has no layer '", name, "'"),
                        .remedy = "add it to the host::registry of whoever runs the program"});
  return *found;
}

NVDLAC_IMPL std::vector<std::string_view> registry::names() const {
  std::vector<std::string_view> result;
  for (const auto& [name, ignored] : layers_) result.push_back(name);
  return result;
}

NVDLAC_IMPL const registry& standard() {
  static const registry all;
  return all;
}

}  // namespace nvdlac::host
