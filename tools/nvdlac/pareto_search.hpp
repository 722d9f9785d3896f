// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace nvdlac::cli {

// A search for combinations of which no other is as good in all objectives, where there are too
// many to judge them all.
namespace pareto {

using objectives = std::array<std::uint64_t, 4>;  // each is to be small
// Of each combination, by its number, what is to be small; nullopt: it is none to choose.
using judge =
    std::function<std::vector<std::optional<objectives>>(const std::vector<std::uint64_t>&)>;

// Whether a combination may be asked for.
using predicate = std::function<bool(std::uint64_t)>;

// Asks for at most `most` legal combinations of ranges with so many values each, each once; a
// combination is the number that explore::combination takes. The genetic algorithm NSGA-II of
// libpagmo with a fixed seed: the same questions whenever the answers are the same. Throws
// nvdlac::error where the tool was built without libpagmo.
void search(const std::vector<std::size_t>& sizes, std::size_t most, const predicate& is_legal,
            const judge&);

}  // namespace pareto

}  // namespace nvdlac::cli
