# SPDX-License-Identifier: Apache-2.0
# Sets `result` to what #include takes: a header relative to the calling directory, or as it is.
function(nvdlac_as_included header result)
  cmake_path(ABSOLUTE_PATH header OUTPUT_VARIABLE path)
  if(EXISTS ${path})
    set(${result} "\"${path}\"" PARENT_SCOPE)
  else()
    set(${result} "<${header}>" PARENT_SCOPE)
  endif()
endfunction()

# nvdlac_configurations(CALLER template folder CONFIG my_soc.hpp TYPE my_soc [CONFIG .. TYPE ..]): a
# source of each configuration in the folder, from a template that names @header@, @type@ and
# @function@. CONFIG is a header, relative to the calling directory or as it is included
# (nvdlac/hw/configurations.hpp); TYPE its struct. Sets `generated`, the sources, `functions`, their
# names, and `count`.
function(nvdlac_configurations caller template folder)
  set(words ${ARGN})
  set(generated "")
  set(functions "")
  set(count 0)
  while(words)
    list(POP_FRONT words config header_word type name)
    if(NOT config STREQUAL "CONFIG" OR NOT type STREQUAL "TYPE" OR NOT name)
      message(FATAL_ERROR "${caller}: expected CONFIG header TYPE type, got "
        "'${config} ${header_word} ${type} ${name}'")
    endif()
    nvdlac_as_included(${header_word} header)
    set(type ${name})
    set(function target_${count})
    string(MAKE_C_IDENTIFIER ${type} file)
    configure_file(${template} ${folder}/${file}.cpp @ONLY)
    list(APPEND generated ${folder}/${file}.cpp)
    list(APPEND functions ${function})
    math(EXPR count "${count} + 1")
  endwhile()
  if(count EQUAL 0)
    message(FATAL_ERROR "${caller}: name at least one CONFIG and its TYPE")
  endif()
  set(generated ${generated} PARENT_SCOPE)
  set(functions ${functions} PARENT_SCOPE)
  set(count ${count} PARENT_SCOPE)
endfunction()
