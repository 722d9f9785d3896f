// SPDX-License-Identifier: Apache-2.0
// A Core ML model.
#include <nvdlac/import/coreml.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    auto g = import::coreml_network_from({"m", std::string(bytes)}, {.limits = fuzz::limits}).graph;
    pass::standard::run(g);
  });
}
