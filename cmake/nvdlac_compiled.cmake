# SPDX-License-Identifier: Apache-2.0
# nvdlac::common: what nvdlac/src.hpp defines but for the products of configurations, compiled once
# for all of a build. What links it defines NVDLAC_COMPILED: headers of nvdlac declare functions
# that are no templates, and leave their bodies to this library.
#
# Each unit has the lists of nvdlac/impl/src that stand in one string. What two lists instantiate
# alike, such as containers of nodes or the parser of JSON, a unit of both compiles once; but a unit
# shall not take much more than 1.2 GB of memory without optimisation. A reader of models stands
# beside a list that each program needs (import, read): it is found by a weak reference, which takes
# nothing out of a library.
set(NVDLAC_COMPILED_UNITS
  "core"
  "choose"
  "quant"
  "prepare"
  "files"
  "report"
  "sim"
  "import import_coreml import_keras import_pytorch import_mxnet import_caffe2 import_darknet"
  "import_onnx import_caffe import_tensorflow import_tflite read"
  CACHE INTERNAL "Headers of nvdlac/impl/src by translation units")

# The formats of models that nvdlac::common reads besides ONNX. What it does not read is not
# compiled, and refused in words that name this variable.
set(NVDLAC_FORMATS_KNOWN caffe caffe2 coreml darknet keras mxnet pytorch tensorflow tflite
  CACHE INTERNAL "Formats of models that have readers of their own")
set(NVDLAC_FORMATS "" CACHE STRING
  "Formats of models that are read, such as onnx;tflite (ONNX always is); empty: all")

# Sets `result`: the headers of nvdlac/impl/src in a unit, without the readers of formats that are
# not wanted.
function(nvdlac_lists_of unit result)
  separate_arguments(lists UNIX_COMMAND "${unit}")
  if(NVDLAC_FORMATS)
    foreach(format IN LISTS NVDLAC_FORMATS_KNOWN)
      if(NOT format IN_LIST NVDLAC_FORMATS)
        list(REMOVE_ITEM lists import_${format})
      endif()
    endforeach()
  endif()
  set(${result} ${lists} PARENT_SCOPE)
endfunction()

# Makes nvdlac::common, where a build has neither made it nor found it installed. A shared library
# may have it.
function(nvdlac_need_common)
  if(TARGET nvdlac::common)
    if(NVDLAC_FORMATS AND NOT TARGET nvdlac_common)
      message(STATUS "nvdlac: the installed nvdlac::common reads all formats (NVDLAC_FORMATS)")
    endif()
    return()
  endif()
  if(NOT TARGET Boost::headers)
    message(FATAL_ERROR "nvdlac: this needs the component compiler of find_package(nvdlac)")
  endif()
  foreach(format IN LISTS NVDLAC_FORMATS)
    if(NOT format STREQUAL "onnx" AND NOT format IN_LIST NVDLAC_FORMATS_KNOWN)
      list(JOIN NVDLAC_FORMATS_KNOWN ", " known)
      message(FATAL_ERROR
        "NVDLAC_FORMATS: there is no format '${format}' (there are onnx, ${known})")
    endif()
  endforeach()
  set(sources "")
  foreach(unit IN LISTS NVDLAC_COMPILED_UNITS)
    nvdlac_lists_of("${unit}" lists)
    list(GET lists 0 first)
    list(TRANSFORM lists REPLACE ".+" "#include <nvdlac/impl/src/\\0.hpp>\n")
    list(JOIN lists "" content)
    set(source ${CMAKE_BINARY_DIR}/nvdlac_common.dir/${first}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "${content}" @ONLY)
    list(APPEND sources ${source})
  endforeach()
  add_library(nvdlac_common STATIC EXCLUDE_FROM_ALL ${sources})
  add_library(nvdlac::common ALIAS nvdlac_common)
  set_target_properties(nvdlac_common PROPERTIES EXPORT_NAME common UNITY_BUILD OFF
    POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(nvdlac_common PUBLIC nvdlac::nvdlac)
  target_compile_definitions(nvdlac_common PUBLIC NVDLAC_COMPILED)
  # Inner functions of the simulator are inlined in a shared library as well.
  target_compile_options(nvdlac_common PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fno-semantic-interposition>)
endfunction()
