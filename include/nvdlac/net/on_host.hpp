// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/host/call.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// A layer that the host computes, by the name it is registered with. Known at run time only: its
// computations are in host/compute.hpp, which net/operators.hpp includes.
struct on_host {
  using is_known_at_run_time = void;
  static constexpr arity inputs{1, host::most_inputs};

  host::call call{};
  static constexpr void fields(auto&& field) { field("call", &on_host::call); }

  shape infer(std::span<const shape> in) const;
  float_tensor evaluate(std::span<const float_tensor* const> in) const;
};
static_assert(operation<on_host>);

}  // namespace nvdlac::net
