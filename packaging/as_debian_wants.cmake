# SPDX-License-Identifier: Apache-2.0
# Before cpack builds the packages: what Debian has in other places or forms than `cmake --install`.
cmake_policy(VERSION 3.24)
include(${CMAKE_CURRENT_LIST_DIR}/bill_of_materials.cmake)
function(gzip file)
  execute_process(COMMAND gzip -9 -n -f ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The time of the last commit, for the same bytes at any time.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
  set(seconds 0)
  execute_process(COMMAND git log -1 --format=%ct WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
    OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(found)
    set(seconds ${found})
  endif()
  set(ENV{SOURCE_DATE_EPOCH} ${seconds})
endif()
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH
string(TIMESTAMP time "%Y-%m-%dT%H:%M:%SZ" UTC)

# Of these libraries programs hold code; libnvdlac-dev holds none.
set(compiled_in_command libboost-dev libcli11-dev libeigen3-dev libflatbuffers-dev libstb-dev
  nlohmann-json3-dev)
set(compiled_in_python ${compiled_in_command} pybind11-dev)
set(compiled_in_headers "")

foreach(package IN ITEMS command:nvdlac headers:libnvdlac-dev python:python3-nvdlac)
  string(REPLACE ":" ";" package ${package})
  list(POP_BACK package name)
  set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package}/usr/share)
  if(NOT EXISTS ${share})
    continue()
  endif()
  file(REMOVE ${share}/doc/nvdlac/LICENSE)  # Debian has the text
  file(GLOB left ${share}/doc/nvdlac/*)
  if(NOT left)
    file(REMOVE_RECURSE ${share}/doc/nvdlac)
  endif()
  file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/copyright ${share}/tmp_copyright)
  file(MAKE_DIRECTORY ${share}/doc/${name})
  file(RENAME ${share}/tmp_copyright ${share}/doc/${name}/copyright)
  file(WRITE ${share}/doc/${name}/changelog.Debian
    "nvdlac (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
    "  * See CHANGELOG.md.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${day}\n")
  gzip(${share}/doc/${name}/changelog.Debian)
  if(EXISTS ${share}/doc/${name}/CHANGELOG.md)
    file(RENAME ${share}/doc/${name}/CHANGELOG.md ${share}/doc/${name}/changelog)
    gzip(${share}/doc/${name}/changelog)
  endif()
  file(GLOB pages ${share}/man/man1/*.1)
  foreach(page IN LISTS pages)
    gzip(${page})
  endforeach()
  if(EXISTS ${share}/zsh)
    file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
  endif()
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${name}.lintian-overrides)
    file(MAKE_DIRECTORY ${share}/lintian/overrides)
    file(COPY_FILE ${CMAKE_CURRENT_LIST_DIR}/${name}.lintian-overrides
      ${share}/lintian/overrides/${name})
  endif()
  bill_of_materials(${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${package} ${name}
    ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE} ${time} ${compiled_in_${package}})
endforeach()
