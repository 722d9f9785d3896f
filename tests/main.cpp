// SPDX-License-Identifier: Apache-2.0
// The main of all tests. Where none failed, but material was absent that one asked for, the exit
// code is 77, which ctest reports as skipped; it is 1 where the material as such is there and
// NVDLAC_DEMAND_MATERIAL says that nothing may be missing.
// doctest is already in the precompiled header, without its implementation.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "shared.hpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int failed = context.run();
  if (context.shouldExit() || failed != 0 || absent_material().empty()) return failed;
  for (const auto& name : absent_material()) std::cout << "absent: shared/" << name << '\n';
  const bool demanded =
      std::getenv("NVDLAC_DEMAND_MATERIAL") && std::filesystem::exists(shared_root());
  return demanded ? EXIT_FAILURE : 77;
}
