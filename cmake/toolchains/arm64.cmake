# SPDX-License-Identifier: Apache-2.0
# Linux on arm64, with Debian's g++-aarch64-linux-gnu.
set(architecture arm64)
set(processor aarch64)
set(triple aarch64-linux-gnu)
set(emulated aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
