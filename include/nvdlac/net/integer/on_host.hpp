// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/host/call.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::net::integer {

// A layer that the host computes in numbers of any precision: host::compute is its reference.
struct on_host {
  using is_known_at_run_time = void;
  static constexpr arity inputs{1, host::most_inputs};

  host::call call{};
  shape target{};  // of the result
  static constexpr void fields(auto&& field) {
    field("call", &on_host::call);
    field("target", &on_host::target);
  }

  constexpr shape infer(std::span<const shape>) const { return target; }
};
static_assert(operation<on_host>);

}  // namespace nvdlac::net::integer
