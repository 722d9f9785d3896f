// SPDX-License-Identifier: Apache-2.0
#pragma once
// The interface of the simulated board's library for tests, which find it by dlsym.
#include <cstdint>

extern "C" {

// A record of what a device of the board has done since the board was made.
struct nvdlac_shim_state {
  std::uint64_t layers, interrupts, lost_interrupts;
  std::uint64_t synced_for_device, synced_for_cpu;  // bytes
  std::uint64_t flipped;                            // the address of the byte with the flipped bit
};

// The next board is made anew, of what the environment says then; nothing of this one may be open.
void nvdlac_shim_restart();
nvdlac_shim_state nvdlac_shim_state_of(unsigned device);

}  // extern "C"
