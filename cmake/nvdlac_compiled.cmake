# SPDX-License-Identifier: Apache-2.0
# nvdlac::common: what nvdlac/src.hpp defines but for the products of configurations, compiled once
# for all of a build. What links it defines NVDLAC_COMPILED: headers of nvdlac declare functions that
# are no templates, and leave their bodies to this library.
set(NVDLAC_COMPILED_PARTS choose core files import import_caffe import_caffe2 import_coreml
  import_darknet import_keras import_mxnet import_onnx import_pytorch import_tensorflow
  import_tflite quant report
  CACHE INTERNAL "Headers of nvdlac/impl/src")
set(NVDLAC_READ_SOURCE ${CMAKE_CURRENT_LIST_DIR}/product/read.cpp CACHE INTERNAL
  "Reader of models for nvdlac/nvdlac.hpp")

# Makes nvdlac::common, where a build has neither made it nor found it installed.
function(nvdlac_need_common)
  if(TARGET nvdlac::common)
    return()
  endif()
  set(sources ${NVDLAC_READ_SOURCE})
  foreach(part IN LISTS NVDLAC_COMPILED_PARTS)
    set(source ${CMAKE_BINARY_DIR}/nvdlac_common.dir/${part}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include <nvdlac/impl/src/${part}.hpp>\n")
    list(APPEND sources ${source})
  endforeach()
  add_library(nvdlac_common STATIC EXCLUDE_FROM_ALL ${sources})
  add_library(nvdlac::common ALIAS nvdlac_common)
  set_target_properties(nvdlac_common PROPERTIES EXPORT_NAME common UNITY_BUILD OFF)
  target_link_libraries(nvdlac_common PUBLIC nvdlac::nvdlac)
  target_compile_definitions(nvdlac_common PUBLIC NVDLAC_COMPILED)
endfunction()
