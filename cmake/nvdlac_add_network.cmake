# SPDX-License-Identifier: Apache-2.0
# nvdlac_add_network(target MODEL file [WEIGHTS file] [SCALES json] [CALIBRATION file..]
#   [CONFIG name..] [NAME name] [CONSTANTS] [OPTIONS option..] [TOOL tool])
#
# Imports a network while the target, which this directory makes, is built. Its sources can include
# <name.hpp>, which defines name::model; without NAME it is called as the model's file. For each
# CONFIG the packed weights are a constant of the target, name_config_weights, which name.hpp
# declares. CONSTANTS puts the weights into the header, too. Files are relative to the calling
# directory. A quantised model needs neither SCALES nor CALIBRATION, which together complete each
# other; of other models the build tells what is missing. OPTIONS are others of `nvdlac import`,
# such as --mean 127.5. The TOOL is the installed `nvdlac`, or a path or a target of nvdlac_add_cli,
# which knows your own configurations.

# The installed package is in share/cmake/nvdlac.
cmake_path(SET nvdlac_programs NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
set(NVDLAC_PROGRAMS ${nvdlac_programs} CACHE INTERNAL "Where nvdlac's command line is installed")

function(nvdlac_add_network target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "CONSTANTS" "MODEL;WEIGHTS;SCALES;NAME;TOOL"
    "CALIBRATION;CONFIG;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "nvdlac_add_network: unknown or without a value: "
      "${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT arg_MODEL)
    message(FATAL_ERROR "nvdlac_add_network: name the MODEL")
  endif()

  if(arg_TOOL)
    set(tool ${arg_TOOL})
  elseif(TARGET nvdlac_cli)
    set(tool nvdlac_cli)
  else()
    find_program(NVDLAC_TOOL nvdlac HINTS ${NVDLAC_PROGRAMS} NO_CMAKE_FIND_ROOT_PATH)
    if(NOT NVDLAC_TOOL)
      message(FATAL_ERROR "nvdlac_add_network: there is no nvdlac in ${NVDLAC_PROGRAMS} or on the "
        "PATH; install it, or name a TOOL that nvdlac_add_cli makes")
    endif()
    set(tool ${NVDLAC_TOOL})
  endif()

  # Files that the command reads; of a directory, all of it.
  set(read "")
  foreach(kind IN ITEMS MODEL WEIGHTS SCALES CALIBRATION)
    set(${kind} "")
    foreach(path IN LISTS arg_${kind})
      cmake_path(ABSOLUTE_PATH path NORMALIZE)
      if(NOT EXISTS ${path})
        message(FATAL_ERROR "nvdlac_add_network: ${kind} ${path} does not exist")
      endif()
      list(APPEND ${kind} ${path})
      if(IS_DIRECTORY ${path})
        file(GLOB inside CONFIGURE_DEPENDS ${path}/*)
        list(APPEND read ${inside})
      else()
        list(APPEND read ${path})
      endif()
    endforeach()
  endforeach()

  if(NOT arg_NAME)
    cmake_path(GET MODEL STEM LAST_ONLY arg_NAME)
    string(MAKE_C_IDENTIFIER ${arg_NAME} arg_NAME)
    string(REGEX REPLACE "_+" "_" arg_NAME ${arg_NAME})
    string(REGEX REPLACE "^_" "n" arg_NAME ${arg_NAME})
  endif()
  set(to ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir/networks)
  set(command import ${MODEL} ${WEIGHTS} --cpp ${to}/${arg_NAME}.hpp --namespace ${arg_NAME})
  if(arg_SCALES)
    list(APPEND command --scales ${SCALES})
  endif()
  foreach(path IN LISTS CALIBRATION)
    list(APPEND command --calibration ${path})
  endforeach()
  if(arg_CONSTANTS)
    list(APPEND command --constants)
  endif()

  set(images "")
  foreach(config IN LISTS arg_CONFIG)
    list(APPEND command --config ${config})
    list(APPEND images ${to}/${arg_NAME}.${config}.weights.bin)
  endforeach()
  file(MAKE_DIRECTORY ${to})
  add_custom_command(OUTPUT ${to}/${arg_NAME}.hpp ${images}
    COMMAND ${tool} ${command} ${arg_OPTIONS}
    DEPENDS ${tool} ${read}
    COMMENT "Importing ${arg_NAME}" VERBATIM)
  target_sources(${target} PRIVATE ${to}/${arg_NAME}.hpp)
  target_include_directories(${target} PUBLIC ${to})
  if(images)
    set(source ${to}/${arg_NAME}.weights.cpp)
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/write_weights.cmake)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -D FOLDER=${to} -D NAME=${arg_NAME} -D "CONFIGS=${arg_CONFIG}"
        -P ${script}
      DEPENDS ${images} ${script}
      COMMENT "Writing the weights of ${arg_NAME}" VERBATIM)
    set_source_files_properties(${source} PROPERTIES
      SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${source})
  endif()
endfunction()
