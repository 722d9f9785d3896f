// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/json.hpp>

namespace nvdlac::import::json_text {

NVDLAC_IMPL json parsed(std::string_view content, const std::string& what,
                        std::uint64_t most_fields) {
  std::size_t depth = 0, deepest = 0, values = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const char c = content[i];
    if (in_text) {
      if (c == '\\') ++i;
      in_text = in_text && c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
      ++values;
    } else if (c == ']' || c == '}') {
      depth -= depth > 0 ? 1 : 0;
    } else if (c == ',') {
      ++values;
    }
  }
  require_within(&budget::fields, values, most_fields);
  if (deepest > 256) throw error(what + " has brackets within brackets, more than 256 times");
  auto j = json::parse(content.begin(), content.end(), nullptr, false);
  if (j.is_discarded())
    throw error(problem{.reason = what + " is no JSON", .remedy = "the file is corrupt"});
  return j;
}

NVDLAC_IMPL const json* member(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

NVDLAC_IMPL std::string word(const json& object, const char* key, const std::string& otherwise) {
  const auto* w = member(object, key);
  return w != nullptr && w->is_string() ? w->get<std::string>() : otherwise;
}

NVDLAC_IMPL std::string shown(const json& value) {
  auto s = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return s.size() > 60 ? s.substr(0, 60) + ".." : s;
}

}  // namespace nvdlac::import::json_text
