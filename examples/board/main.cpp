// SPDX-License-Identifier: Apache-2.0
// Classifies pictures on a board.
#include <iostream>
#include <nvdlac/nvdlac.hpp>
#include <nvdlac/runtime/uio.hpp>

int main(int count, char** given) try {
  if (count < 4) {
    std::cout << "usage: board LOADABLE DEVICE PICTURE..\n";
    return 0;
  }
  auto chip = nvdlac::load<nvdlac::nv_small>(given[1], nvdlac::runtime::uio(given[2]));
  for (int i = 3; i < count; ++i)
    std::cout << given[i] << ": " << chip.run(given[i]).top1() << '\n';
} catch (const nvdlac::error& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
