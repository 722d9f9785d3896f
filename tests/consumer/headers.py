#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every header compiles alone: headers.py INCLUDE_DIR BUILD_DIR COMPILER FLAG...

A header that passed is not compiled again before it, or one that it includes, changes. Most of the
time goes into what many include, so that some are precompiled. A header is compiled on one of these
only if it includes that one, directly or not, so it finds nothing there that it would not find
alone.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

# Of those that a header includes, the last one is used.
PRECOMPILED = [f'nvdlac/{name}.hpp' for name in (
    'base/error', 'net/operation', 'quantised/operators', 'net/graph', 'import/protobuf',
    'net/operators', 'import/onnx/context')]


def closure(folder, name, known={}):
    """`name` and the headers of the project that it includes, directly or not."""
    if name not in known:
        included = re.findall(r'^#include <(nvdlac/[^>]+)>', (folder / name).read_text(), re.M)
        known[name] = {name}.union(*(closure(folder, i) for i in included))
    return known[name]


def compile(command, source):
    done = subprocess.run(command, input=source, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return done.stdout if done.returncode else ''


def precompiled(build, name):
    return build / name.replace('/', '.')


def problem(folder, build, command, name):
    """What the compiler says against the header; empty if nothing."""
    headers = closure(folder, name)
    digest = hashlib.sha256('\0'.join(command).encode())
    for header in sorted(headers):
        digest.update((folder / header).read_bytes())
    stamp = build / (name.replace('/', '.') + '.passed')
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return ''
    if name in PRECOMPILED:
        alone = precompiled(build, name)
        alone.write_text(f'#include <{name}>\n')
        said = compile([*command, '-x', 'c++-header', alone, '-o', f'{alone}.gch'], '')
    else:
        use = [['-include', precompiled(build, p)] for p in PRECOMPILED if p in headers][-1:]
        said = compile([*command, '-fsyntax-only', *sum(use, []), '-x', 'c++', '-'],
                       f'#include <{name}>\n')
    if not said:
        stamp.write_text(digest.hexdigest())
    return said


def main(folder, build, *command):
    folder, build = pathlib.Path(folder), pathlib.Path(build)
    build.mkdir(parents=True, exist_ok=True)
    names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob('*.hpp'))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        said = [message for some in (PRECOMPILED, sorted(set(names) - set(PRECOMPILED)))
                for message in pool.map(lambda n: problem(folder, build, command, n), some)]
    print('\n'.join(filter(None, said)) or f'{len(names)} headers compile alone')
    return any(said)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
