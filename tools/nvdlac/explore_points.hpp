// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `explore` asks of the compiler, which is compiled apart from what it does with the answers.
#include <nvdlac/explore.hpp>

namespace nvdlac::explore {

extern template std::vector<point> predict<quantised::graph>(
    std::span<const hw::spec>, const quantised::graph&, const compile_options&, std::uint32_t,
    const std::function<void(std::size_t, std::size_t)>&);

}  // namespace nvdlac::explore
