# SPDX-License-Identifier: Apache-2.0
"""Conan's recipe of the headers: `conan create packaging/conan` in the repository.

It requires no other recipe: nvdlac::headers and programs in ROM need no library, and what reads
models and pictures finds protobuf, stb and the others as they are installed in the system.
"""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Nvdlac(ConanFile):
    name = 'nvdlac'
    description = 'Compiler, emitter and bit-accurate simulator for NVDLA, as C++20 headers'
    license = 'Apache-2.0'
    topics = 'nvdla', 'compiler', 'simulator', 'deep-learning', 'header-only'
    package_type = 'header-library'
    settings = 'os', 'arch', 'compiler', 'build_type'

    @property
    def repository(self):
        return os.path.join(self.recipe_folder, '..', '..')

    def set_version(self):
        header = load(self, os.path.join(self.repository, 'include/nvdlac/base/version.hpp'))
        self.version = '.'.join(re.findall(r'define NVDLAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)',
                                           header))

    def export_sources(self):
        for part in ('CMakeLists.txt', 'LICENSE', '*.md', 'cmake/*', 'docs/*', 'examples/*',
                     'include/*', 'tools/nvdlac/*', 'tools/nvdlac_run/*'):
            copy(self, part, self.repository, self.export_sources_folder)

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.variables['NVDLAC_BUILD_TOOLS'] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install()

    def package_id(self):
        self.info.clear()

    def package_info(self):
        # CMake finds nvdlac's own package, which names the libraries that each part needs.
        self.cpp_info.set_property('cmake_find_mode', 'none')
        self.cpp_info.builddirs = ['share/cmake/nvdlac']
        self.cpp_info.bindirs, self.cpp_info.libdirs = [], []
