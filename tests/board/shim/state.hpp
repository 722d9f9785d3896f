// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a test asks the library of the simulated board, by dlsym.
#include <cstdint>

extern "C" {

// What a device of the board has done since the board was made.
struct nvdlac_shim_state {
  std::uint64_t layers, interrupts, lost_interrupts;
  std::uint64_t synced_for_device, synced_for_cpu;  // bytes
  std::uint64_t flipped;                            // the address of the byte with the flipped bit
};

// The next board is made anew, of what the environment says then; nothing of this one may be open.
void nvdlac_shim_restart();
nvdlac_shim_state nvdlac_shim_state_of(unsigned device);

}  // extern "C"
