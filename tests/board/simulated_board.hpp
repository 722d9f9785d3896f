// SPDX-License-Identifier: Apache-2.0
#pragma once
// The board that the preloaded library simulates, of what the environment says (shim/settings.hpp).
#include <cstdlib>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include <nvdlac/base/error.hpp>

#include "problem_of.hpp"
#include "shared.hpp"
#include "shim/state.hpp"

class simulated_board {
 public:
  explicit simulated_board(const std::string& board = "nv_small", const std::string& fault = "") {
    ::setenv("NVDLAC_SHIM", board.c_str(), 1);
    ::setenv("NVDLAC_SHIM_FAULT", fault.c_str(), 1);
    if (auto* const restart = function<decltype(nvdlac_shim_restart)>("nvdlac_shim_restart"))
      restart();
  }
  simulated_board(const simulated_board&) = delete;
  simulated_board& operator=(const simulated_board&) = delete;

  // Whether there is one; if not, the test is reported as one whose material is absent.
  explicit operator bool() const {
    const bool there = function<decltype(nvdlac_shim_state_of)>("nvdlac_shim_state_of") != nullptr;
    if (!there) absent_material().emplace("the simulated board, which ctest preloads on x86-64");
    return there;
  }
  nvdlac_shim_state state(unsigned device = 0) const {
    return function<decltype(nvdlac_shim_state_of)>("nvdlac_shim_state_of")(device);
  }

 private:
  template <class F>
  static F* function(const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_DEFAULT, name));
  }
};
