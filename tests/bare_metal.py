#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the firmware of examples/bare_metal gives the bytes of `nvdlac run`, and gives up
where NVDLA falls silent.

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

PICTURES, DIGITS = 100, 10
GAVE_UP = 'the firmware gave up waiting for what never comes, and reset NVDLA\n'


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


def results(nvdlac, simulator, examples, firmware):
    """The loadable, what `nvdlac run` makes of it, and what the firmware gives."""
    pictures = examples / 'digits' / 'calibration.idx'
    with tempfile.TemporaryDirectory() as folder:
        loadable, expected, given = (pathlib.Path(folder) / n for n in ('d', 'e.npy', 'r'))
        run(nvdlac, 'compile', examples / 'digits' / 'digits.onnx', '--calibration', pictures,
            '--config', 'nv_small', '-o', loadable)
        run(nvdlac, 'run', loadable, '--config', 'nv_small', '--input', pictures, '--raw',
            '-o', expected)
        run(simulator, pictures, given, *firmware)
        return loadable.read_bytes(), expected.read_bytes()[-DIGITS * PICTURES:], given.read_bytes()


def expect_to_give_up(simulator, examples, firmware):
    """The firmware ends where its NVDLA computes no more, in the first layer or a later one."""
    for wait in (1, 8):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [simulator, f'--silent={wait}', examples / 'digits' / 'calibration.idx',
                 pathlib.Path(folder) / 'r', *firmware],
                stderr=subprocess.PIPE, text=True, timeout=60)
        if ended.returncode != 1 or ended.stderr != GAVE_UP:
            sys.exit(f'silent from wait {wait} on: exit code {ended.returncode}, {ended.stderr!r}')


def main(nvdlac, simulator, examples, how, *arguments):
    examples = pathlib.Path(examples)
    firmware = [*arguments] if how == '--run' else build(examples / 'bare_metal', *arguments)
    expect_to_give_up(simulator, examples, firmware)
    first = results(nvdlac, simulator, examples, firmware)
    _, want, got = first
    if want == got:
        print(f'{len(got)} bytes are those of `nvdlac run`')
        return
    print(f'the firmware gives {len(got)} bytes, `nvdlac run` {len(want)}; these differ:')
    for i in [i for i, (a, b) in enumerate(zip(want, got)) if a != b][:20]:
        print(f'  picture {i // DIGITS}, digit {i % DIGITS}: {got[i]}, not {want[i]}')
    second = results(nvdlac, simulator, examples, firmware)
    for name, a, b in zip(('loadable', 'result of `nvdlac run`', 'result of the firmware'), first,
                          second):
        print(f'a second time the {name} is {"the same" if a == b else "another"}')
    sys.exit(1)


if __name__ == '__main__':
    main(*sys.argv[1:])
