#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a test of the simulator for RISC-V with vectors and runs it in an emulator, with vectors
of several lengths: the compilers that the tests are built with know none of them.

vectors.py SOURCE FOLDER
    exit code 77 where clang++-16, the cross compiler or qemu-riscv64 is absent
"""
import pathlib
import shutil
import subprocess
import sys


def main(source, folder):
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    triple = 'riscv64-linux-gnu'
    for tool in ('clang++-16', f'{triple}-g++', 'qemu-riscv64'):
        if not shutil.which(tool):
            print(f'skipped: there is no {tool}')
            sys.exit(77)
    folder.mkdir(parents=True, exist_ok=True)
    # The library of the cross compiler; of this machine's headers doctest alone.
    headers = pathlib.Path(f'/usr/{triple}/include')
    library = max((headers / 'c++').iterdir(), key=lambda version: int(version.name.split('.')[0]))
    (folder / 'doctest').unlink(missing_ok=True)
    (folder / 'doctest').symlink_to('/usr/include/doctest')
    compiler = ['clang++-16', f'--target={triple}', '-march=rv64gcv', '-std=c++20', '-O1',
                '-ffp-contract=off', '-Wall', '-Wextra', '-Wconversion', '-Werror',
                '-I', source / 'include', '-I', source / 'tests', '-isystem', library,
                '-isystem', library / triple, '-isystem', headers, '-isystem', folder]
    main_file = folder / 'main.cpp'
    main_file.write_text('#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN\n'
                         '#include <doctest/doctest.h>\n')
    objects = []
    for file in (source / 'tests/sim/convolution_core.cpp', main_file):
        objects.append(folder / f'{file.stem}.o')
        subprocess.run([*compiler, '-c', file, '-o', objects[-1]], check=True)
    program = folder / 'convolutions'
    subprocess.run([f'{triple}-g++', '-static', *objects, '-o', program], check=True)
    assert b'rvv' in program.read_bytes(), 'the functions with vectors are left out'
    for bits in (128, 512):
        told = subprocess.run(['qemu-riscv64', '-cpu', f'rv64,v=true,vlen={bits},vext_spec=v1.0',
                               program, '--test-case=*each instruction set*,sums that 32 bits*'],
                              check=True, stdout=subprocess.PIPE, text=True).stdout
        assert '2 passed' in told, told


main(*sys.argv[1:])
