// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/import/tflite.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    auto g = import::without_scales(
        import::tflite_network_from(std::string(bytes), "fuzzed", {.limits = fuzz::limits}));
    pass::standard::run(g);
  });
}
