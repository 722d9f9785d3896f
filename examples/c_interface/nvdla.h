/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NVDLA_H
#define NVDLA_H
/* A simulated NVDLA for programs in C: a driver, or the test bench of an RTL simulator through DPI.
   Functions that return int return 0, or -1 when the program broke a rule of the hardware;
   nvdla_error() then says which. */
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvdla nvdla;

enum nvdla_memory { NVDLA_DRAM, NVDLA_SRAM };

/* A device after power-on; lenient: go on after a broken rule where the hardware does so in a
   defined way. Null if there is no memory for it. */
nvdla* nvdla_create(int lenient);
void nvdla_destroy(nvdla*);

/* Registers, by byte addresses from the base of NVDLA. */
int nvdla_write(nvdla*, uint32_t address, uint32_t value);
int nvdla_read(nvdla*, uint32_t address, uint32_t* value);

/* Executes what is enabled; raised: whether the interrupt line is up. */
int nvdla_run_until_interrupt(nvdla*, int* raised);

int nvdla_memory_write(nvdla*, enum nvdla_memory, uint64_t address, const void* from, size_t size);
int nvdla_memory_read(nvdla*, enum nvdla_memory, uint64_t address, void* to, size_t size);

/* Why the last function that returned -1 did; valid until the next call. */
const char* nvdla_error(const nvdla*);

#ifdef __cplusplus
}
#endif
#endif
