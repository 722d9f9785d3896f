// SPDX-License-Identifier: Apache-2.0
#pragma once
// Messages between the firmware on linux_board.cpp and simulator.cpp over two pipes; all
// numbers are little-endian.
#include <cstdint>

// write:        register `address` becomes `value`
// read:         answered by register `address`, 4 bytes
// reset:        NVDLA is as after power-on
// wait:         answered by the bits of `value` that register `address` has, 4 bytes
// memory_base:  answered by where NVDLA's memory begins, 8 bytes
// memory_write: `value` bytes follow
// memory_read:  answered by `value` bytes
// picture:      answered by 1 and a picture of `value` bytes, or by 0: there are no more
// result:       `value` bytes follow
enum class request_kind : std::uint32_t {
  write, read, reset, wait, memory_base, memory_write, memory_read, picture, result
};

struct request {
  request_kind kind{};
  std::uint32_t value = 0;
  std::uint64_t address = 0;
};
static_assert(sizeof(request) == 16);
