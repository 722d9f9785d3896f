// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes of a file in the memory of this process, as other processes and devices see them.
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

class mapping {
 public:
  mapping() = default;
  // So many bytes of an open file from an offset on, which is that of a page, to read and to write.
  // What fails leaves the reason in errno.
  mapping(int file, std::uint64_t offset, std::size_t size);
  ~mapping();
  mapping(mapping&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  mapping& operator=(mapping&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }

  explicit operator bool() const { return begin_ != nullptr; }
  std::uint8_t* begin() const { return begin_; }
  std::size_t size() const { return size_; }

  // The size of this system's pages.
  static std::uint64_t page();

 private:
  std::uint8_t* begin_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/mapping.ipp>
#endif
