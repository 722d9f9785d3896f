// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string_view>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/host/choice.hpp>

namespace nvdlac::host {

NVDLAC_IMPL bool choice::allows(std::initializer_list<std::string_view> any_of_these) const {
  return what == kind::all || std::ranges::any_of(any_of_these, [&](std::string_view name) {
           return std::ranges::find(names, name) != names.end();
         });
}

}  // namespace nvdlac::host
