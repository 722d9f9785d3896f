// SPDX-License-Identifier: Apache-2.0
#pragma once
// The public kernel driver of NVDLA, with the simulator behind it: a library that answers open and
// ioctl of /dev/dri/renderD*, for a program that is linked with it, or by LD_PRELOAD for one that
// is not. All processes that come of one by fork use one driver. A kernel would keep a buffer that
// is destroyed while a task uses it; this driver does not. Its environment, which is looked at
// whenever a node is opened:
//   NVDLAC_DRM_CONFIG   nv_small, which it is without, or nv_large
//   NVDLAC_DRM_NODE     the number of its node, 128 without
//   NVDLAC_DRM_OTHER    a node of another driver, number:name
//   NVDLAC_DRM_FAULT    what goes wrong, one or more of these with a comma between them
//     none               there is no node of the driver
//     denied             its node may not be opened
//     driver:NAME        its name is another one
//     version:N          its version is N.0.0
//     memory:N           there are N bytes of memory, without it 1 GB
//     above              and they begin at 0x1C0000000 instead of 0xC0000000
//     create:N, map:N, export:N, submit:N
//                        this call fails with the number N of errno; map:0 says nothing and maps
//                        nothing, as the public driver does
//     late:N             a task takes N ms longer
//     kill:K             whoever submits a task is killed when its operation K has ended
//     flip:L:BYTE:BIT    one bit of what the L-th hardware layer has written to memory, from 0, is
//                        wrong
//     every:N            and so of each N-th layer behind that one
#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {
// The buffers of the driver that nobody has destroyed, and their bytes.
std::uint32_t nvdla_shim_buffers();
std::uint64_t nvdla_shim_bytes();
// Where the last bit is that was made wrong, from the beginning of memory, or 0.
std::uint64_t nvdla_shim_flipped();
// The tasks that have ended well.
std::uint32_t nvdla_shim_tasks();
// Loads it anew: it takes tasks again after one that it refused.
void nvdla_shim_reload();
// The text that a kernel would have told dmesg last.
const char* nvdla_shim_log();
}
#pragma GCC visibility pop
