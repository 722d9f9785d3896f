// SPDX-License-Identifier: Apache-2.0
#include "pareto_search.hpp"

#include <nvdlac/pareto_search.hpp>

namespace nvdlac::cli {

void search_front(const std::vector<std::size_t>& sizes, std::size_t most,
                  std::size_t objectives,
                  const std::function<bool(std::uint64_t)>& is_legal, const front_judge& ask) {
  pareto::search(sizes, most, objectives, is_legal, ask);
}

}  // namespace nvdlac::cli
