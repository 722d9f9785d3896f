// SPDX-License-Identifier: Apache-2.0
// Pictures and arrays, as inputs of a network that takes 3 channels of 4 x 4.
#include <nvdlac/data/samples.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* from, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(from, size, [&](std::string_view) {
    const auto all = data::detail::open_bytes("fuzzed", {from, from + size}, {3, 4, 4},
                                              {.most_samples = fuzz::limits.samples});
    for (std::size_t i = 0; i < all.count && i < 100; ++i) (void)all.at(i);
  });
}
