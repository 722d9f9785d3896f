# SPDX-License-Identifier: Apache-2.0
# find_package(nvdlac) gives nvdlac::nvdlac with the libraries that its headers use;
# find_package(nvdlac COMPONENTS headers) gives nvdlac::headers only, which needs no library: what
# programs that the C++ compiler makes (nvdlac::program) and a cross compiler want.
if(NOT nvdlac_FIND_COMPONENTS STREQUAL "headers")
  include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_cli.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_network.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_product.cmake)
