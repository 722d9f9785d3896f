# SPDX-License-Identifier: Apache-2.0
# cmake -D FOLDER=folder -D NAME=name -D CONFIGS=config;.. -P write_weights.cmake
#
# Writes name.weights.cpp, whose constants name_config_weights are the images
# name.config.weights.bin: assembler alone, so that no other language than C++ is needed. Compiler
# caches do not look into the files of .incbin; by the digests they notice other weights.
set(source "")
foreach(config IN LISTS CONFIGS)
  set(symbol ${NAME}_${config}_weights)
  set(image ${FOLDER}/${NAME}.${config}.weights.bin)
  file(SHA256 ${image} digest)
  string(APPEND source "asm(R\"(.pushsection .rodata\n/* SHA-256 ${digest} */\n.balign 64\n"
    ".global ${symbol}\n${symbol}:\n.incbin \"${image}\"\n.popsection)\");\n")
endforeach()
file(WRITE ${FOLDER}/${NAME}.weights.cpp "${source}")
