# SPDX-License-Identifier: Apache-2.0
# find_package(nvdlac) gives all. Of its COMPONENTS, headers gives nvdlac::headers, which needs no
# library: what programs that the C++ compiler makes (nvdlac::program) and a cross compiler want;
# simulator gives nvdlac::simulator, for sim/ and runtime/; compiler nvdlac::nvdlac with the
# libraries that all headers use, and nvdlac::compiled where it is installed; runtime asks for the
# command nvdlac, which nvdlac_add_network calls.
set(nvdlac_components headers simulator compiler runtime)
set(nvdlac_headers_FOUND TRUE)
unset(nvdlac_NOT_FOUND_MESSAGE)
cmake_path(SET nvdlac_programs NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
find_program(NVDLAC_TOOL nvdlac HINTS ${nvdlac_programs} NO_CMAKE_FIND_ROOT_PATH)
if(NVDLAC_TOOL)
  set(nvdlac_runtime_FOUND TRUE)
endif()
foreach(component IN LISTS nvdlac_FIND_COMPONENTS)
  if(NOT nvdlac_FIND_REQUIRED_${component})
    continue()
  elseif(NOT component IN_LIST nvdlac_components)
    list(JOIN nvdlac_components ", " nvdlac_components)
    set(nvdlac_NOT_FOUND_MESSAGE
      "nvdlac has no component '${component}' (there are ${nvdlac_components})")
  elseif(component STREQUAL "runtime" AND NOT NVDLAC_TOOL)
    set(nvdlac_NOT_FOUND_MESSAGE
      "the command nvdlac is neither in ${nvdlac_programs} nor on the PATH")
  endif()
  if(nvdlac_NOT_FOUND_MESSAGE)
    set(nvdlac_FOUND FALSE)
    return()
  endif()
endforeach()
if(NOT nvdlac_FIND_COMPONENTS OR "simulator" IN_LIST nvdlac_FIND_COMPONENTS OR
   "compiler" IN_LIST nvdlac_FIND_COMPONENTS)
  include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
  set(nvdlac_simulator_FOUND TRUE)
  set(nvdlac_compiler_FOUND TRUE)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac-targets.cmake)
if(nvdlac_compiler_FOUND)  # nvdlac::common and nvdlac::compiled, where they were installed
  include(${CMAKE_CURRENT_LIST_DIR}/nvdlac-compiled-targets.cmake OPTIONAL)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_cli.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_network.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_product.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_run.cmake)
