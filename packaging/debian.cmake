# SPDX-License-Identifier: Apache-2.0
# `cpack` in the folder of a build makes Debian packages: nvdlac, the command with its manual and the
# documentation; libnvdlac-dev, the headers, with nvdlac::compiled where NVDLAC_INSTALL_COMPILED asks
# for it; and python3-nvdlac, where the build makes the package of Python.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME nvdlac)
set(CPACK_PACKAGE_VENDOR "the nvdlac project")
# Who maintains the packages: who makes them, if Debian's tools know that (DEBEMAIL), or else the
# author of the last commit. Where there is neither, cpack asks for -DCPACK_PACKAGE_CONTACT=..
set(contact "")
set(address "$ENV{DEBEMAIL}")
if(NOT address)
  execute_process(COMMAND git log -1 --format=%ae WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
    OUTPUT_VARIABLE address OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(address MATCHES "<")
  set(contact ${address})
elseif(address)
  set(contact "nvdlac maintainers <${address}>")
endif()
set(CPACK_PACKAGE_CONTACT "${contact}" CACHE STRING "Who maintains the packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime tools documentation headers)
if(TARGET nvdlac_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/as_debian_wants.cmake)

set(about "A trained network (ONNX, Caffe, TensorFlow, PyTorch, Keras and others)
becomes a program for one configuration of the open deep learning
accelerator NVDLA: a standard loadable, a trace of registers, or
constants of a firmware. A bit-accurate simulator proves each program.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME nvdlac)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "libjs-chart.js, node-d3-zoom, graphviz")  # of pages
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "libnvdlac-dev")
set(CPACK_COMPONENT_COMMAND_DESCRIPTION "compiler and bit-accurate simulator for NVDLA\n${about}")

set(CPACK_DEBIAN_HEADERS_PACKAGE_NAME libnvdlac-dev)
set(CPACK_DEBIAN_HEADERS_PACKAGE_SECTION libdevel)
if(NOT NVDLAC_INSTALL_COMPILED)
  set(CPACK_DEBIAN_HEADERS_PACKAGE_ARCHITECTURE all)
endif()
set(CPACK_DEBIAN_HEADERS_PACKAGE_DEPENDS "libboost-dev (>= 1.74), libflatbuffers-dev, \
libprotobuf-dev, nlohmann-json3-dev, libstb-dev, libhdf5-dev, libarchive-dev, libwebp-dev")
set(CPACK_DEBIAN_HEADERS_PACKAGE_RECOMMENDS "nvdlac, libcli11-dev, g++ (>= 4:12), cmake (>= 3.24)")
set(CPACK_DEBIAN_HEADERS_PACKAGE_SUGGESTS "libsqlite3-dev, libpagmo-dev, libopenmpi-dev")  # nvdlac_add_cli
set(CPACK_COMPONENT_HEADERS_DESCRIPTION
  "compiler and bit-accurate simulator for NVDLA, C++20 headers\n${about}")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-nvdlac)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= ${NVDLAC_PYTHON_VERSION}), \
python3 (<< ${NVDLAC_PYTHON_BELOW}), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "nvdlac, python3-pandas, python3-matplotlib, python3-tqdm, python3-torch")
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
  "compiler and bit-accurate simulator for NVDLA, Python\n${about}")

include(CPack)
cpack_add_component_group(command)
foreach(component IN ITEMS runtime tools documentation)
  cpack_add_component(${component} GROUP command)
endforeach()
