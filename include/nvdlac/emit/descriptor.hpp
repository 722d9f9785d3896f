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

#include <nvdlac/emit/destination.hpp>

namespace nvdlac::emit {

// All bytes, or errno says why not.
inline bool write_all(int file, std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto n = ::write(file, bytes.data(), bytes.size());
    if (n == 0) errno = EIO;  // nothing that is written makes progress
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

// An open file. What returns false leaves the reason in errno.
class descriptor {
 public:
  explicit descriptor(int number) : number_(number) {}
  ~descriptor() { close(); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;

  explicit operator bool() const { return number_ >= 0; }

  bool write(std::span<const std::uint8_t> bytes) const { return write_all(number_, bytes); }

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
    struct stat own{};
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

// A directory in which names change. One that cannot be read is neither locked nor synchronised.
class open_directory {
 public:
  explicit open_directory(const std::filesystem::path& path)
      : path_(path), file_(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}

  // False while somebody else has the lock.
  bool lock() const { return !file_ || file_.lock_now() || errno != EWOULDBLOCK; }

  void sync() const {
    if (file_ && !file_.sync()) detail::cannot_write(path_, errno);
  }

 private:
  std::filesystem::path path_;
  descriptor file_;
};

}  // namespace nvdlac::emit
