// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

NVDLAC_IMPL shape host_layer::infer_checked(const host_parameters& given, shapes in) const {
  if (!inputs.contains(in.size()))
    throw error(text("the host's layer '", name, "' does not take ", count_of(in.size(), "input")));
  return infer(given, in);
}

NVDLAC_IMPL float_tensor host_layer::evaluate_checked(const host_parameters& given,
                                                      tensors in) const {
  const auto needed = infer_checked(given, shapes_of(in));
  auto y = evaluate(given, in);
  if (y.shape != needed || y.values.size() != needed.size())
    throw error(text("the host's layer '", name, "' gives ", y.shape, " in ",
                     count_of(y.values.size(), "value"), " instead of ", needed));
  return y;
}

NVDLAC_IMPL std::uint64_t on_host::operations(std::span<const shape> in) const {
  return known().operations ? known().operations(call.parameters, in) : 0;
}

NVDLAC_IMPL std::optional<std::int64_t> on_host::counts_to(std::span<const shape> in) const {
  if (!known().counts_to) return std::nullopt;
  return known().counts_to(call.parameters, in);
}

NVDLAC_IMPL std::optional<std::int64_t> on_host::takes_places_to() const {
  if (!known().takes_places_to) return std::nullopt;
  return known().takes_places_to(call.parameters);
}

NVDLAC_IMPL std::optional<double> on_host::bound(std::span<const double> in) const {
  if (!has_bound()) return std::nullopt;
  return layer->bound(call.parameters, in);
}

NVDLAC_IMPL const host_layer& on_host::known() const {
  if (layer == nullptr) throw error(text("nobody computes the host's layer '", call.layer, "'"));
  return *layer;
}

}  // namespace nvdlac::net
