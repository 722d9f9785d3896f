// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include <nvdlac/net/host_layer.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A layer that the host computes: the call that a loadable keeps, and who computes it, which must
// outlive the network (host::on_host makes both of an operator). Known at run time only.
struct on_host {
  using is_known_at_run_time = void;
  static constexpr arity inputs{1, most_host_inputs};

  host_call call{};
  const host_layer* layer = nullptr;
  static constexpr void fields(auto&& field) { field("call", &on_host::call); }

  shape infer(std::span<const shape> in) const {
    return known().infer_checked(call.parameters, in);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return known().evaluate_checked(call.parameters, in);
  }
  // The largest whole number that the call gives, if it counts.
  std::optional<std::int64_t> counts_to(std::span<const shape> in) const {
    if (!known().counts_to) return std::nullopt;
    return known().counts_to(call.parameters, in);
  }

 private:
  const host_layer& known() const {
    if (layer == nullptr) throw error(text("nobody computes the host's layer '", call.layer, "'"));
    return *layer;
  }
};
static_assert(operation<on_host>);

}  // namespace nvdlac::net
