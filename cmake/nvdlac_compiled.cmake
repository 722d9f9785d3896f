# SPDX-License-Identifier: Apache-2.0
# nvdlac::common: what nvdlac/src.hpp defines but for the products of configurations, compiled once
# for all of a build. What links it defines NVDLAC_COMPILED: headers of nvdlac declare functions
# that are no templates, and leave their bodies to this library.
#
# Each unit has the lists of nvdlac/impl/src that stand in one string. What two lists instantiate
# alike, such as containers of nodes or the parser of JSON, a unit of both compiles once; but a unit
# shall not take more than 1.2 GB of memory without optimisation.
set(NVDLAC_COMPILED_UNITS
  "core"
  "choose"
  "quant"
  "prepare"
  "files"
  "report"
  "import import_coreml import_keras import_pytorch"
  "import_onnx import_caffe import_caffe2 import_darknet import_mxnet import_tensorflow \
import_tflite read"
  CACHE INTERNAL "Headers of nvdlac/impl/src by translation units")

# Makes nvdlac::common, where a build has neither made it nor found it installed.
function(nvdlac_need_common)
  if(TARGET nvdlac::common)
    return()
  endif()
  set(sources "")
  foreach(unit IN LISTS NVDLAC_COMPILED_UNITS)
    separate_arguments(lists UNIX_COMMAND "${unit}")
    list(GET lists 0 first)
    list(TRANSFORM lists REPLACE ".+" "#include <nvdlac/impl/src/\\0.hpp>\n")
    list(JOIN lists "" content)
    set(source ${CMAKE_BINARY_DIR}/nvdlac_common.dir/${first}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${content}" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(nvdlac_common STATIC EXCLUDE_FROM_ALL ${sources})
  add_library(nvdlac::common ALIAS nvdlac_common)
  set_target_properties(nvdlac_common PROPERTIES EXPORT_NAME common UNITY_BUILD OFF)
  target_link_libraries(nvdlac_common PUBLIC nvdlac::nvdlac)
  target_compile_definitions(nvdlac_common PUBLIC NVDLAC_COMPILED)
endfunction()
