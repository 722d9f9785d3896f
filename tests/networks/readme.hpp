// SPDX-License-Identifier: Apache-2.0
// Accuracies that README.md quotes, each held by the test that measures it.
#pragma once
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

namespace networks {

// Checks that README.md has this text, on however many lines.
inline void check_in_readme(const std::string& text) {
  std::ifstream file(NVDLAC_SOURCE_DIR "/README.md");
  std::string readme;
  for (std::string word; file >> word;) readme += word + ' ';
  INFO(text);
  CHECK(readme.find(text) != readme.npos);
}

// Per cent with so many decimals.
inline std::string per_cent(double x, int decimals) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %%", decimals, x);
  return text;
}

// Checks that README.md has the row of a network with its top-1 in float and in int8, per cent.
inline void check_row_of_readme(std::string_view network, double real, double integers) {
  check_in_readme("| " + std::string(network) + " | " + per_cent(real, 2) + " | " +
                  per_cent(integers, 2) + " |");
}

}  // namespace networks
