// SPDX-License-Identifier: Apache-2.0
// A cfg, and behind the first zero byte its weights; without one, noise takes its place.
#include <nvdlac/import/darknet.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    const auto zero = bytes.find(char{});
    const std::string text(bytes.substr(0, zero));
    auto g = zero == bytes.npos
                 ? import::darknet_format::read({"n", text},
                                                import::darknet_format::weights(
                                                    import::random_weights{1},
                                                    fuzz::limits.weights),
                                                {}, {.limits = fuzz::limits}).graph
                 : import::darknet_network_from({"n", text},
                                                {"w", std::string(bytes.substr(zero + 1))}, {},
                                                {.limits = fuzz::limits}).graph;
    pass::standard::run(g);
  });
}
