// SPDX-License-Identifier: Apache-2.0
#pragma once
// A trace as a script for a Linux board, which needs no more than a POSIX shell, devmem and dd:
// registers by the UIO device of NVDLA, memory by a u-dma-buf device.
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/runtime/board_steps.hpp>

namespace nvdlac::runtime {

namespace detail {

inline constexpr std::string_view uio_player = R"sh(# Run as root in the directory of the files.
# Variables of the environment, and their defaults:
#   UIO=uio0             NVDLA's device below /sys/class/uio
#   REGISTERS=..         the physical address of its registers, instead of what UIO says
#   BUFFER=udmabuf0      a buffer of at least $needed bytes below /sys/class/u-dma-buf
#   MEMORY=/dev/$BUFFER  the device or file of the buffer's bytes
#   MEMORY_ADDRESS=..    where NVDLA sees them, instead of what u-dma-buf says
#   DEVMEM="busybox devmem"   reads and writes a word of 32 bits at a physical address
#   PATIENCE=100000      how often a register is read in vain
# Exit code: 0 all as expected, 1 not, 2 the board is not as it should be.
set -u
fail() { echo "$0: $2" >&2; exit "$1"; }
from() { cat "$1" 2>/dev/null || fail 2 "$1 cannot be read: $2"; }
uio=/sys/class/uio/${UIO:-uio0}/maps/map0/addr
buffer=${BUFFER:-udmabuf0}
devmem=${DEVMEM:-busybox devmem}
registers=${REGISTERS:-$(from "$uio" "set UIO or REGISTERS")} || exit 2
memory=${MEMORY:-/dev/$buffer}
start=${MEMORY_ADDRESS:-$(from "/sys/class/u-dma-buf/$buffer/phys_addr" \
                               "set BUFFER or MEMORY_ADDRESS")} || exit 2
patience=${PATIENCE:-100000}
[ $((start % 4096)) -eq 0 ] || fail 2 "MEMORY_ADDRESS $start is not the address of a page"
size=/sys/class/u-dma-buf/$buffer/size
if [ -r "$size" ] && [ "$(cat "$size")" -lt "$needed" ]; then
  fail 2 "$buffer has less than $needed bytes"
fi

read_register() { $devmem $((registers + $1)) 32 || fail 2 "$devmem failed"; }
write_register() {
  $devmem $((registers + $1)) 32 $(($2)) || fail 2 "$devmem failed"
}
# register value
write() { write_register "$1" "$2"; }
# low high offset
address() {
  write_register "$2" $(((start + $3) >> 32))
  write_register "$1" $(((start + $3) & 0xffffffff))
}
# register mask value
poll() {
  tries=0
  while :; do
    now=$(read_register "$1") || exit 2
    [ $(((now ^ $3) & $2)) -eq 0 ] && return
    tries=$((tries + 1))
    [ "$tries" -le "$patience" ] || fail 1 "the register $1 is $now, which never becomes $3"
  done
}
# register mask
wait_done() {
  left=$(($2))
  tries=0
  while [ "$left" -ne 0 ]; do
    now=$(read_register "$1") || exit 2
    now=$((now & left))
    [ "$now" -ne 0 ] && write_register "$1" "$now"
    left=$((left & ~now))
    tries=$((tries + 1))
    [ "$tries" -le "$patience" ] || fail 1 "the interrupts $left of $2 never come"
  done
}
block() {
  if [ $(($1 % 4096)) -eq 0 ]; then echo 4096; elif [ $(($1 % 32)) -eq 0 ]; then echo 32
  else echo 1; fi
}
# offset file
load() {
  bs=$(block "$1")
  dd if="$2" of="$memory" bs="$bs" seek=$(($1 / bs)) conv=notrunc 2>/dev/null ||
    fail 2 "'$2' cannot be written to $memory"
}
# offset size file
check() {
  bs=$(block "$1")
  dd if="$memory" bs="$bs" skip=$(($1 / bs)) count=$((($2 + bs - 1) / bs)) 2>/dev/null |
    head -c $(($2)) | cmp - "$3" || { echo "$0: memory differs from $3" >&2; different=1; }
}
different=0

)sh";

// A word of the shell of exactly these characters, which have no quote.
inline std::string shell_word(std::string_view s) { return "'" + std::string(s) + "'"; }

}  // namespace detail

// The steps as a script `name`, then the files that it loads and compares.
std::vector<emit::file> uio_trace(const board_steps& p, const std::string& name);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/uio_trace.ipp>
#endif
