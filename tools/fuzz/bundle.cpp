// SPDX-License-Identifier: Apache-2.0
// The index of a checkpoint's variables.
#include <nvdlac/import/tensorflow/bundle.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    (void)import::tensorflow_format::sorted_table(std::string(bytes)).entries().size();
  });
}
