# SPDX-License-Identifier: Apache-2.0
# Linux on armhf, with Debian's g++-arm-linux-gnueabihf.
set(architecture armhf)
set(processor armv7l)
set(triple arm-linux-gnueabihf)
set(emulated arm)
# Files and devices beyond 2 GB; and no notes of how g++ before version 7 called functions.
set(CMAKE_CXX_FLAGS_INIT "-D_FILE_OFFSET_BITS=64 -Wno-psabi")
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
