// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages to the public kernel driver of NVDLA, by ioctl on a render node: the driver's own
// calls (kmd/port/linux/include/nvdla_ioctl.h of nvdla/sw), and those of Linux's DRM that go with
// them (include/uapi/drm/drm.h). Told here because neither header is on every machine.
#include <cstddef>
#include <cstdint>

#include <sys/ioctl.h>

#include <nvdlac/base/version.hpp>

namespace nvdlac::runtime::drm_calls {

// The render nodes of Linux, /dev/dri/renderD128 and the numbers above it.
inline constexpr int first_render_node = 128, render_nodes = 64;

// Who the driver is. The texts are the caller's, their sizes those of the whole texts afterwards.
struct version {
  std::int32_t major = 0, minor = 0, patch = 0;
  std::size_t name_size = 0;
  char* name = nullptr;
  std::size_t date_size = 0;
  char* date = nullptr;
  std::size_t description_size = 0;
  char* description = nullptr;
};
static_assert(sizeof(version) == (sizeof(void*) == 8 ? 64 : 36));

// A file descriptor for a buffer, a dma-buf.
struct export_buffer {
  std::uint32_t handle = 0, flags = 0;
  std::int32_t descriptor = -1;
};
static_assert(sizeof(export_buffer) == 12);

// A new buffer. The driver takes the lower 32 bits of the size, and rounds it up to whole pages.
struct create {
  std::uint32_t handle = 0, flags = 0;
  std::uint64_t size = 0;
};
static_assert(sizeof(create) == 16);

// Where mmap on the node finds the buffer; 0 if the driver could not say.
struct map {
  std::uint32_t handle = 0, reserved = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(map) == 16);

struct destroy {
  std::uint32_t handle = 0;
};
static_assert(sizeof(destroy) == 4);

// An entry of a task's address list: a dma-buf of the calling process, and bytes from its start.
struct address {
  std::int32_t descriptor = -1;
  std::uint32_t reserved = 0;
  std::uint64_t offset = 0;
};
static_assert(sizeof(address) == 16);

struct task {
  std::uint32_t addresses = 0;
  std::uint32_t timeout = 0;  // milliseconds; the public driver does not look at it
  std::uint64_t list = 0;     // where the addresses stand in the calling process
};
static_assert(sizeof(task) == 16);

// Runs a task to its end; the public driver takes the first one and no others.
struct submit {
  std::uint64_t tasks = 0;  // where they stand in the calling process
  std::uint16_t count = 0, flags = 0;
  std::uint32_t version = 0;
};
static_assert(sizeof(submit) == 16);

// The ioctls of DRM have the letter d, and those of a driver begin at 0x40.
template <class Argument>
constexpr unsigned long number(unsigned call) {
  return _IOWR('d', call, Argument);
}
inline constexpr unsigned long ask_version = number<version>(0x00),
                               export_handle = number<export_buffer>(0x2d),
                               submit_task = number<submit>(0x40),
                               create_buffer = number<create>(0x41),
                               map_buffer = number<map>(0x42),
                               destroy_buffer = number<destroy>(0x43);

}  // namespace nvdlac::runtime::drm_calls
