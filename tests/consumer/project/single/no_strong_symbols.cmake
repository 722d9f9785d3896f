# SPDX-License-Identifier: Apache-2.0
# cmake -D NM=nm -D OBJECTS=a.o;b.o -P no_strong_symbols.cmake
#
# Fails where an object defines something of nvdlac that two sources of a program could not both
# define, as a function that is not inline.
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} --defined-only --extern-only --demangle ${object}
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9a-f]+ [TDBRC] nvdlac::[^\n]*" strong "${symbols}")
  if(strong)
    list(JOIN strong "\n" strong)
    message(FATAL_ERROR "${object} defines what another source would define, too:\n${strong}")
  endif()
endforeach()
