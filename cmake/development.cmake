# SPDX-License-Identifier: Apache-2.0
# Settings of a build of nvdlac itself; a project that uses nvdlac never sees them.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Directory options reach the generated header checks as well, which target options do not.
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow)

# By default g++ collects garbage from 128 MB on, which takes a tenth of its time and, as its
# largest translation units need several GB, saves no memory; from 1 GB on (in kB) is enough.
set(NVDLAC_FEWER_COLLECTIONS --param=ggc-min-heapsize=1048576)
add_compile_options($<$<CXX_COMPILER_ID:GNU>:${NVDLAC_FEWER_COLLECTIONS}>)

# ccache takes part in precompiled headers only when told that their times and macros do not matter.
# Told of dependencies by the compiler, it need not preprocess what it has not seen. clang writes
# the time of a header into it unless it is told not to.
find_program(NVDLAC_CCACHE ccache)
if(NVDLAC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${NVDLAC_CCACHE})
  add_compile_options(
    $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,-Wno-unused-command-line-argument>
    "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Commands and Python's module spend little time in themselves, and clang half of its own with
# optimising them. Their precompiled header is that of the libraries, which are optimised.
option(NVDLAC_QUICK_COMMANDS "Compile commands without optimisation (clang only)" OFF)
set(NVDLAC_COMMAND_OPTIONS "")
if(NVDLAC_QUICK_COMMANDS)
  set(NVDLAC_COMMAND_OPTIONS "SHELL:-O0 -Xclang -fno-validate-pch")
endif()
