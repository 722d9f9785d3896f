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

# Keras' files are read by HDF5 and libarchive, where these are installed. CMake's own module would
# need a C compiler for the first.
find_path(NVDLAC_HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(NVDLAC_HDF5_LIBRARY NAMES hdf5_serial hdf5 PATH_SUFFIXES hdf5/serial)
find_path(NVDLAC_ARCHIVE_INCLUDE_DIR archive_entry.h)
find_library(NVDLAC_ARCHIVE_LIBRARY archive)
mark_as_advanced(NVDLAC_HDF5_INCLUDE_DIR NVDLAC_HDF5_LIBRARY NVDLAC_ARCHIVE_INCLUDE_DIR
  NVDLAC_ARCHIVE_LIBRARY)
option(NVDLAC_WITH_KERAS "Read Keras' files where HDF5 and libarchive are installed" ON)
if(NOT TARGET nvdlac::keras_libraries)
  add_library(nvdlac::keras_libraries INTERFACE IMPORTED GLOBAL)
  if(NOT NVDLAC_WITH_KERAS)
    message(STATUS "nvdlac: Keras' files are not read (NVDLAC_WITH_KERAS)")
  elseif(NVDLAC_HDF5_INCLUDE_DIR AND NVDLAC_HDF5_LIBRARY AND NVDLAC_ARCHIVE_INCLUDE_DIR AND
         NVDLAC_ARCHIVE_LIBRARY)
    set_target_properties(nvdlac::keras_libraries PROPERTIES
      INTERFACE_COMPILE_DEFINITIONS NVDLAC_KERAS=1
      INTERFACE_INCLUDE_DIRECTORIES "${NVDLAC_HDF5_INCLUDE_DIR};${NVDLAC_ARCHIVE_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${NVDLAC_HDF5_LIBRARY};${NVDLAC_ARCHIVE_LIBRARY}")
  else()
    message(STATUS "nvdlac: Keras' files are not read, for want of HDF5 or libarchive")
  endif()
endif()

# The archives of PyTorch's torch.export need libarchive alone.
option(NVDLAC_WITH_PYTORCH "Read PyTorch's exported programs where libarchive is installed" ON)
if(NOT TARGET nvdlac::pytorch_libraries)
  add_library(nvdlac::pytorch_libraries INTERFACE IMPORTED GLOBAL)
  if(NOT NVDLAC_WITH_PYTORCH)
    message(STATUS "nvdlac: PyTorch's exported programs are not read (NVDLAC_WITH_PYTORCH)")
  elseif(NVDLAC_ARCHIVE_INCLUDE_DIR AND NVDLAC_ARCHIVE_LIBRARY)
    set_target_properties(nvdlac::pytorch_libraries PROPERTIES
      INTERFACE_COMPILE_DEFINITIONS NVDLAC_PYTORCH=1
      INTERFACE_INCLUDE_DIRECTORIES "${NVDLAC_ARCHIVE_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${NVDLAC_ARCHIVE_LIBRARY}")
  else()
    message(STATUS "nvdlac: PyTorch's exported programs are not read, for want of libarchive")
  endif()
endif()
