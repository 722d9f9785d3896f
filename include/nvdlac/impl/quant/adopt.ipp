// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/adopt.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant::detail {

NVDLAC_IMPL void refuse_equalised(const scale_table& table, diagnostics& found) {
  if (table.equalised)
    found.add({.file = table.file,
               .reason = "has the scales of a network whose channels were brought to one range",
               .remedy = "calibrate again with the same inputs and the same effort, which gives "
                         "the same integers, or make the table with effort 0"});
}

}  // namespace nvdlac::quant::detail
