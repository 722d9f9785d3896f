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
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
    errno = EOVERFLOW;
    return;
  }
  void* const at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                          static_cast<off_t>(offset));
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
