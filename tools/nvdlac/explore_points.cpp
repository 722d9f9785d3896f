// SPDX-License-Identifier: Apache-2.0
#include "explore_points.hpp"

namespace nvdlac::explore {

template std::vector<point> predict<quantised::graph>(
    std::span<const hw::spec>, const quantised::graph&, const compile_options&, std::uint32_t,
    const std::function<void(std::size_t, std::size_t)>&);

}  // namespace nvdlac::explore
