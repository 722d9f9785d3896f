// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// A count of what is to lie in the memory of this process, as containers take it: std::bad_alloc
// where its addresses, of 32 bits, do not reach so far.
constexpr std::size_t in_memory(std::uint64_t n) {
  if (!std::in_range<std::size_t>(n)) throw std::bad_alloc();
  return static_cast<std::size_t>(n);
}

}  // namespace nvdlac
