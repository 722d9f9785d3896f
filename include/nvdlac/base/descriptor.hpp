// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files as the operating system has them.
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nvdlac/base/version.hpp>

namespace nvdlac {

// All bytes, or errno says why not.
bool write_all(int file, std::span<const std::uint8_t> content);

// An open file. What returns false leaves the reason in errno.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { close(); }
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept;

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

  // Returns its status; that of a file that is not open has nothing that any kind of file has.
  struct stat status() const;
  bool is_regular() const { return S_ISREG(status().st_mode); }

  // So many bytes from an offset on, or fewer, at the end of the file; -1: it cannot be read.
  std::int64_t read(std::span<char> to, std::uint64_t offset) const;
  bool write(std::span<const std::uint8_t> content) const { return write_all(number_, content); }

  // To the disk; some file systems have none.
  bool sync() const;

  bool lock_now() const { return ::flock(number_, LOCK_EX | LOCK_NB) == 0; }

  // Who may read and write the other file may do so with this one.
  bool take_access_of(const struct stat& other) const;

  // Network file systems may say only now that something was not written.
  bool close();

 private:
  int number_;
};

// Opens what may be no regular file without waiting: a FIFO waits for its other end, a terminal for
// its line. Who asks looks at what it is before reading or writing.
descriptor open_at_once(const std::filesystem::path& path, int flags, mode_t mode = 0666);

}  // namespace nvdlac

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/base/descriptor.ipp>
#endif
