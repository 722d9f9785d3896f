// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include <nvdlac/base/error.hpp>

// The first problem of what f throws; an empty one if it throws nothing.
template <class F>
nvdlac::problem problem_of(F f) {
  try {
    f();
  } catch (const nvdlac::error& e) {
    return e.problems().front();
  }
  return {};
}

inline bool has(const std::string& s, std::string_view part) { return s.find(part) != s.npos; }
