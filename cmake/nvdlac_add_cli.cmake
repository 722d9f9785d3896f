# SPDX-License-Identifier: Apache-2.0
# nvdlac_add_cli(my_tool CONFIG my_soc.hpp TYPE my_soc [CONFIG .. TYPE ..]): an executable with the
# command line of nvdlac for these configurations, see nvdlac_configurations. Each configuration is
# compiled from a source of its own, all of them make the library my_tool_targets; the rest of the
# tool is compiled once for all tools of a build. Most of the code is the same in all sources, so
# that the compiler gets several at a time (UNITY_BUILD); CMAKE_UNITY_BUILD=OFF prevents it.
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_configurations.cmake)

# The build tree has the sources in tools/nvdlac, the installed package beside this file.
cmake_path(SET nvdlac_cli_sources NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../tools/nvdlac)
if(NOT EXISTS ${nvdlac_cli_sources})
  set(nvdlac_cli_sources ${CMAKE_CURRENT_LIST_DIR}/cli)
endif()
set(NVDLAC_CLI_SOURCES ${nvdlac_cli_sources} CACHE INTERNAL "Sources of nvdlac's command line")

function(nvdlac_add_cli target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set(CMAKE_UNITY_BUILD ON)
  endif()
  set(from ${NVDLAC_CLI_SOURCES})
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  nvdlac_configurations(nvdlac_add_cli ${from}/target.cpp.in ${to} ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(function IN LISTS functions)
    string(APPEND declarations "const target& ${function}();\n")
    string(APPEND calls "\n      &${function}(),")
  endforeach()
  configure_file(${from}/targets.cpp.in ${to}/targets.cpp @ONLY)

  if(NOT TARGET nvdlac_cli_common)
    find_package(CLI11 CONFIG REQUIRED)
    file(GLOB sources CONFIGURE_DEPENDS ${from}/*.cpp)
    list(REMOVE_ITEM sources ${from}/main.cpp)
    add_library(nvdlac_cli_common STATIC EXCLUDE_FROM_ALL ${sources})
    target_include_directories(nvdlac_cli_common PUBLIC ${from})
    target_link_libraries(nvdlac_cli_common PUBLIC nvdlac::nvdlac CLI11::CLI11)
    set_target_properties(nvdlac_cli_common PROPERTIES UNITY_BUILD_BATCH_SIZE 12)
  endif()
  add_library(${target}_targets STATIC EXCLUDE_FROM_ALL ${generated} ${to}/targets.cpp)
  target_link_libraries(${target}_targets PUBLIC nvdlac_cli_common)
  set_target_properties(${target}_targets PROPERTIES UNITY_BUILD_BATCH_SIZE 4)
  add_executable(${target} ${from}/main.cpp)
  target_link_libraries(${target} PRIVATE ${target}_targets)
endfunction()
