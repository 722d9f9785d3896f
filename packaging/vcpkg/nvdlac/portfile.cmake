# SPDX-License-Identifier: Apache-2.0
# vcpkg's port of the headers, of the repository that it lies in:
#   vcpkg install nvdlac --overlay-ports=packaging/vcpkg
# It requires no other port: nvdlac::headers and programs in ROM need no library, and what reads
# models and pictures finds protobuf, stb and the others as they are installed in the system.
set(VCPKG_BUILD_TYPE release)  # there is nothing but headers
cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DNVDLAC_BUILD_TOOLS=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/nvdlac)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug" "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
