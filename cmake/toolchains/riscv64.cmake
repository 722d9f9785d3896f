# SPDX-License-Identifier: Apache-2.0
# Linux on riscv64, with Debian's g++-riscv64-linux-gnu.
set(architecture riscv64)
set(processor riscv64)
set(triple riscv64-linux-gnu)
set(emulated riscv64)
# Debian 13's libraries ask for a newer C library than that of the cross compiler of Debian 12; the
# folder of tools/sysroot has it for those who run the program.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
