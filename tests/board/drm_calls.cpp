// SPDX-License-Identifier: Apache-2.0
// The calls of the driver are those of the kernel's header where that is installed.
#include <doctest/doctest.h>

#include <nvdlac/runtime/drm_calls.hpp>

#include "board/drm.hpp"

namespace calls = nvdlac::runtime::drm_calls;

TEST_CASE("numbers and sizes are those of the kernel") {
  // As nvdla/sw builds them for 64 bits.
  CHECK(calls::submit_task == 0xC0106440);
  CHECK(calls::create_buffer == 0xC0106441);
  CHECK(calls::map_buffer == 0xC0106442);
  CHECK(calls::destroy_buffer == 0xC0046443);
#ifdef DRM_IOCTL_VERSION
  CHECK(calls::ask_version == DRM_IOCTL_VERSION);
  CHECK(calls::export_handle == DRM_IOCTL_PRIME_HANDLE_TO_FD);
  CHECK(sizeof(calls::version) == sizeof(drm_version));
  CHECK(sizeof(calls::export_buffer) == sizeof(drm_prime_handle));
  CHECK(DRM_COMMAND_BASE == 0x40);
#endif
}
