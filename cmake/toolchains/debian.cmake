# SPDX-License-Identifier: Apache-2.0
# Settings of all of Debian's cross compilers. The toolchain file of a processor includes this one,
# and says before its name in CMake (`processor`), in GNU's triples (`triple`), in Debian's packages
# (`architecture`) and in qemu's commands (`emulated`).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})

# Libraries are those of tools/sysroot; without it nvdlac-run can be built, which needs none.
set(NVDLAC_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${architecture} CACHE PATH
  "Folder with the libraries of the processor, as tools/sysroot makes it")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NVDLAC_SYSROOT)
cmake_path(ABSOLUTE_PATH NVDLAC_SYSROOT NORMALIZE OUTPUT_VARIABLE sysroot)
set(CMAKE_FIND_ROOT_PATH ${sysroot} /usr/${triple})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Where the linker finds what those libraries need, and qemu the C library.
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -Wl,-rpath-link,${sysroot}/usr/lib/${triple}")
find_program(NVDLAC_EMULATOR NAMES qemu-${emulated} qemu-${emulated}-static)
if(NVDLAC_EMULATOR)
  set(root ${sysroot})
  if(NOT EXISTS ${sysroot}/complete)
    set(root /usr/${triple})
  endif()
  set(CMAKE_CROSSCOMPILING_EMULATOR ${NVDLAC_EMULATOR} -L ${root})
endif()
