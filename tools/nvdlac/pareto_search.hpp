// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nvdlac::cli {

// nvdlac/pareto_search.hpp, whose library is compiled apart from the rest.
using front_judge = std::function<std::vector<std::optional<std::vector<std::uint64_t>>>(
    const std::vector<std::uint64_t>&)>;
void search_front(const std::vector<std::size_t>& sizes, std::size_t most,
                  std::size_t objectives,
                  const std::function<bool(std::uint64_t)>& is_legal, const front_judge&);

}  // namespace nvdlac::cli
