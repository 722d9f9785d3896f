// SPDX-License-Identifier: Apache-2.0
// The calls of the C library that the shim answers. All others, such as mmap and close of its
// files, do what they do anyway: a node is a file of the driver's memory, a dma-buf a file as well.
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <string_view>

#include <fcntl.h>
#include <sys/ioctl.h>

#include "driver.hpp"
#include "interposed.hpp"

namespace {

constexpr std::string_view nodes = "/dev/dri/renderD";

bool is_node(const char* path) {
  return path != nullptr && std::string_view(path).starts_with(nodes);
}

int open_node(const char* path, int flags) {
  const int file = nvdlac::shim::driver::get().open(std::atoi(path + nodes.size()), flags);
  if (file >= 0) return file;
  errno = -file;
  return -1;
}

}  // namespace

#define NVDLA_SHIM_OPEN(name)                                   \
  int name(const char* path, int flags, ...) {                  \
    if (is_node(path)) return open_node(path, flags);           \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    const auto mode = mode_of(flags, rest);                     \
    va_end(rest);                                               \
    return real(&::name, #name)(path, flags, mode);             \
  }
#define NVDLA_SHIM_OPENAT(name)                                 \
  int name(int folder, const char* path, int flags, ...) {      \
    if (is_node(path)) return open_node(path, flags);           \
    va_list rest;                                               \
    va_start(rest, flags);                                      \
    const auto mode = mode_of(flags, rest);                     \
    va_end(rest);                                               \
    return real(&::name, #name)(folder, path, flags, mode);     \
  }

#pragma GCC visibility push(default)
extern "C" {

NVDLA_SHIM_OPEN(open)
NVDLA_SHIM_OPEN(open64)
NVDLA_SHIM_OPENAT(openat)
NVDLA_SHIM_OPENAT(openat64)

// Functions that a fortified library calls where no mode is given.
int __open_2(const char* path, int flags) { return open(path, flags); }
int __open64_2(const char* path, int flags) { return open64(path, flags); }

int ioctl(int file, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* const argument = va_arg(rest, void*);
  va_end(rest);
  // The ioctls of DRM have the letter d.
  if ((request >> _IOC_TYPESHIFT & _IOC_TYPEMASK) == 'd')
    if (const auto failed = nvdlac::shim::driver::get().call(file, request, argument)) {
      if (*failed == 0) return 0;
      errno = *failed;
      return -1;
    }
  return real(&::ioctl, "ioctl")(file, request, argument);
}

}  // extern "C"
#pragma GCC visibility pop
