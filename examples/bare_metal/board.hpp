// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions that a board supplies, on silicon a line or two: a store, a wfi before a load, memcpy.
#include <cstddef>
#include <cstdint>

extern "C" {

// Writes or reads a register; addresses count bytes from the base of NVDLA.
void nvdla_write(std::uint32_t address, std::uint32_t value);
std::uint32_t nvdla_read(std::uint32_t address);

// Waits until the register has one of these bits, and returns those that it has, or 0 when that
// takes longer than the board's own limit. The register is GLB.S_INTR_STATUS, which says when
// NVDLA's interrupt comes, or one that has its bits at once.
std::uint32_t nvdla_wait(std::uint32_t address, std::uint32_t bits);

// Engines idle and registers as after power-on, by whatever the SoC has for it.
void nvdla_reset(void);

// Where the memory begins that NVDLA works in: a page, as NVDLA sees it.
std::uint64_t memory_base(void);

// That memory.
void memory_write(std::uint64_t address, const void* from, std::size_t bytes);
void memory_read(std::uint64_t address, void* to, std::size_t bytes);

}  // extern "C"
