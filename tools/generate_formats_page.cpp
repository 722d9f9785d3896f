// SPDX-License-Identifier: Apache-2.0
// Prints docs/formats.md:
//   c++ -std=c++20 -Iinclude tools/generate_formats_page.cpp -lprotobuf -o generate
//   ./generate > docs/formats.md
#include <iostream>

#include <nvdlac/report/formats_page.hpp>

int main() { std::cout << nvdlac::report::formats_page(); }
