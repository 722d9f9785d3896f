# SPDX-License-Identifier: Apache-2.0
# nvdlac_add_cli(my_tool CONFIG my_soc.hpp TYPE my_soc [CONFIG .. TYPE ..]
#                [OPERATOR tint.hpp TYPE tint ..] [PASS my_pass.hpp TYPE my_pass ..]
#                [SCHEDULE my_schedule.hpp TYPE my_schedule]): an executable with the command line
# of nvdlac for these configurations, see nvdlac_configurations, and for networks with these
# operators of your own. Your passes go over a network behind nvdlac's, in this order; your
# schedule's policy takes the place of nvdlac's. Each configuration is compiled from a source of its
# own, all of them make the library my_tool_targets. The rest of the tool is installed with
# nvdlac::compiled, or compiled once for all tools of a build, but for what works on networks, which
# a tool with parts of your own has for itself. Most of the code is the same in all sources, so that
# the compiler gets several at a time (UNITY_BUILD); CMAKE_UNITY_BUILD=OFF prevents it.
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_compiled.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_configurations.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_page.cmake)

# The build tree has the sources in tools/nvdlac, the installed package beside this file.
cmake_path(SET nvdlac_cli_sources NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../tools/nvdlac)
if(NOT EXISTS ${nvdlac_cli_sources})
  set(nvdlac_cli_sources ${CMAKE_CURRENT_LIST_DIR}/cli)
endif()
set(NVDLAC_CLI_SOURCES ${nvdlac_cli_sources} CACHE INTERNAL "Sources of nvdlac's command line")
set(NVDLAC_CLI_TARGETS ${CMAKE_CURRENT_LIST_DIR}/nvdlac-cli-targets.cmake CACHE INTERNAL
  "The command line's libraries, where they are installed")
set(NVDLAC_COMMIT_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/nvdlac_commit.cmake CACHE INTERNAL
  "Finds the commit of nvdlac")
set(NVDLAC_CLI_NETWORK app.cpp compilation_options.cpp compile.cpp explore.cpp given_options.cpp
  import.cpp network_report.cpp options_of.cpp preparation.cpp provenance.cpp reproduce.cpp
  scheduling.cpp sweep.cpp sweep_row.cpp traced_input.cpp verification.cpp verify.cpp
  CACHE INTERNAL "Those that work on networks, and what calls them")

# Sets `result`: whether MPI's wrapper of the compiler, if there is one, can make a program. Some
# packages bring the wrapper without the headers that it names (Debian's openmpi-bin), on which
# CMake's own module ends the configuration.
function(nvdlac_mpi_is_complete result)
  find_program(MPI_CXX_COMPILER NAMES mpicxx mpic++ mpiCC HINTS ${MPI_HOME} ENV MPI_HOME
    PATH_SUFFIXES bin)
  if(MPI_CXX_COMPILER)
    set(probe ${CMAKE_CURRENT_BINARY_DIR}/nvdlac_mpi_probe)
    file(WRITE ${probe}.cpp "#include <mpi.h>\nint main() { return MPI_Finalize(); }\n")
    execute_process(COMMAND ${MPI_CXX_COMPILER} ${probe}.cpp -o ${probe}
      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed EQUAL 0)
      set(${result} FALSE PARENT_SCOPE)
      return()
    endif()
  endif()
  set(${result} TRUE PARENT_SCOPE)
endfunction()

# Finds what the command line does more with: with MPI, `sweep` and `verify` work under mpirun,
# without it on one machine; with SQLite, tables may be databases; with pagmo, `explore` searches
# where it cannot predict all. What is built with MPI has the property NVDLAC_MPI.
option(NVDLAC_WITH_MPI "Share work out among ranks where MPI is installed" ON)
function(nvdlac_cli_find_libraries)
  set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
  find_package(CLI11 CONFIG REQUIRED)
  find_package(SQLite3 QUIET)
  if(NOT SQLite3_FOUND)
    message(STATUS "nvdlac: writes no databases, for want of libsqlite3-dev")
  endif()
  find_package(Pagmo QUIET)
  if(NOT Pagmo_FOUND)
    message(STATUS "nvdlac: explore has no search, for want of libpagmo-dev")
  endif()
  if(NOT NVDLAC_WITH_MPI)
    message(STATUS "nvdlac: works on one machine only (NVDLAC_WITH_MPI)")
    return()
  endif()
  nvdlac_mpi_is_complete(is_complete)
  if(NOT is_complete)
    message(STATUS "nvdlac: works on one machine only: MPI is there without its development files "
      "(on Debian libopenmpi-dev)")
    return()
  endif()
  set(MPI_CXX_SKIP_MPICXX ON)
  find_package(MPI QUIET COMPONENTS CXX)
  if(NOT MPI_CXX_FOUND)
    message(STATUS "nvdlac: works on one machine only, for want of MPI")
  endif()
endfunction()

# Links what of that was found.
function(nvdlac_cli_link_libraries target)
  target_link_libraries(${target} PUBLIC CLI11::CLI11)
  if(TARGET SQLite::SQLite3)
    target_link_libraries(${target} PRIVATE SQLite::SQLite3)
    target_compile_definitions(${target} PRIVATE NVDLAC_SQLITE=1)
  endif()
  if(TARGET Pagmo::pagmo)
    target_link_libraries(${target} PRIVATE Pagmo::pagmo)
    target_compile_definitions(${target} PRIVATE NVDLAC_PAGMO=1)
  endif()
  if(NVDLAC_WITH_MPI AND TARGET MPI::MPI_CXX)
    target_link_libraries(${target} PUBLIC MPI::MPI_CXX)
    target_compile_definitions(${target} PRIVATE NVDLAC_MPI=1)
    set_target_properties(${target} PROPERTIES NVDLAC_MPI ON EXPORT_PROPERTIES NVDLAC_MPI)
  endif()
endfunction()

# A library of the sources that work on networks, with the parts of your own that nvdlac_own_parts
# has found, if there are any.
function(nvdlac_cli_network target folder)
  set(from ${NVDLAC_CLI_SOURCES})
  list(TRANSFORM NVDLAC_CLI_NETWORK PREPEND ${from}/ OUTPUT_VARIABLE sources)
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${sources})
  if(own_includes)
    configure_file(${from}/own_parts.hpp.in ${folder}/own_parts.hpp @ONLY)
    target_include_directories(${target} BEFORE PUBLIC ${folder})
  endif()
  target_link_libraries(${target} PUBLIC nvdlac::cli_common)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE 12)
  # It has the readers of models, which take as much memory as all the rest.
  set_source_files_properties(${from}/preparation.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# nvdlac::cli_common and nvdlac::cli_network as they are installed, if they were built with what is
# found here, no more and no less.
function(nvdlac_cli_use_installed)
  if(NOT EXISTS ${NVDLAC_CLI_TARGETS} OR NOT TARGET nvdlac::common)
    return()
  endif()
  file(STRINGS ${NVDLAC_CLI_TARGETS} needs REGEX "INTERFACE_LINK_LIBRARIES")
  foreach(library IN ITEMS MPI::MPI_CXX SQLite::SQLite3 Pagmo::pagmo)
    set(is_here FALSE)
    if(TARGET ${library} AND (NVDLAC_WITH_MPI OR NOT library STREQUAL "MPI::MPI_CXX"))
      set(is_here TRUE)
    endif()
    if(is_here AND NOT needs MATCHES ${library})
      message(STATUS "nvdlac: compiles the command line: the installed one is without ${library}")
      return()
    elseif(needs MATCHES ${library} AND NOT is_here)
      message(STATUS "nvdlac: compiles the command line: the installed one needs ${library} "
        "(on Debian libopenmpi-dev, libsqlite3-dev, libpagmo-dev), and MPI NVDLAC_WITH_MPI")
      return()
    endif()
  endforeach()
  include(${NVDLAC_CLI_TARGETS})
endfunction()

# Makes nvdlac::cli_common, what all tools share, and nvdlac::cli_network, what they share unless
# they have parts of your own, where a build has neither made them nor found them installed.
function(nvdlac_need_cli folder)
  if(TARGET nvdlac::cli_common)
    return()
  endif()
  nvdlac_cli_find_libraries()
  nvdlac_cli_use_installed()
  if(TARGET nvdlac::cli_common)
    return()
  endif()
  set(from ${NVDLAC_CLI_SOURCES})
  file(GLOB sources CONFIGURE_DEPENDS ${from}/*.cpp ${from}/queue/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main.cpp$")
  foreach(name IN LISTS NVDLAC_CLI_NETWORK)
    list(FILTER sources EXCLUDE REGEX "/${name}$")
  endforeach()
  if(NOT EXISTS ${from}/commit.cpp)  # the installed package has it
    set(commit ${CMAKE_CURRENT_BINARY_DIR}/commit.cpp)
    add_custom_target(nvdlac_commit BYPRODUCTS ${commit} VERBATIM
      COMMAND ${CMAKE_COMMAND} -D TO=${commit} -P ${NVDLAC_COMMIT_SCRIPT})
    list(APPEND sources ${commit})
    set_source_files_properties(${commit} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  add_library(nvdlac_cli_common STATIC EXCLUDE_FROM_ALL ${sources})
  add_library(nvdlac::cli_common ALIAS nvdlac_cli_common)
  set(parts ${CMAKE_CURRENT_BINARY_DIR}/nvdlac_cli_common.dir)
  nvdlac_page(${from}/page ${parts})
  target_include_directories(nvdlac_cli_common PUBLIC $<BUILD_INTERFACE:${from}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_DATADIR}/cmake/nvdlac/cli> PRIVATE ${parts})
  nvdlac_need_common()
  target_link_libraries(nvdlac_cli_common PUBLIC nvdlac::common)
  nvdlac_cli_link_libraries(nvdlac_cli_common)
  set(own_includes "")
  nvdlac_cli_network(nvdlac_cli_network ${folder})
  add_library(nvdlac::cli_network ALIAS nvdlac_cli_network)
  set_target_properties(nvdlac_cli_common PROPERTIES UNITY_BUILD_BATCH_SIZE 12
    EXPORT_NAME cli_common)
  set_target_properties(nvdlac_cli_network PROPERTIES EXPORT_NAME cli_network)
endfunction()

# Sets `left`, the words without OPERATOR, PASS and SCHEDULE, each with a header TYPE type; what
# those name: `own_includes`, and the types `own_operators`, `own_passes` and `own_schedule`.
function(nvdlac_own_parts)
  set(words ${ARGN})
  set(left "")
  set(own_includes "")
  set(own_OPERATOR "")
  set(own_PASS "")
  set(own_SCHEDULE "")
  while(words)
    list(POP_FRONT words kind header_word type name)
    if(kind MATCHES "^(OPERATOR|PASS|SCHEDULE)$" AND type STREQUAL "TYPE" AND name)
      nvdlac_as_included(${header_word} header)
      string(APPEND own_includes "#include ${header}\n")
      list(APPEND own_${kind} "::${name}")
    else()
      list(APPEND left ${kind} ${header_word} ${type} ${name})
    endif()
  endwhile()
  list(LENGTH own_SCHEDULE schedules)
  if(schedules GREATER 1)
    message(FATAL_ERROR "nvdlac_add_cli: one SCHEDULE, not ${schedules}: ${own_SCHEDULE}")
  elseif(schedules EQUAL 0)
    set(own_SCHEDULE schedule::standard)
  endif()
  list(JOIN own_OPERATOR ", " own_operators)
  list(JOIN own_PASS ", " own_passes)
  set(left ${left} PARENT_SCOPE)
  set(own_includes "${own_includes}" PARENT_SCOPE)
  set(own_operators "${own_operators}" PARENT_SCOPE)
  set(own_passes "${own_passes}" PARENT_SCOPE)
  set(own_schedule "${own_SCHEDULE}" PARENT_SCOPE)
endfunction()

function(nvdlac_add_cli target)
  if(NOT DEFINED CMAKE_UNITY_BUILD)
    set(CMAKE_UNITY_BUILD ON)
  endif()
  set(from ${NVDLAC_CLI_SOURCES})
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  nvdlac_own_parts(${ARGN})
  nvdlac_configurations(nvdlac_add_cli ${from}/target.cpp.in ${to} ${left})
  set(declarations "")
  set(calls "")
  foreach(function IN LISTS functions)
    string(APPEND declarations "const target& ${function}();\n")
    string(APPEND calls "\n      &${function}(),")
  endforeach()
  configure_file(${from}/targets.cpp.in ${to}/targets.cpp @ONLY)

  nvdlac_need_cli(${to})
  set(network nvdlac::cli_network)
  if(own_includes)
    set(network ${target}_network)
    nvdlac_cli_network(${network} ${to})
  endif()
  add_library(${target}_targets STATIC EXCLUDE_FROM_ALL ${generated} ${to}/targets.cpp)
  target_link_libraries(${target}_targets PUBLIC ${network})
  set_target_properties(${target}_targets PROPERTIES UNITY_BUILD_BATCH_SIZE 4)
  add_executable(${target} ${from}/main.cpp)
  target_link_libraries(${target} PRIVATE ${target}_targets)
endfunction()

# nvdlac_add_sweep(my_space SPACE my_space.hpp [TYPE my_space]): an executable with the command line
# of nvdlac for all configurations of a hw::space, which are called my_space_0, my_space_1, .. Each
# is compiled from a source of its own, see nvdlac_add_cli, so that the build system shares them
# out.
function(nvdlac_add_sweep target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SPACE;TYPE" "")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SPACE)
    message(FATAL_ERROR "nvdlac_add_sweep: expected (target SPACE header [TYPE type]), got "
      "'${ARGV}'")
  endif()
  if(NOT arg_TYPE)
    set(arg_TYPE ${target})
  endif()
  nvdlac_as_included(${arg_SPACE} header)
  string(MAKE_C_IDENTIFIER ${arg_TYPE} name)
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)

  # How many there are, the compiler tells.
  file(WRITE ${to}/count.cpp "#include <cstdio>\n#include ${header}\n"
    "int main() { std::printf(\"%zu\", ${arg_TYPE}::configurations::size); }\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${arg_SPACE})
  get_target_property(include nvdlac::nvdlac INTERFACE_INCLUDE_DIRECTORIES)
  try_run(ran compiled ${to}/count ${to}/count.cpp
    CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${include}" CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    COMPILE_OUTPUT_VARIABLE said RUN_OUTPUT_VARIABLE count)
  if(NOT compiled OR NOT ran EQUAL 0)
    message(FATAL_ERROR "nvdlac_add_sweep: ${arg_SPACE} does not compile:\n${said}")
  endif()

  set(structs "")
  set(configurations "")
  math(EXPR last "${count} - 1")
  foreach(n RANGE ${last})
    string(APPEND structs "struct ${name}_${n} : ${arg_TYPE}::at<${n}> {};\n")
    list(APPEND configurations CONFIG ${to}/configurations.hpp TYPE ${name}_${n})
  endforeach()
  file(CONFIGURE OUTPUT ${to}/configurations.hpp @ONLY
    CONTENT "#pragma once\n#include ${header}\n\n${structs}")
  nvdlac_add_cli(${target} ${configurations})
  message(STATUS "${target}: ${count} configurations")
endfunction()
