// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD: a Linux board with NVDLA behind UIO that is not there. The calls below
// find the board's files where a program looks for Linux's, its registers and interrupts; all other
// files are as they are. What board it is says the environment, see settings.hpp.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "board.hpp"
#include "interposed.hpp"
#include "registers.hpp"

using namespace nvdlac::board;

namespace {

// The kind of an open file of the board, and its unit.
struct opened {
  enum class kind : unsigned char { none, registers, bytes, sync_for_device, sync_for_cpu };
  kind what = kind::none;
  unit* of = nullptr;
};
std::array<opened, 1024> files{};

opened* file_of(int fd) {
  if (fd < 0 || fd >= static_cast<int>(files.size())) return nullptr;
  auto& f = files[static_cast<std::size_t>(fd)];
  return f.what == opened::kind::none ? nullptr : &f;
}

// The number behind a word, as in /dev/uio3.
unsigned number_behind(std::string_view path, std::string_view word) {
  const auto at = path.rfind(word);
  return static_cast<unsigned>(std::atoi(path.data() + at + word.size()));
}

opened meant(std::string_view path) {
  using kind = opened::kind;
  if (path.starts_with("/dev/uio")) {
    auto* const of = the_board().of(number_behind(path, "/uio"));
    return {of == nullptr ? kind::none : kind::registers, of};
  }
  if (path.starts_with("/dev/")) return {kind::bytes};
  for (const auto& [name, what] : {std::pair{"/sync_for_device", kind::sync_for_device},
                                   std::pair{"/sync_for_cpu", kind::sync_for_cpu}})
    if (path.ends_with(name)) return {what, the_board().of(number_behind(path, "/udmabuf"))};
  return {};
}

std::string redirected(const char* path) {
  return is_of_board(path) ? the_board().folder().string() + path : path;
}

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  const auto call = real(&::open, name);
  if (path == nullptr || !is_of_board(path)) return call(path, flags, mode);
  const auto what = meant(path);
  const int fd = call(redirected(path).c_str(), flags & ~O_CREAT, mode);
  if (fd >= 0 && fd < static_cast<int>(files.size())) files[static_cast<std::size_t>(fd)] = what;
  return fd;
}

int fail(int number) {
  if (number == 0) return 0;
  errno = number;
  return -1;
}

ssize_t write_to(opened& f, const void* bytes, std::size_t size) {
  if (f.what == opened::kind::registers) {
    std::int32_t on = 0;
    if (size != sizeof on) return fail(EINVAL);
    std::memcpy(&on, bytes, sizeof on);
    return fail(f.of->allow_interrupt(on)) == 0 ? static_cast<ssize_t>(size) : -1;
  }
  const bool for_device = f.what == opened::kind::sync_for_device;
  const std::string_view command(static_cast<const char*>(bytes), size);
  return fail(f.of->sync(for_device, command)) == 0 ? static_cast<ssize_t>(size) : -1;
}
bool takes_writes(const opened* f) { return f != nullptr && f->what != opened::kind::bytes; }

void* map_with(const char* name, void* at, std::size_t size, int access, int flags, int fd,
               off_t offset) {
  const auto call = real(&::mmap, name);
  auto* const f = file_of(fd);
  if (f == nullptr) return call(at, size, access, flags, fd, offset);
  if (f->what == opened::kind::registers) {
    void* const pages =
        offset == 0 && size <= register_bytes ? map_registers(*f->of, size) : nullptr;
    if (pages == nullptr) errno = EINVAL;
    return pages == nullptr ? MAP_FAILED : pages;
  }
  // A driver maps no more than it has, and the kernel none of its own memory.
  struct stat now {};
  if (::fstat(fd, &now) == 0 && offset + static_cast<off_t>(size) > now.st_size) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return call(at, size, access, flags, fd, offset);
}

// While a call waits, a device is the file that becomes readable with its interrupt.
class waitable {
 public:
  waitable(pollfd* fds, nfds_t count) : fds_(fds), count_(std::min<nfds_t>(count, 16)) {
    for (nfds_t i = 0; i < count_; ++i) {
      given_[i] = fds[i].fd;
      if (const auto* const f = file_of(fds[i].fd); f != nullptr && f->of != nullptr)
        fds[i].fd = f->of->has_interrupt() ? f->of->interrupt_file() : -1;
    }
  }
  ~waitable() {
    for (nfds_t i = 0; i < count_; ++i) fds_[i].fd = given_[i];
  }
  waitable(const waitable&) = delete;
  waitable& operator=(const waitable&) = delete;

 private:
  pollfd* fds_;
  nfds_t count_;
  std::array<int, 16> given_{};
};

}  // namespace

#pragma GCC visibility push(default)
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
FILE* fopen(const char* path, const char* mode) {
  return real(&fopen, "fopen")(redirected(path).c_str(), mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return real(&fopen, "fopen64")(redirected(path).c_str(), mode);
}
DIR* opendir(const char* path) { return real(&opendir, "opendir")(redirected(path).c_str()); }
int access(const char* path, int mode) noexcept {
  return real(&access, "access")(redirected(path).c_str(), mode);
}

int close(int fd) {
  if (auto* const f = file_of(fd)) *f = {};
  return real(&close, "close")(fd);
}
ssize_t read(int fd, void* to, size_t size) {
  auto* const f = file_of(fd);
  if (f == nullptr || f->what != opened::kind::registers) return real(&read, "read")(fd, to, size);
  std::uint32_t count = 0;
  if (size != sizeof count) return fail(EINVAL);
  if (fail(f->of->take_interrupt(count)) != 0) return -1;
  std::memcpy(to, &count, sizeof count);
  return sizeof count;
}
ssize_t write(int fd, const void* bytes, size_t size) {
  auto* const f = file_of(fd);
  return takes_writes(f) ? write_to(*f, bytes, size) : real(&write, "write")(fd, bytes, size);
}
ssize_t pwrite(int fd, const void* bytes, size_t size, off_t offset) {
  auto* const f = file_of(fd);
  return takes_writes(f) ? write_to(*f, bytes, size)
                         : real(&pwrite, "pwrite")(fd, bytes, size, offset);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t offset) {
  return pwrite(fd, bytes, size, offset);
}
int poll(pollfd* fds, nfds_t count, int timeout) {
  const waitable w(fds, count);
  return real(&poll, "poll")(fds, count, timeout);
}
int ppoll(pollfd* fds, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  const waitable w(fds, count);
  return real(&ppoll, "ppoll")(fds, count, timeout, mask);
}

void* mmap(void* at, size_t size, int access, int flags, int fd, off_t offset) noexcept {
  return map_with("mmap", at, size, access, flags, fd, offset);
}
void* mmap64(void* at, size_t size, int access, int flags, int fd, off64_t offset) noexcept {
  return map_with("mmap64", at, size, access, flags, fd, offset);
}
int munmap(void* at, size_t size) noexcept {
  unmap_registers(at);
  return real(&munmap, "munmap")(at, size);
}
int sigaction(int signal, const struct sigaction* wanted, struct sigaction* before) noexcept {
  return keep_action(signal, wanted, before)
             ? 0
             : real(&sigaction, "sigaction")(signal, wanted, before);
}

// See state.hpp.
void nvdlac_shim_restart() { forget_board(); }
nvdlac_shim_state nvdlac_shim_state_of(unsigned device) {
  auto* const of = the_board().of(device);
  return of == nullptr ? nvdlac_shim_state{} : of->state();
}

}  // extern "C"
#pragma GCC visibility pop
