// SPDX-License-Identifier: Apache-2.0
// A symbol, and behind the first zero byte its parameters.
#include <algorithm>

#include <nvdlac/import/mxnet.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    const auto zero = std::min(bytes.find(char{}), bytes.size());
    const std::string symbol(bytes.substr(0, zero));
    const std::string params(bytes.substr(std::min(zero + 1, bytes.size())));
    auto g = import::mxnet_network_from({"s", symbol}, {"p", params},
                                        {.shapes = {{"data", {1, 3, 30, 40}}},
                                         .limits = fuzz::limits}).graph;
    pass::standard::run(g);
  });
}
