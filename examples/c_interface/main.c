/* SPDX-License-Identifier: Apache-2.0 */
/* Drives a simulated nv_full from C: BDMA copies four lines from DRAM to SRAM. */
#include <stdio.h>
#include <string.h>

#include "nvdla.h"

enum { GLB_INTR_STATUS = 0xc, BDMA = 0x4000, BDMA_DONE_0 = 1 << 6 };

static const struct {
  uint32_t offset, value;
} program[] = {
    {0x00, 0x80000000}, {0x04, 0}, /* source: address low, high */
    {0x08, 0x00010000}, {0x0c, 0}, /* destination */
    {0x10, 1},                     /* a line of 2 * 32 bytes */
    {0x14, 1},                     /* from DRAM (1) to SRAM (0) */
    {0x18, 3},                     /* 4 lines */
    {0x1c, 64}, {0x20, 96},        /* line strides of source and destination */
    {0x24, 0}, {0x28, 0}, {0x2c, 0},
    {0x30, 1},                     /* queue this operation */
    {0x34, 1},                     /* and launch group 0 */
};

static int fail(nvdla* n) {
  fprintf(stderr, "nvdla: %s\n", nvdla_error(n));
  nvdla_destroy(n);
  return 1;
}

int main(void) {
  char in[256], out[64];
  uint32_t status;
  int raised, equal = 0;
  size_t i;
  nvdla* n = nvdla_create(0);
  if (n == NULL) return 1;

  for (i = 0; i < sizeof in; ++i) in[i] = (char)i;
  if (nvdla_memory_write(n, NVDLA_DRAM, 0x80000000, in, sizeof in) != 0) return fail(n);
  for (i = 0; i < sizeof program / sizeof program[0]; ++i)
    if (nvdla_write(n, BDMA + program[i].offset, program[i].value) != 0) return fail(n);

  if (nvdla_run_until_interrupt(n, &raised) != 0 ||
      nvdla_read(n, GLB_INTR_STATUS, &status) != 0 ||
      nvdla_write(n, GLB_INTR_STATUS, BDMA_DONE_0) != 0)
    return fail(n);
  for (i = 0; i < 4; ++i) {
    if (nvdla_memory_read(n, NVDLA_SRAM, 0x10000 + 96 * i, out, sizeof out) != 0) return fail(n);
    equal += memcmp(out, in + 64 * i, sizeof out) == 0;
  }
  printf("interrupt %d, status 0x%x, %d lines copied\n", raised, (unsigned)status, equal);

  if (nvdla_write(n, BDMA + 0x34, 1) != 0) printf("launched again: %s\n", nvdla_error(n));
  nvdla_destroy(n);
  return 0;
}
