// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trial in a process of its own, which may crash, hang, or take all memory.
#include <chrono>
#include <cstdint>

#include "trial.hpp"

namespace nvdlac::judge {

struct limits {
  std::chrono::seconds time{20};  // of the processor; ten times as much by the clock
  std::uint64_t memory = std::uint64_t{4} << 30;  // bytes of addresses
};

outcome run(const exhibit&, const trial&, cli::target_list, const traits&, const limits& = {});

}  // namespace nvdlac::judge
