// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <sys/mman.h>
#include <unistd.h>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/mapping.hpp>

namespace nvdlac {

NVDLAC_IMPL mapping::mapping(int file, std::uint64_t offset, std::size_t size) {
#ifdef __GLIBC__  // whose off_t may have 32 bits, in which half of a 32-bit board's memory is not
  using position = off64_t;
  constexpr auto map = &::mmap64;
#else
  using position = off_t;
  constexpr auto map = &::mmap;
#endif
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<position>::max())) {
    errno = EOVERFLOW;
    return;
  }
  void* const at =
      map(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<position>(offset));
  if (at == MAP_FAILED) return;
  begin_ = static_cast<std::uint8_t*>(at);
  size_ = size;
}

NVDLAC_IMPL mapping::~mapping() {
  if (begin_ != nullptr) ::munmap(begin_, size_);
}

NVDLAC_IMPL std::uint64_t mapping::page() {
  return static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace nvdlac
