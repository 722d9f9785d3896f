#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the firmware of examples/bare_metal gives the bytes of `nvdlac run`.

bare_metal.py NVDLAC SIMULATOR EXAMPLES --run FIRMWARE
bare_metal.py NVDLAC SIMULATOR EXAMPLES --build FOLDER PREFIX COMPILER EMULATOR
    builds the firmware with a cross compiler and an installed nvdlac first, prints its sizes, and
    runs it in the emulator; exit code 77 where compiler or emulator are absent
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def run(*command):
    subprocess.run(command, check=True)


def skip(reason):
    print(f'skipped: {reason}; `tools/setup ci` installs what is missing')
    sys.exit(77)


def build(example, folder, prefix, compiler, emulator):
    for tool in (compiler, emulator):
        if not shutil.which(tool):
            skip(f'there is no {tool}')
    headers = subprocess.run([compiler, '-std=c++20', '-fsyntax-only', '-x', 'c++', '-'],
                             input=b'#include <vector>', stderr=subprocess.DEVNULL)
    if headers.returncode:
        skip(f'{compiler} has no headers of C++')
    run('cmake', '-S', example, '-B', folder, '-DCMAKE_SYSTEM_NAME=Generic',
        '-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY', f'-DCMAKE_CXX_COMPILER={compiler}',
        f'-DCMAKE_PREFIX_PATH={prefix}', '-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror')
    run('cmake', '--build', folder)
    firmware = pathlib.Path(folder) / 'bare_metal_firmware'
    print_sizes(compiler.replace('g++', 'size'), pathlib.Path(folder), firmware)
    return [emulator, firmware]


def print_sizes(size, folder, firmware):
    """Bytes of code, constants and variables of each object and of all."""
    print(f'{"file":22}{"text":>8}{"rodata":>8}{"data":>8}{"bss":>8}')
    for file in [*sorted(folder.rglob('*.obj')), firmware]:
        listed = subprocess.run([size, '-A', file], stdout=subprocess.PIPE, text=True, check=True)
        bytes_of = dict.fromkeys(('text', 'rodata', 'data', 'bss'), 0)
        for section, count in re.findall(r'^\.(\S+)\s+(\d+)', listed.stdout, re.M):
            kind = re.sub('^s(?=rodata|data|bss)', '', section.split('.')[0])
            if kind in bytes_of:
                bytes_of[kind] += int(count)
        print(f'{file.name:22}' + ''.join(f'{n:8}' for n in bytes_of.values()), flush=True)


def main(nvdlac, simulator, examples, how, *arguments):
    examples = pathlib.Path(examples)
    pictures = examples / 'digits' / 'calibration.idx'
    firmware = [*arguments] if how == '--run' else build(examples / 'bare_metal', *arguments)
    model = examples / 'digits' / 'digits.onnx'

    def results():
        """The loadable, what `nvdlac run` makes of it, and what the firmware gives."""
        with tempfile.TemporaryDirectory() as folder:
            loadable, expected, given = (pathlib.Path(folder) / n for n in ('d', 'e.npy', 'r'))
            run(nvdlac, 'compile', model, '--calibration', pictures, '--config', 'nv_small',
                '-o', loadable)
            run(nvdlac, 'run', loadable, '--config', 'nv_small', '--input', pictures, '--raw',
                '-o', expected)
            run(simulator, pictures, given, *firmware)
            return loadable.read_bytes(), expected.read_bytes()[-1000:], given.read_bytes()

    first = results()
    _, want, got = first
    if want != got:
        wrong = [f'  picture {i // 10}, digit {i % 10}: {got[i]}, not {want[i]}'
                 for i in range(min(len(want), len(got))) if want[i] != got[i]]
        again = [name for name, a, b in zip(('loadable', '`nvdlac run`', 'firmware'), first,
                                            results()) if a != b]
        sys.exit('\n'.join([f'the firmware gives {len(got)} bytes, of which {len(wrong)} are not '
                            'those of `nvdlac run`', *wrong[:20],
                            f'a second time differ: {", ".join(again) or "none"}']))
    print(f'{len(got)} bytes are those of `nvdlac run`')


if __name__ == '__main__':
    main(*sys.argv[1:])
