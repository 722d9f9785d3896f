// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who computes what, so that the fewest tensors go from NVDLA to the host or back.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::host {

// Who can compute an operator.
enum class side : std::uint8_t { nvdla, host, either };

// The operators that write or read one tensor: it crosses if they are not all on one side.
using tensor_users = std::vector<std::size_t>;

// Who computes each operator, none of them `either`: with the fewest crossings, and among these
// with the fewest operators on the host.
std::vector<side> minimum_cut(std::span<const side> operators,
                              std::span<const tensor_users> tensors);

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/minimum_cut.ipp>
#endif
