// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/nvdlac.hpp>

#include <iostream>

std::string second();  // in the other translation unit

int main() {
  const auto first = nvdlac::to_string(nvdlac::problem{.layer = "conv1", .reason = "first"});
  std::cout << first << '\n' << second() << '\n';
  return first == "layer 'conv1': first" && second() == "second" ? 0 : 1;
}
