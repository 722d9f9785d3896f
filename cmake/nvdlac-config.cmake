# SPDX-License-Identifier: Apache-2.0
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac-targets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/nvdlac_add_cli.cmake)
