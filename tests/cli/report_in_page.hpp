// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nlohmann/json.hpp>

// The report that a page of `--html` shows.
inline nlohmann::json report_in(const std::string& page) {
  const std::string begin = "id=\"report\">", end = "</script>";
  const auto from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find(end, from) - from));
}
