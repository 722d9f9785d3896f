// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry: see program.hpp for what the bytes mean.
#include "program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nvdlac::fuzz::run({data, size});
  return 0;
}
