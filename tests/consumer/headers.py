#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every header compiles alone: headers.py INCLUDE_DIR BUILD_DIR CLANG COMPILER FLAG...

Whether a header includes what it uses is the same question to every compiler, so that it is put to
clang, which answers it for all of them at a time: each is a submodule, in which nothing is visible
but what it includes, itself or by others. There the bodies of impl/ are not included by their
headers (NVDLAC_COMPILED), and each of them compiles alone as well. The single header has all
headers and bodies in one translation unit, where consumer.single asks the compiler of the build for
its warnings. Where CLANG is `none`, COMPILER compiles each header by itself.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

SOURCES = {'nvdlac/src.hpp'}  # one source of a program includes it, and it is compiled for long
TEXTUAL = {'arm_neon.h', 'immintrin.h', 'riscv_vector.h'}  # of the compiler, and in no module


def said_by(*command, source=''):
    """What the compiler says against the source; empty if nothing."""
    done = subprocess.run(command, input=source, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return (done.stdout or f'failed: {command}') if done.returncode else ''


def search_path(command):
    """The folders in which the compiler looks for headers."""
    said = subprocess.run([*command, '-E', '-v', '-x', 'c++', '-'], input='', text=True,
                          capture_output=True, check=True).stderr
    listed = said.split('#include <...> search starts here:\n')[1].split('End of search list')[0]
    return [pathlib.Path(line.strip()) for line in listed.splitlines()]


def module(name, submodules):
    lines = [f'  module m{n} {{ ' + ' '.join(f'header "{f}"' for f in files) + ' export * }'
             for n, files in enumerate(submodules)]
    return '\n'.join([f'module {name} {{', *lines, '}', ''])


def module_map(folder, names, command):
    """Each header is a submodule of nvdlac, each library that it includes one of external: headers
    of one library include each other in circles, which submodules must not."""
    folders, libraries = search_path(command), {}
    included = {i for n in names
                for i in re.findall(r'^#include <([^\s>]+)>', (folder / n).read_text(), re.M)}
    for i in sorted(included.difference(names, TEXTUAL)):
        file = next(f / i for f in folders if (f / i).exists())
        libraries.setdefault(tuple(i.split('/')[:2]), []).append(file)
    return (module('external [system]', libraries.values()) +
            module('nvdlac', ([folder / n] for n in names)))


def compile_as_modules(folder, names, build, command):
    text = build / 'module.modulemap'
    text.write_text(module_map(folder, names, command))
    return said_by(*command, '-fmodules', '-fno-implicit-module-maps', f'-fmodule-map-file={text}',
                   f'-fmodules-cache-path={build}', '-Xclang',
                   '-fmodules-local-submodule-visibility', '-Xclang', '-emit-module',
                   '-fmodule-name=nvdlac', '-x', 'c++', '-c', text, '-o', build / 'nvdlac.pcm')


def finds_what_is_missing(build, command):
    """Of two headers, the second uses what the first alone includes."""
    build.mkdir(parents=True, exist_ok=True)
    (build / 'first.hpp').write_text('#pragma once\n#include <array>\n')
    (build / 'second.hpp').write_text('#pragma once\ninline std::array<int, 2> pair{};\n')
    return 'array' in compile_as_modules(build, ['first.hpp', 'second.hpp'], build, command)


def main(folder, build, clang, *command):
    folder, build = pathlib.Path(folder).resolve(), pathlib.Path(build).resolve()
    build.mkdir(parents=True, exist_ok=True)
    if clang != 'none' and not finds_what_is_missing(build / 'probe', [clang, *command[1:]]):
        sys.exit(f'{clang} does not see that a header lacks an include')
    names = sorted({p.relative_to(folder).as_posix() for p in folder.rglob('*.hpp')
                    if p.parent.name != 'src'} - SOURCES)

    def parse(header):
        return said_by(*command, '-fsyntax-only', '-x', 'c++', '-', source=f'#include <{header}>\n')
    if clang == 'none':
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(parse, names))
    else:
        bodies = [p.relative_to(folder).as_posix() for p in folder.rglob('*.ipp')]
        said = [compile_as_modules(folder, sorted([*names, *bodies]), build,
                                   [clang, *command[1:], '-DNVDLAC_COMPILED'])]
    print('\n'.join(filter(None, said)) or f'{len(names)} headers compile alone')
    return any(said)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
