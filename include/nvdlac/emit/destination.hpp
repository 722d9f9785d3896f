// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <string>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include <nvdlac/base/descriptor.hpp>

namespace nvdlac::emit {

// Where a file that is to be written really goes.

// The file that a path means, however written: device and inode; of a file that does not exist
// yet those of its directory, and the name in it.
struct file_identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name{};  // of a new file

  auto operator<=>(const file_identity&) const = default;
};

struct destination {
  std::filesystem::path given{};  // as the user named it, for messages
  std::filesystem::path path{};   // behind all symlinks
  file_identity identity{};
  // Devices and FIFOs cannot be replaced: they are written through.
  bool stream = false;
  int descriptor = -1;  // of a stream that is open already
};

namespace detail {

[[noreturn]] void cannot_write(const std::filesystem::path& file, std::string reason,
                               std::string remedy = {});
[[noreturn]] void cannot_write(const std::filesystem::path& file, int number);

// The path behind all symlinks, of which the last may lead to a file that does not exist yet.
std::filesystem::path follow(const std::filesystem::path& given);

// Whether a file can be made, or replaced, in this directory.
struct stat look_at_directory(const destination& to);

}  // namespace detail

// Finds the file that is there; false when none is.
bool find_file(const std::filesystem::path& path, file_identity& found);

// Looks whether a file can be written, without writing anything. Throws nvdlac::error.
destination resolve(const std::filesystem::path& given);

using nvdlac::descriptor;
using nvdlac::write_all;

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

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/destination.ipp>
#endif
