// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/impl.hpp>

namespace nvdlac {

NVDLAC_IMPL bool write_all(int file, std::span<const std::uint8_t> content) {
  while (!content.empty()) {
    const auto n = ::write(file, content.data(), content.size());
    if (n == 0) errno = EIO;  // nothing that is written makes progress
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n > 0) content = content.subspan(static_cast<std::size_t>(n));
  }
  return true;
}

NVDLAC_IMPL descriptor& descriptor::operator=(descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

NVDLAC_IMPL struct stat descriptor::status() const {
  struct stat found {};
  if (::fstat(number_, &found) != 0) return {};
  return found;
}

NVDLAC_IMPL std::int64_t descriptor::read(std::span<char> to, std::uint64_t offset) const {
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

NVDLAC_IMPL bool descriptor::sync() const {
  while (::fsync(number_) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) break;
    if (errno != EINTR) return false;
  }
  return true;
}

NVDLAC_IMPL bool descriptor::take_access_of(const struct stat& other) const {
  struct stat own {};
  if (::fstat(number_, &own) != 0) return false;
  auto mode = other.st_mode & 0777;
  if ((own.st_uid != other.st_uid || own.st_gid != other.st_gid) &&
      ::fchown(number_, other.st_uid, other.st_gid) != 0 && own.st_gid != other.st_gid)
    mode &= ~mode_t{S_IRWXG};  // these are rights of another group
  return (own.st_mode & 0777) == mode || ::fchmod(number_, mode) == 0;
}

NVDLAC_IMPL bool descriptor::close() {
  const int number = std::exchange(number_, -1);
  return number < 0 || ::close(number) == 0 || errno == EINTR;
}

NVDLAC_IMPL descriptor open_at_once(const std::filesystem::path& path, int flags, mode_t mode) {
  for (;;) {
    const int number = ::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (number >= 0 || errno != EINTR) return descriptor(number);
  }
}

}  // namespace nvdlac
