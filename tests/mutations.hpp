// SPDX-License-Identifier: Apache-2.0
#pragma once
// Programs that are broken in one way, of which the checker has to tell.
#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <string>

#include <nvdlac/plan/program.hpp>
#include <nvdlac/plan/verify.hpp>

// How a program is broken, and words of what the checker then reports.
template <class Hw>
struct mutation {
  const char* reported;
  std::function<void(nvdlac::plan::program<Hw>&)> harm;
};

template <class Hw>
void expect_found(const nvdlac::plan::program<Hw>& good,
                  std::initializer_list<mutation<Hw>> all) {
  for (const auto& m : all) {
    CAPTURE(m.reported);
    auto broken = good;
    m.harm(broken);
    bool found = false;
    for (const auto& problem : nvdlac::plan::verify(broken))
      found = found || to_string(problem).find(m.reported) != std::string::npos;
    CHECK(found);
  }
}
