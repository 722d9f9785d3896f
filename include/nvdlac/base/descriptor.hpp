// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files as the operating system has them.
#include <cerrno>
#include <cstddef>
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
inline bool write_all(int file, std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    const auto n = ::write(file, content.data(), content.size());
    if (n == 0) errno = EIO;  // nothing that is written makes progress
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) content = content.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

// An open file. What returns false leaves the reason in errno.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { close(); }
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }

  // What it is; of a file that is not open nothing that any kind of file has.
  struct stat status() const {
    struct stat found {};
    if (::fstat(number_, &found) != 0) return {};
    return found;
  }
  bool is_regular() const { return S_ISREG(status().st_mode); }

  // So many bytes from an offset on, or fewer, at the end of the file; -1: it cannot be read.
  std::int64_t read(std::span<char> to, std::uint64_t offset) const {
    std::size_t got = 0;
    while (got < to.size()) {
      const auto n =
          ::pread(number_, to.data() + got, to.size() - got, static_cast<off_t>(offset + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return -1;
      if (n == 0) break;
      got += static_cast<std::size_t>(n);
    }
    return static_cast<std::int64_t>(got);
  }
  bool write(std::span<const std::uint8_t> content) const { return write_all(number_, content); }

  // To the disk; some file systems have none.
  bool sync() const {
    while (::fsync(number_) != 0) {
      if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) break;
      if (errno != EINTR) return false;
    }
    return true;
  }

  bool lock_now() const { return ::flock(number_, LOCK_EX | LOCK_NB) == 0; }

  // Who may read and write the other file may do so with this one.
  bool take_access_of(const struct stat& other) const {
    struct stat own {};
    if (::fstat(number_, &own) != 0) return false;
    auto mode = other.st_mode & 0777;
    if ((own.st_uid != other.st_uid || own.st_gid != other.st_gid) &&
        ::fchown(number_, other.st_uid, other.st_gid) != 0 && own.st_gid != other.st_gid)
      mode &= ~mode_t{S_IRWXG};  // these are rights of another group
    return (own.st_mode & 0777) == mode || ::fchmod(number_, mode) == 0;
  }

  // Network file systems may say only now that something was not written.
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0 || errno == EINTR;
  }

 private:
  int number_;
};

// Opens what may be no regular file without waiting: a FIFO waits for its other end, a terminal for
// its line. Who asks looks at what it is before reading or writing.
inline descriptor open_at_once(const std::filesystem::path& path, int flags, mode_t mode = 0666) {
  for (;;) {
    const int number = ::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (number >= 0 || errno != EINTR) return descriptor(number);
  }
}

}  // namespace nvdlac
