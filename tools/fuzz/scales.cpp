// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/quant/scale_table_json.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [](std::string_view bytes) {
    const auto table = quant::read_scales(bytes, "fuzzed");
    (void)quant::read_scales(quant::write_scales(table), "written");
  });
}
