// SPDX-License-Identifier: Apache-2.0
// Prints docs/support.md:
//   c++ -std=c++20 -Iinclude tools/generate_support_table.cpp -o generate
//   ./generate > docs/support.md
#include <iostream>

#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/report/support.hpp>

int main() { std::cout << nvdlac::report::support_tables(nvdlac::hw::published{}); }
