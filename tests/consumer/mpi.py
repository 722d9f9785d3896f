#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""MPI's wrapper of the compiler, which names headers that are not there: mpi.py CMAKE SOURCE CXX

So is a machine with Debian's openmpi-bin, which other packages bring, but without libopenmpi-dev.
What nvdlac_add_cli does with MPI is done in a project of its own: it is configured, without MPI,
and says for want of what.
"""
import pathlib
import subprocess
import sys
import tempfile

CMAKE, SOURCE, CXX = sys.argv[1:]
WRAPPER = '''#!/bin/sh
case $1 in
  -showme:compile) echo "-I{0}/include -pthread" ;;
  -showme:link) echo "-pthread -L{0}/lib -lmpi_cxx_that_is_missing" ;;
  -showme:incdirs) echo {0}/include ;;
  -showme:version) echo 'mpicxx: Open MPI 4.1.4 (Language: C++)' ;;
  *) exit 1 ;;
esac
'''
PROJECT = '''cmake_minimum_required(VERSION 3.22)
project(with_mpi LANGUAGES CXX)
include({}/cmake/nvdlac_add_cli.cmake)
add_library(part STATIC part.cpp)
nvdlac_cli_find_libraries()
nvdlac_cli_link_libraries(part)
get_target_property(has_mpi part NVDLAC_MPI)
message(STATUS "with MPI: ${{has_mpi}}")
'''


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrapper = folder / 'mpicxx'
        wrapper.write_text(WRAPPER.format(folder / 'absent'))
        wrapper.chmod(0o755)
        (folder / 'CMakeLists.txt').write_text(PROJECT.format(SOURCE))
        (folder / 'part.cpp').write_text('int part() { return 1; }\n')
        done = subprocess.run(
            [CMAKE, '-S', folder, '-B', folder / 'build', f'-DCMAKE_CXX_COMPILER={CXX}',
             f'-DMPI_CXX_COMPILER={wrapper}'],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == 0, done.stdout
        for words in ('without its development files', 'libopenmpi-dev',
                      'with MPI: has_mpi-NOTFOUND'):
            assert words in ' '.join(done.stdout.split()), (words, done.stdout)


main()
