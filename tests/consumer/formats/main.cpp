// SPDX-License-Identifier: Apache-2.0
// formats MODEL [WEIGHTS]: reads a model, and says how many layers it has.
#include <exception>
#include <filesystem>
#include <iostream>

#include <nvdlac/import/network.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/nvdlac.hpp>

int main(int argc, char** argv) {
  try {
    nvdlac::import::weight_source weights;
    if (argc > 2) weights = std::filesystem::path(argv[2]);
    std::cout << nvdlac::read(argv[1], weights)->graph.size() << " layers\n";
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
