#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds nvdlac-run for another processor and compares it, in an emulator, with `nvdlac run`, and
compiles the examples of boards.

cross.py NVDLAC SOURCE FOLDER ARCHITECTURE
    exit code 77 where the cross compiler or qemu-user is absent
"""
import pathlib
import re
import shutil
import subprocess
import sys


def run(*command, **how):
    return subprocess.run(command, check=True, **how)


def setting(toolchain, name):
    return re.search(rf'^set\({name} (\S+)\)$', toolchain.read_text(), re.M).group(1)


def tools(source, architecture):
    """The toolchain file of a processor, the name of its compilers and its emulator."""
    toolchain = source / 'cmake/toolchains' / f'{architecture}.cmake'
    triple = setting(toolchain, 'triple')
    emulator = f'qemu-{setting(toolchain, "emulated")}'
    for tool in (f'{triple}-g++', emulator):
        if not shutil.which(tool):
            print(f'skipped: there is no {tool}; `tools/setup --cross {architecture}` installs it')
            sys.exit(77)
    return toolchain, triple, emulator


def main(nvdlac, source, folder, architecture):
    source, folder = pathlib.Path(source), pathlib.Path(folder)
    toolchain, triple, emulator = tools(source, architecture)

    # Without libraries of the processor, in place of which there is an empty folder.
    run('cmake', '-S', source, '-B', folder / 'build', '--toolchain', toolchain,
        f'-DNVDLAC_SYSROOT={folder}/none', '-DNVDLAC_RUN_ONLY=ON',
        '-DNVDLAC_RUN_CONFIGURATIONS=nv_small', '-DCMAKE_CXX_FLAGS_RELEASE=-O1',
        '-DCMAKE_COMPILE_WARNING_AS_ERROR=ON', stdout=subprocess.DEVNULL)
    run('cmake', '--build', folder / 'build', stdout=subprocess.DEVNULL)
    # A board's own programs, against the light headers.
    for example in ('board', 'bridge'):
        run(f'{triple}-g++', '-std=c++20', '-Wall', '-Wextra', '-Wconversion', '-Werror',
            '-ffp-contract=off', '-D_FILE_OFFSET_BITS=64', '-DNVDLAC_COMPILED', '-I',
            source / 'include', '-c', source / 'examples' / example / 'main.cpp', '-o',
            folder / f'{example}.o')
    tool = folder / 'build/nvdlac-run'
    run(f'{triple}-strip', '-o', folder / 'stripped', tool)
    size = (folder / 'stripped').stat().st_size
    print(f'nvdlac-run of nv_small for {architecture}: {size} bytes')
    emulated = [emulator, '-L', f'/usr/{triple}', tool]

    digits = source / 'examples/digits'
    loadable = folder / 'digits.nvdla'
    run(nvdlac, 'compile', digits / 'digits.onnx', '--calibration', digits / 'calibration.idx',
        '--config', 'nv_small', '-o', loadable, '--quiet')
    pictures = sorted((digits / 'images').iterdir())[:4] + [digits / 'calibration.idx']
    for how in (['--raw'], []):
        want, got = (folder / f'{name}.npy' for name in ('want', 'got'))
        for command, output in ((nvdlac, 'run'), want), (emulated, got):
            run(*command, loadable, '--input', *pictures, '--output', output, *how)
        assert want.read_bytes() == got.read_bytes(), f'{got} is not {want}'
    printed = [run(*command, loadable, '--input', *pictures, stdout=subprocess.PIPE).stdout
               for command in ((nvdlac, 'run'), emulated)]
    assert printed[0] == printed[1] and printed[0].count(b'\n') > 100, printed

    # Errors are told, and end with the code of their kind.
    for words, code, told in (([], 2, 'name a LOADABLE'), ([loadable], 2, '--input is required'),
                              (['--wrong', loadable], 2, 'no option --wrong'),
                              ([loadable, '-c', 'nv_huge', '-i', 'x'], 2, 'no configuration'),
                              ([digits / 'digits.onnx', '-i', 'x'], 1, 'digits.onnx'),
                              ([loadable, '-i', 'absent.pgm'], 1, 'absent.pgm')):
        ended = subprocess.run([*emulated, *words], stderr=subprocess.PIPE, text=True)
        assert ended.returncode == code and told in ended.stderr, (words, ended)
    print('its outputs are those of `nvdlac run`')


if __name__ == '__main__':
    main(*sys.argv[1:])
