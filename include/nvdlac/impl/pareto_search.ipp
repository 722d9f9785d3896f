// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/pareto_search.hpp>

#ifndef NVDLAC_PAGMO
namespace nvdlac::pareto {

NVDLAC_IMPL void search(const std::vector<std::size_t>&, std::size_t, std::size_t,
                        const predicate&, const judge&) {
  throw error(problem{.reason = "this nvdlac was built without a library for the search",
                      .remedy = "install libpagmo-dev and build it again, or give fewer values, "
                                "which are all predicted"});
}

}  // namespace nvdlac::pareto
#endif
