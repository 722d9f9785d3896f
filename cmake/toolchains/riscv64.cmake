# SPDX-License-Identifier: Apache-2.0
# Linux on riscv64, with Debian's g++-riscv64-linux-gnu.
set(architecture riscv64)
set(processor riscv64)
set(triple riscv64-linux-gnu)
set(emulated riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
