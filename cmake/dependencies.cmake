# SPDX-License-Identifier: Apache-2.0
# What the headers include. Used by the build tree and by the installed package alike.
# Imported targets are system includes, so their warnings are not ours.
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(Boost 1.74)
find_dependency(Protobuf)
find_dependency(FlatBuffers CONFIG)
find_dependency(nlohmann_json CONFIG)

# Debian's libstb-dev has no CMake package; it brings the compiled code of stb_image.
if(NOT TARGET stb::stb)
  find_path(STB_INCLUDE_DIR stb/stb_image.h REQUIRED)
  find_library(STB_LIBRARY stb REQUIRED)
  mark_as_advanced(STB_INCLUDE_DIR STB_LIBRARY)
  add_library(stb::stb UNKNOWN IMPORTED)
  set_target_properties(stb::stb PROPERTIES IMPORTED_LOCATION ${STB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${STB_INCLUDE_DIR})
endif()
