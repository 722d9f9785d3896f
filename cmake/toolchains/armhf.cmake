# SPDX-License-Identifier: Apache-2.0
# Linux on armhf, with Debian's g++-arm-linux-gnueabihf.
set(architecture armhf)
set(processor armv7l)
set(triple arm-linux-gnueabihf)
set(emulated arm)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
