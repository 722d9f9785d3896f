# SPDX-License-Identifier: Apache-2.0
# cmake -D TO=commit.cpp -P nvdlac_commit.cmake
#
# Writes the source that tells `nvdlac --version` the commit of nvdlac's own repository; of another
# one, in which nvdlac lies, there is nothing to tell.
set(commit "")
find_program(git git)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH top)
if(git AND EXISTS ${top}/.git)
  execute_process(COMMAND ${git} -C ${top} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(found MATCHES "^[0-9a-f]+(-dirty)?$")
  set(commit ${found})
endif()
file(CONFIGURE OUTPUT ${TO} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
#include "versions.hpp"

std::string_view nvdlac::cli::commit() { return "@commit@"; }
]])  # leaves a file alone that is the same
