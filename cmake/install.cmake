# SPDX-License-Identifier: Apache-2.0
# Components that `cmake --install` installs: headers, also for CMake and pkg-config; runtime, the
# command alone; tools, its manual and completions; documentation, with the examples; python, the
# package of Python.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_DATADIR}/cmake/nvdlac)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME headers)
install(TARGETS nvdlac nvdlac_headers nvdlac_simulator EXPORT nvdlac-targets FILE_SET HEADERS)
install(EXPORT nvdlac-targets NAMESPACE nvdlac:: DESTINATION ${package})
if(NVDLAC_INSTALL_COMPILED)  # in a file of its own: others have no such libraries
  install(TARGETS nvdlac_common nvdlac_compiled EXPORT nvdlac-compiled-targets)
  install(EXPORT nvdlac-compiled-targets NAMESPACE nvdlac:: DESTINATION ${package})
  if(TARGET nvdlac_cli_common)  # which nvdlac_add_cli includes when it has found their libraries
    install(TARGETS nvdlac_cli_common nvdlac_cli_network EXPORT nvdlac-cli-targets)
    install(EXPORT nvdlac-cli-targets NAMESPACE nvdlac:: DESTINATION ${package})
  endif()
endif()
write_basic_package_version_file(nvdlac-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(DIRECTORY tools/nvdlac/ DESTINATION ${package}/cli)  # for nvdlac_add_cli
install(FILES ${PROJECT_BINARY_DIR}/tools/commit.cpp DESTINATION ${package}/cli OPTIONAL)
install(DIRECTORY cmake/product DESTINATION ${package})  # for nvdlac_add_product
install(DIRECTORY tools/nvdlac_run/ DESTINATION ${package}/run  # for nvdlac_add_run
  PATTERN CMakeLists.txt EXCLUDE)
install(FILES cmake/nvdlac-config.cmake cmake/dependencies.cmake cmake/nvdlac_add_cli.cmake
  cmake/nvdlac_add_network.cmake cmake/nvdlac_add_product.cmake cmake/nvdlac_add_run.cmake
  cmake/nvdlac_commit.cmake
  cmake/nvdlac_compiled.cmake cmake/nvdlac_configurations.cmake cmake/nvdlac_page.cmake
  cmake/write_weights.cmake
  ${PROJECT_BINARY_DIR}/nvdlac-config-version.cmake DESTINATION ${package})

# For pkg-config: nvdlac-headers needs nothing, nvdlac all that this build found.
set(flags "")
set(libraries "")
foreach(target IN ITEMS nvdlac::keras_libraries nvdlac::pytorch_libraries
    nvdlac::webp_libraries)
  get_target_property(defined ${target} INTERFACE_COMPILE_DEFINITIONS)
  get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
  if(defined)
    list(TRANSFORM defined PREPEND "-D")
    list(TRANSFORM folders PREPEND "-I")
    list(APPEND flags ${defined} ${folders})
    list(APPEND libraries ${linked})
  endif()
endforeach()
list(APPEND libraries ${STB_LIBRARY} -pthread)
foreach(folder IN LISTS CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)  # /usr/lib/libstb.so is -lstb
  list(TRANSFORM libraries REPLACE "^${folder}/lib([^/]+)[.](so|a)$" "-l\\1")
endforeach()
list(REMOVE_DUPLICATES flags)
list(REMOVE_DUPLICATES libraries)
list(JOIN flags " " flags)
list(JOIN libraries " " libraries)
set(names nvdlac-headers)
if(STB_LIBRARY)
  list(APPEND names nvdlac)
endif()
foreach(name IN LISTS names)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
endforeach()

foreach(component IN ITEMS headers runtime)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${component})
endforeach()
if(TARGET nvdlac_run)
  install(TARGETS nvdlac_run RUNTIME COMPONENT runtime)
endif()
if(TARGET nvdlac_cli)
  install(TARGETS nvdlac_cli RUNTIME COMPONENT runtime)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR}
    COMPONENT tools OPTIONAL)
endif()
# Where Debian's Python finds packages; that of another prefix is told by PYTHONPATH.
if(TARGET nvdlac_python)
  install(TARGETS nvdlac_python LIBRARY DESTINATION lib/python3/dist-packages/nvdlac
    COMPONENT python)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/nvdlac DESTINATION lib/python3/dist-packages
    COMPONENT python PATTERN __pycache__ EXCLUDE PATTERN *.so EXCLUDE)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT python)
endif()
install(FILES README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation)
