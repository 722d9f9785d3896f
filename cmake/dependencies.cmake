# SPDX-License-Identifier: Apache-2.0
# Libraries that the headers include. Used by the build tree and by the installed package alike. In
# another project's build, and for the headers alone, nothing is required: CMake names a library
# that is missing to who links nvdlac::nvdlac or nvdlac::simulator.
# Imported targets are system includes, so their warnings are not ours.
include(CMakeFindDependencyMacro)

# A macro, whose find_dependency returns from this file.
macro(nvdlac_find package)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "nvdlac")
    find_dependency(${package} ${ARGN})
  elseif(NVDLAC_BUILD_TOOLS)
    find_package(${package} ${ARGN} REQUIRED)
  else()
    find_package(${package} ${ARGN} QUIET)
    if(NOT ${package}_FOUND)
      message(STATUS "nvdlac: without ${package}, which some headers need")
    endif()
  endif()
endmacro()

nvdlac_find(Threads)
nvdlac_find(Boost 1.74)
nvdlac_find(FlatBuffers CONFIG)
if(nvdlac_FIND_COMPONENTS AND NOT "compiler" IN_LIST nvdlac_FIND_COMPONENTS)
  return()  # that is all that the simulator needs
endif()
nvdlac_find(Protobuf)
nvdlac_find(nlohmann_json CONFIG)

# Debian's libstb-dev has no CMake package; it brings the compiled code of stb_image.
if(NOT TARGET stb::stb)
  find_path(STB_INCLUDE_DIR stb/stb_image.h)
  find_library(STB_LIBRARY stb)
  mark_as_advanced(STB_INCLUDE_DIR STB_LIBRARY)
  if(STB_INCLUDE_DIR AND STB_LIBRARY)
    add_library(stb::stb UNKNOWN IMPORTED)
    set_target_properties(stb::stb PROPERTIES IMPORTED_LOCATION ${STB_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${STB_INCLUDE_DIR})
  elseif(CMAKE_FIND_PACKAGE_NAME STREQUAL "nvdlac")
    set(nvdlac_FOUND FALSE)
    set(nvdlac_NOT_FOUND_MESSAGE "nvdlac needs stb_image: stb/stb_image.h and the library stb")
    return()
  elseif(NVDLAC_BUILD_TOOLS)
    message(FATAL_ERROR "stb is not installed: stb/stb_image.h and the library stb")
  endif()
endif()

# nvdlac_optional(NAME what needs HEADERS dir.. LIBRARIES file..): nvdlac::<name>_libraries, with
# which `what` is read and NVDLAC_NAME defined, unless one is missing or NVDLAC_WITH_NAME is off.
function(nvdlac_optional name what needs)
  cmake_parse_arguments(PARSE_ARGV 3 found "" "" "HEADERS;LIBRARIES")
  option(NVDLAC_WITH_${name} "Read ${what} where ${needs} is installed" ON)
  string(TOLOWER nvdlac::${name}_libraries target)
  if(TARGET ${target})
    return()
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  if(NOT NVDLAC_WITH_${name})
    message(STATUS "nvdlac: ${what} are not read (NVDLAC_WITH_${name})")
  elseif("${found_HEADERS};${found_LIBRARIES}" MATCHES "NOTFOUND")
    message(STATUS "nvdlac: ${what} are not read, for want of ${needs}")
  else()
    set_target_properties(${target} PROPERTIES INTERFACE_COMPILE_DEFINITIONS NVDLAC_${name}=1
      INTERFACE_INCLUDE_DIRECTORIES "${found_HEADERS}"
      INTERFACE_LINK_LIBRARIES "${found_LIBRARIES}")
  endif()
endfunction()

# CMake's own module would need a C compiler for HDF5.
find_path(NVDLAC_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(NVDLAC_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
find_path(NVDLAC_ARCHIVE_INCLUDE_DIR archive_entry.h)
find_library(NVDLAC_ARCHIVE_LIBRARY archive)
mark_as_advanced(NVDLAC_HDF5_INCLUDE_DIR NVDLAC_HDF5_LIBRARY NVDLAC_ARCHIVE_INCLUDE_DIR
  NVDLAC_ARCHIVE_LIBRARY)
nvdlac_optional(KERAS "Keras' files" "HDF5 with libarchive"
  HEADERS ${NVDLAC_HDF5_INCLUDE_DIR} ${NVDLAC_ARCHIVE_INCLUDE_DIR}
  LIBRARIES ${NVDLAC_HDF5_LIBRARY} ${NVDLAC_ARCHIVE_LIBRARY})
nvdlac_optional(PYTORCH "PyTorch's exported programs" libarchive
  HEADERS ${NVDLAC_ARCHIVE_INCLUDE_DIR} LIBRARIES ${NVDLAC_ARCHIVE_LIBRARY})
find_path(NVDLAC_WEBP_INCLUDE_DIR webp/decode.h)
find_library(NVDLAC_WEBP_LIBRARY webp)
mark_as_advanced(NVDLAC_WEBP_INCLUDE_DIR NVDLAC_WEBP_LIBRARY)
nvdlac_optional(WEBP "WebP pictures" libwebp
  HEADERS ${NVDLAC_WEBP_INCLUDE_DIR} LIBRARIES ${NVDLAC_WEBP_LIBRARY})
