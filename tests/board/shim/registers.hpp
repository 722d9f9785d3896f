// SPDX-License-Identifier: Apache-2.0
#pragma once
// Registers as memory of the program: pages that nobody may touch. What touches them is
// interrupted; a read finds the register's value there and a write is taken from there, each by one
// step of the processor.
#include <csignal>
#include <cstddef>

#include "board.hpp"

namespace nvdlac::board {

// Pages that are the registers of a device; null: there is no room.
void* map_registers(unit& of, std::size_t size);
// Whether the pages were registers, which they are no more.
bool unmap_registers(void* pages);

// Keeps the action that the program wants otherwise for a signal that the above needs: true if it
// is such a signal, and nothing else is to be done.
bool keep_action(int signal, const struct sigaction* wanted, struct sigaction* before);

}  // namespace nvdlac::board
