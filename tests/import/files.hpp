// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/protobuf.hpp>

#include "scratch.hpp"

// The binary form of a message in text form.
inline std::string encode(const nvdlac::import::proto::schema& s, const char* message,
                          std::string_view content) {
  return nvdlac::import::proto::parse_text(s, message, "", content).message->SerializeAsString();
}

// What an action complains of; empty if it does not.
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
