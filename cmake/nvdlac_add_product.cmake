# SPDX-License-Identifier: Apache-2.0
# nvdlac_add_product(my_product CONFIG my_soc.hpp TYPE my_soc [CONFIG .. TYPE ..]): a library of
# what nvdlac/nvdlac.hpp declares, for these configurations, see nvdlac_configurations. What links
# it compiles in seconds and includes that header alone. What is the same for all configurations is
# nvdlac::common.
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_compiled.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_configurations.cmake)
set(NVDLAC_PRODUCT_TEMPLATES ${CMAKE_CURRENT_LIST_DIR}/product CACHE INTERNAL
  "Sources of nvdlac_add_product")

function(nvdlac_add_product target)
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  nvdlac_configurations(nvdlac_add_product ${NVDLAC_PRODUCT_TEMPLATES}/product.cpp.in ${to} ${ARGN})
  nvdlac_need_common()
  add_library(${target} STATIC ${generated})
  target_link_libraries(${target} PUBLIC nvdlac::common)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
