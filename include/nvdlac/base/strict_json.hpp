// SPDX-License-Identifier: Apache-2.0
#pragma once
// Reading JSON strictly, with a library of JSON that the caller includes.
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>

namespace nvdlac {

// The document, which is a `what`; reports every member that an object has twice (a JSON library
// keeps only one).
template <class Json>
Json parse_strictly(std::string_view text_of_file, const std::string& file, std::string_view what,
                    diagnostics& found) {
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int, typename Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key)
      if (const auto name = parsed.template get<std::string>(); !open.back().insert(name).second)
        found.add({.file = file, .layer = name, .reason = text("is listed twice in the ", what)});
    return true;
  };
  try {
    return Json::parse(text_of_file, watch);
  } catch (const typename Json::exception& e) {
    throw error({.file = file, .reason = text("is not JSON: ", e.what())});
  }
}

}  // namespace nvdlac
