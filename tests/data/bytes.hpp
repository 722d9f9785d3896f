// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <nvdlac/data/file.hpp>

// Bytes of a literal that may hold zeros.
template <std::size_t N>
nvdlac::data::file_bytes bytes(const char (&literal)[N]) {
  return {literal, literal + N - 1};
}

inline nvdlac::data::file_bytes bytes(const std::string& s) { return {s.begin(), s.end()}; }

// The message of the error of `f`; empty if there is none.
template <class F>
std::string said(F f) {
  try {
    f();
  } catch (const nvdlac::error& e) {
    return e.what();
  }
  return "";
}

inline bool says(const std::string& message, std::string_view part) {
  return message.find(part) != std::string::npos;
}

