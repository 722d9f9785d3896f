// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts that all fuzz targets of readers share.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>

namespace nvdlac::fuzz {

// Limits that are low, so that what is slow or large is a defect and not the bytes' own wish.
inline constexpr budget limits{
    .fields = 1 << 14, .nodes = 1 << 10, .weights = 1 << 20, .tensors = 1 << 20,
    .operations = 1 << 24, .constants = 1 << 18, .parts = 64, .moved = 1 << 18,
    .samples = 1 << 18, .memory = 1 << 22, .trace = 1 << 22, .work = 1 << 24, .macs = 1 << 20,
    .elements = 1 << 18};

// An error is a good answer to bad bytes; another exception, or none and a crash, ends the fuzzer.
template <class Read>
int attempt(const std::uint8_t* data, std::size_t size, Read read) {
  try {
    read(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const error&) {
  }
  return 0;
}

}  // namespace nvdlac::fuzz
