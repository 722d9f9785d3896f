// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/nv_full.hpp>
#include <nvdlac/sim/loaded_program.hpp>

#include "attempt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvdlac;
  return fuzz::attempt(data, size, [&](std::string_view) {
    (void)sim::load(emit::read_loadable({data, size}, "fuzzed"), nv_full::spec);
  });
}
