#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every header compiles alone: headers.py INCLUDE_DIR BUILD_DIR CLANG COMPILER FLAG...

Whether a header includes what it uses is the same question to every compiler, so that it is put to
clang, the quicker one, which also instantiates in a precompiled header what that needs. Some of the
headers are precompiled, and a header is compiled on one of these only if it includes that one,
directly or not, so that it finds nothing there that it would not find alone. COMPILER, which may
warn of other things, compiles all headers in one translation unit. Where CLANG is `none` COMPILER
compiles each of them, on nothing.

A header that passed is not compiled again before it, or one that it includes, changes.
"""
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

PRECOMPILED = 20


class headers:
    """The headers of the project in a folder, and what each of them includes."""

    def __init__(self, folder):
        self.folder = folder
        self.names = sorted(p.relative_to(folder).as_posix() for p in folder.rglob('*.hpp'))
        self.included = {n: set(re.findall(r'^#include [<"]([^>"]+)', self.text(n), re.M))
                         for n in self.names}
        self.closures = {}
        self.bases = []
        self.choose_bases()

    def text(self, name):
        return (self.folder / name).read_text()

    def closure(self, name):
        """`name` and what it includes; of what is not of the project only the names."""
        if name not in self.closures:
            below = map(self.closure, self.included.get(name, ()))
            self.closures[name] = {name}.union(*below)
        return self.closures[name]

    def choose_bases(self):
        """Each next base saves most: files, not to be read again by those who include it. It is
        not compiled on a base itself."""
        saved = dict.fromkeys(self.names, 0)

        def gain(base):
            size = len(self.closure(base))
            return sum(max(0, size - saved[n]) for n in self.names
                       if n != base and base in self.closure(n)) - saved[base]
        for _ in range(PRECOMPILED):
            base = max(self.names, key=gain)
            self.bases.append(base)
            for n in self.names:
                if base in self.closure(n):
                    saved[n] = max(saved[n], len(self.closure(base)))

    def base(self, name):
        """The one of the bases that `name` includes which saves most."""
        below = [b for b in self.bases if b != name and b in self.closure(name)]
        return max(below, key=lambda b: len(self.closure(b)), default=None)

    def digest(self, name, command):
        result = hashlib.sha256('\0'.join(map(str, command)).encode())
        for header in sorted(self.closure(name).intersection(self.names)):
            result.update((self.folder / header).read_bytes())
        return result.hexdigest()


def said_by(*command, source=''):
    """What the compiler says against the source; empty if nothing."""
    done = subprocess.run(command, input=source, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    return (done.stdout or f'failed: {command}') if done.returncode else ''


class check:
    def __init__(self, folder, build, clang, command):
        self.all = headers(folder)
        self.build = build
        self.clang = clang
        self.command = command
        self.alone = [clang or command[0], *command[1:]]

    def passed(self, name, command, compile):
        """What compile() says, if that is not known to be nothing."""
        stamp = self.build / (name.replace('/', '.') + '.passed')
        digest = self.all.digest(name, command)
        if stamp.exists() and stamp.read_text() == digest:
            return ''
        said = compile()
        if not said:
            stamp.write_text(digest)
        return said

    def precompiled(self, name):
        return self.build / (name.replace('/', '.') + '.pch')

    def precompile(self, name):
        """Its source is as old as what was made of it, or the compiler refuses that."""
        def compile():
            source = self.build / name.replace('/', '.')
            source.write_text(f'#include <{name}>\n')
            return said_by(*self.alone, '-x', 'c++-header', source, '-fpch-instantiate-templates',
                           '-o', self.precompiled(name))
        return self.passed(name, self.alone, compile)

    def compile(self, name):
        base = self.all.base(name) if self.clang else None
        on = ['-include-pch', self.precompiled(base)] if base else []
        return self.passed(name, self.alone, lambda: said_by(
            *self.alone, *on, '-fsyntax-only', '-x', 'c++', '-', source=f'#include <{name}>\n'))

    def compile_all(self):
        source = ''.join(f'#include <{n}>\n' for n in self.all.names)
        return said_by(*self.command, '-fsyntax-only', '-x', 'c++', '-', source=source)

    def run(self):
        bases = self.all.bases if self.clang else []
        others = [n for n in self.all.names if n not in bases]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            said = [*pool.map(self.precompile, bases)]
            together = pool.submit(self.compile_all) if self.clang else None
            said += pool.map(self.compile, others)
            said += [together.result()] if together else []
        print('\n'.join(filter(None, said)) or f'{len(self.all.names)} headers compile alone')
        return any(said)


def main(folder, build, clang, *command):
    folder, build = pathlib.Path(folder), pathlib.Path(build)
    build.mkdir(parents=True, exist_ok=True)
    return check(folder, build, '' if clang == 'none' else clang, command).run()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
