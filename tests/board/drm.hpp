// SPDX-License-Identifier: Apache-2.0
#pragma once
// A board with the public kernel driver, which drm_shim is.
#include <cstdlib>
#include <string>

#if __has_include(<drm/drm.h>)  // the kernel's
#include <drm/drm.h>
#endif

#include "drm_shim/shim.hpp"

// The driver's environment, until the end of the scope.
class driver_with {
 public:
  explicit driver_with(const std::string& fault, const char* config = "nv_small") {
    ::setenv("NVDLAC_SHIM_FAULT", fault.c_str(), 1);
    ::setenv("NVDLAC_SHIM_CONFIG", config, 1);
  }
  driver_with(const driver_with&) = delete;
  driver_with& operator=(const driver_with&) = delete;
  ~driver_with() {
    for (const auto* name : {"NVDLAC_SHIM_FAULT", "NVDLAC_SHIM_CONFIG", "NVDLAC_SHIM_NODE",
                             "NVDLAC_SHIM_OTHER", "NVDLAC_TEST_DEVICE"})
      ::unsetenv(name);
  }
};
