// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include <nvdlac/net/operation.hpp>

namespace nvdlac::net {

// Writes an operator of the user's own as one that nvdlac knows, with the same inputs. The user
// specialises it: `static constexpr auto run(const Op&, std::span<const shape>)`.
template <class Op>
struct expansion;

template <class Op>
concept is_expandable = requires(const Op op, std::span<const shape> in) {
  { expansion<Op>::run(op, in) } -> operation;
};

}  // namespace nvdlac::net
