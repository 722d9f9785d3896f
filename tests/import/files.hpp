// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/protobuf.hpp>

#include "scratch.hpp"

// The binary form of a message in text form.
inline std::string encode(const nvdlac::import::proto::schema& s, const char* message,
                          std::string_view content) {
  return nvdlac::import::proto::parse_text(s, message, "", content, nvdlac::budget{}.fields)
      .message->SerializeAsString();
}

// The complaint of an action; empty if there is none.
inline std::string complaints(const std::function<void()>& action) {
  try {
    action();
  } catch (const nvdlac::error& e) {
    return e.what();
  }
  return {};
}

inline bool mentions(std::string_view all, std::string_view part) {
  return all.find(part) != all.npos;
}

// The names of a table that a page of the documents does not list.
template <class Table>
std::string missing_in(const char* page, const Table& table) {
  std::ifstream in(std::string(NVDLAC_SOURCE_DIR) + "/docs/" + page);
  const std::string content((std::istreambuf_iterator<char>(in)), {});
  std::string missing;
  for (const auto& [name, ignored] : table) {
    const auto plain = std::string(name), quoted = '`' + plain + '`';
    bool found = false;
    for (const auto& word : {plain, quoted})
      for (const char* end : {",", "."})
        for (const char* before : {" ", "\n"})
          found = found || mentions(content, before + word + end);
    if (!found) missing += plain + ' ';
  }
  return missing;
}
