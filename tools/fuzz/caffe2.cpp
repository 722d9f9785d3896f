// SPDX-License-Identifier: Apache-2.0
// A predict_net, whose size the first two bytes tell, and its init_net.
#include <algorithm>

#include <nvdlac/import/caffe2.hpp>
#include <nvdlac/pass/pipeline.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  if (size < 2) return 0;
  const std::size_t first = std::min<std::size_t>(data[0] + 256U * data[1], size - 2);
  return fuzz::attempt(data + 2, size - 2, [first](std::string_view bytes) {
    auto g = import::caffe2_network_from({"p", std::string(bytes.substr(0, first))},
                                         {"i", std::string(bytes.substr(first))},
                                         {.limits = fuzz::limits}).graph;
    pass::standard::run(g);
  });
}
