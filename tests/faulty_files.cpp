// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: one of the calls that change files fails, does only half of its work,
// or is preceded by a signal. Calls that change files are those below, on what was opened to write.
//   FAULT_AT=n       the n-th such call, from 1; FAULT_LASTING=1: and all after it
//   FAULT_ERRNO=e    it does nothing and fails with this errno
//   FAULT_SIGNAL=s   the process gets this signal before it
//   FAULT_SHORT=1    write writes half of the bytes
//   FAULT_MARK=file  is made when the fault happens
//   FAULT_LOG=file   gets the names of all such calls, a line for each
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interposed.hpp"

namespace {

std::atomic<int> calls = 0;
std::array<std::atomic<bool>, 1024> writing{};

bool is_writing(int fd) { return fd >= 0 && fd < 1024 && writing[static_cast<std::size_t>(fd)]; }

int number(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atoi(value);
}

void log(const char* name) {
  const char* path = std::getenv("FAULT_LOG");
  if (path == nullptr) return;
  const auto file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  syscall(SYS_write, file, name, std::strlen(name));
  syscall(SYS_write, file, "\n", 1);
  syscall(SYS_close, file);
}

// Whether this call meets the fault.
bool meets() {
  static const int at = number("FAULT_AT"), lasting = number("FAULT_LASTING");
  const int call = ++calls;
  if (at == 0 || call < at || (call > at && lasting == 0)) return false;
  if (const char* mark = std::getenv("FAULT_MARK"))
    syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600));
  if (const int signal = number("FAULT_SIGNAL")) std::raise(signal);
  return true;
}

// Whether it must fail, with the reason in errno.
bool fails(const char* name) {
  log(name);
  if (!meets()) return false;
  const int reason = number("FAULT_ERRNO");
  if (reason != 0) errno = reason;
  return reason != 0;
}

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  const bool writes = (flags & (O_WRONLY | O_RDWR | O_DIRECTORY)) != 0;
  if (writes && fails((flags & O_EXCL) != 0 ? "create" : "open")) return -1;
  const int fd = real(&open, name)(path, flags, mode);
  if (writes && fd >= 0 && fd < 1024) writing[static_cast<std::size_t>(fd)] = true;
  return fd;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with("open", path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const auto mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_with("open64", path, flags, mode);
}
ssize_t write(int fd, const void* bytes, size_t size) {
  if (is_writing(fd)) {
    if (fails("write")) return -1;
    if (number("FAULT_SHORT") != 0 && calls == number("FAULT_AT")) size = (size + 1) / 2;
  }
  return real(&write, "write")(fd, bytes, size);
}
int fsync(int fd) { return is_writing(fd) && fails("fsync") ? -1 : real(&fsync, "fsync")(fd); }
int fchmod(int fd, mode_t mode) noexcept {
  return is_writing(fd) && fails("fchmod") ? -1 : real(&fchmod, "fchmod")(fd, mode);
}
int flock(int fd, int operation) noexcept {
  return is_writing(fd) && fails("flock") ? -1 : real(&flock, "flock")(fd, operation);
}
int close(int fd) {
  const bool broken = is_writing(fd) && fails("close");
  const int reason = errno;
  if (fd >= 0 && fd < 1024) writing[static_cast<std::size_t>(fd)] = false;
  const int result = real(&close, "close")(fd);
  if (broken) errno = reason;
  return broken ? -1 : result;
}
int link(const char* from, const char* to) noexcept {
  return fails("link") ? -1 : real(&link, "link")(from, to);
}
int rename(const char* from, const char* to) noexcept {
  return fails("rename") ? -1 : real(&rename, "rename")(from, to);
}
int mkdir(const char* path, mode_t mode) noexcept {
  return fails("mkdir") ? -1 : real(&mkdir, "mkdir")(path, mode);
}
int rmdir(const char* path) noexcept {
  return fails("rmdir") ? -1 : real(&rmdir, "rmdir")(path);
}
int unlink(const char* path) noexcept {
  return fails("unlink") ? -1 : real(&unlink, "unlink")(path);
}

}  // extern "C"
