// SPDX-License-Identifier: Apache-2.0
// Prints docs/operators.md:
//   c++ -std=c++20 -Iinclude tools/generate_operators_page.cpp -lprotobuf -o generate
//   ./generate > docs/operators.md
#include <iostream>

#include <nvdlac/hw/configurations.hpp>

#include <nvdlac/report/operators_page.hpp>

int main() { std::cout << nvdlac::report::operators_page(nvdlac::hw::published{}); }
