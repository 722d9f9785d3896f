// SPDX-License-Identifier: Apache-2.0
// A prototxt, and behind the first zero byte its caffemodel; without one, noise takes its place.
#include <nvdlac/import/caffe.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    const auto zero = bytes.find(char{});
    const std::string text(bytes.substr(0, zero));
    auto g = zero == bytes.npos
                 ? import::caffe_format::read({"p", text},
                                              import::caffe_format::weights(
                                                  import::random_weights{1},
                                                  fuzz::limits.weights),
                                              {.limits = fuzz::limits}).graph
                 : import::read_caffe({"p", text},
                                      import::named_content{
                                          "w", std::string(bytes.substr(zero + 1))},
                                      {.limits = fuzz::limits}).graph;
    pass::standard::run(g);
  });
}
