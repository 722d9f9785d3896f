// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/quant/scale_table.hpp>
#include <nvdlac/quant/scale_table_json.hpp>

namespace nvdlac::quant::detail {

NVDLAC_IMPL void check_writable(const scale_table& table) {
  diagnostics found;
  check(table, found);
  for (const auto& e : table.entries)
    if (!escape::is_utf8(e.layer))
      found.add({.file = table.file, .layer = e.layer,
                 .reason = "its name is no UTF-8 text, so no scale table can list it",
                 .remedy = "give the layer another name"});
  found.check();
}

}  // namespace nvdlac::quant::detail
