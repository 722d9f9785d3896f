// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <initializer_list>
#include <string_view>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/choice.hpp>

namespace nvdlac::host {

NVDLAC_IMPL bool choice::allows(std::initializer_list<std::string_view> any_of_these) const {
  if (what == kind::all) return true;
  for (const auto name : any_of_these)
    for (const auto& allowed : names)
      if (allowed == name) return true;
  return false;
}

}  // namespace nvdlac::host
