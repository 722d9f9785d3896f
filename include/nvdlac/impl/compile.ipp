// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/compile.hpp>

namespace nvdlac::detail {

NVDLAC_IMPL void throw_if_defect(const std::vector<problem>& found) {
  if (!found.empty()) throw std::logic_error(error(found).what());
}

}  // namespace nvdlac::detail
