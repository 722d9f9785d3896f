// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include <nvdlac/base/cpp20.hpp>

namespace nvdlac::report {

using json = nlohmann::ordered_json;  // keys in the order in which they are written

// The one way in which JSON is printed. Names may hold any bytes: those that are no UTF-8 are
// replaced, and what is not ASCII is written as numbers, which every reader and terminal takes.
inline std::string json_text(const json& j) {
  return j.dump(2, ' ', true, json::error_handler_t::replace) + '\n';
}

}  // namespace nvdlac::report
