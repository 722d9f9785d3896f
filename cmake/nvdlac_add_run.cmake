# SPDX-License-Identifier: Apache-2.0
# nvdlac_add_run(my_run CONFIG my_soc.hpp TYPE my_soc [CONFIG .. TYPE ..]): nvdlac-run for these
# configurations, see nvdlac_configurations: what runs loadables, for boards that the compiler and
# its libraries would fill. It is linked with the C++ library alone, and has only those functions
# that it may call; of other libraries it needs the headers, which are the same for every processor.
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_configurations.cmake)

# The build tree has the sources in tools/nvdlac_run, the installed package beside this file.
cmake_path(SET nvdlac_run_sources NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../tools/nvdlac_run)
if(NOT EXISTS ${nvdlac_run_sources})
  set(nvdlac_run_sources ${CMAKE_CURRENT_LIST_DIR}/run)
endif()
set(NVDLAC_RUN_SOURCES ${nvdlac_run_sources} CACHE INTERNAL "Sources of nvdlac-run")

# Links to the headers of these libraries in `folder`: beside each other they lie where a cross
# compiler must not look, as the C library of this machine is there as well.
function(nvdlac_header_libraries folder)
  foreach(header IN ITEMS boost/version.hpp flatbuffers/flatbuffers.h stb/stb_image.h)
    cmake_path(GET header PARENT_PATH library)
    find_path(NVDLAC_HEADERS_OF_${library} ${header} CMAKE_FIND_ROOT_PATH_BOTH
      DOC "The folder with the headers ${library}/..")
    mark_as_advanced(NVDLAC_HEADERS_OF_${library})
    if(NOT NVDLAC_HEADERS_OF_${library})
      message(FATAL_ERROR "nvdlac-run needs ${header}, which is not installed (on Debian "
        "lib${library}-dev)")
    endif()
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${NVDLAC_HEADERS_OF_${library}}/${library} ${folder}/${library} SYMBOLIC)
  endforeach()
endfunction()

# The library that all of them share: stb_image's decoders of the formats that nvdlac reads, and
# flags. The rest is compiled from the headers as it is called, in less time than nvdlac::common
# takes.
function(nvdlac_need_run_parts)
  if(TARGET nvdlac_run_parts)
    return()
  endif()
  set(to ${CMAKE_BINARY_DIR}/nvdlac_run_parts.dir)
  nvdlac_header_libraries(${to}/include)
  set(decoders "")
  foreach(format IN ITEMS BMP JPEG PNG PNM)
    string(APPEND decoders "#define STBI_ONLY_${format}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${to}/stb.cpp @ONLY CONTENT
    "#define STB_IMAGE_IMPLEMENTATION\n${decoders}#include <stb/stb_image.h>\n")
  add_library(nvdlac_run_parts STATIC EXCLUDE_FROM_ALL ${to}/stb.cpp)
  target_include_directories(nvdlac_run_parts SYSTEM PUBLIC ${to}/include)
  # As of nvdlac::simulator, no product is fused with a sum.
  target_compile_options(nvdlac_run_parts PUBLIC -ffp-contract=off -ffunction-sections
    -fdata-sections)
  target_link_options(nvdlac_run_parts PUBLIC -Wl,--gc-sections)
  find_package(Threads REQUIRED)
  target_link_libraries(nvdlac_run_parts PUBLIC nvdlac::headers Threads::Threads)
endfunction()

function(nvdlac_add_run target)
  set(from ${NVDLAC_RUN_SOURCES})
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  nvdlac_configurations(nvdlac_add_run ${from}/product.cpp.in ${to} ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(function IN LISTS functions)
    string(APPEND declarations "product ${function}();\n")
    string(APPEND calls "\n      ${function}(),")
  endforeach()
  configure_file(${from}/products.cpp.in ${to}/products.cpp @ONLY)
  nvdlac_need_run_parts()
  add_executable(${target} ${from}/main.cpp ${generated} ${to}/products.cpp)
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(${target} PRIVATE ${from})
  target_link_libraries(${target} PRIVATE nvdlac_run_parts)
endfunction()
