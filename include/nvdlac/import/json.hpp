// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON in the files of models.
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <nvdlac/base/version.hpp>

namespace nvdlac::import::json_text {

using json = nlohmann::json;

// A text as JSON, which is neither too deep nor too long: each value stands behind a comma, or
// behind the bracket that it is the first in, and takes some hundred bytes of memory at most.
// `most_fields` is budget::fields.
json parsed(std::string_view content, const std::string& what, std::uint64_t most_fields);

const json* member(const json& object, const char* key);
std::string word(const json& object, const char* key, const std::string& otherwise = {});
std::string shown(const json& value);

}  // namespace nvdlac::import::json_text

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/json.ipp>
#endif
