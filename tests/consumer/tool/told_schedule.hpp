// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <iostream>

#include <nvdlac/schedule/standard.hpp>

// nvdlac's schedule, of which it tells.
struct told_schedule {
  nvdlac::schedule::choices operator()(const nvdlac::schedule::draft& d) const {
    std::cerr << "a schedule of my own\n";
    return nvdlac::schedule::standard{}(d);
  }
};
