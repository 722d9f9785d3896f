# SPDX-License-Identifier: Apache-2.0
"""A mistake of a user, NAME.cpp in this folder, and what compilers say of it."""
import functools
import os
import pathlib
import re
import shlex
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIRST = 5  # the lines that a reader sees first


class Compiler:
    """One line of the build's list: `g++ -std=c++20 ... -include HEADER`, HEADER precompiled."""

    def __init__(self, line):
        self.command = shlex.split(line)

    def compile(self, source, *flags, precompiled=True):
        """The exit status and the text, whose paths are relative to the root."""
        command = self.command if precompiled else self.command[:-2]
        done = subprocess.run([*command, *flags, str(source)], cwd=ROOT, text=True,
                              errors='replace', stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, 'LC_ALL': 'C'})
        return done.returncode, done.stdout.replace(f'{ROOT}/', '')

    @functools.cached_property
    def name(self):
        """"g++ 12", as docs/troubleshooting.md calls it."""
        macros = subprocess.run([self.command[0], '-dM', '-E', '-x', 'c++', os.devnull], check=True,
                                text=True, stdout=subprocess.PIPE).stdout
        family, key = (('clang++', '__clang_major__') if '__clang__' in macros else
                       ('g++', '__GNUC__'))
        return f"{family} {re.search(rf'{key} ([0-9]+)', macros)[1]}"


def compilers(path):
    return [Compiler(line) for line in pathlib.Path(path).read_text().splitlines()]


class Mistake:
    def __init__(self, name):
        self.name = name
        self.text = (HERE / f'{name}.cpp').read_text()

    def comments(self, key):
        found = re.findall(rf'^// {key}: (.+(?:\n//  +.+)*)$', self.text, re.MULTILINE)
        return [re.sub(r'\s*\n//\s+', ' ', text.rstrip()) for text in found]

    def said_by(self, compiler):
        source = f'tests/fail/{self.name}.cpp'
        status, text = compiler.compile(source)
        header = compiler.command[-1].removeprefix(f'{ROOT}/')
        if f'from {header}:' in text:  # not by the user
            status, text = compiler.compile(source, precompiled=False)
        return status, text


def names():
    return sorted(path.stem for path in HERE.glob('*.cpp'))
