#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what README.md quotes: readme.py ROOT COMPILER FLAG...

The C++ program must be examples/first_program/main.cpp, of at most 25 lines, and each line of the
quoted error must be in what g++ says of tests/fail/lrn_size.cpp; of another compiler's error only
the label and the layer's name.
"""
import pathlib
import re
import subprocess
import sys

root, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
readme = (root / 'README.md').read_text()
blocks = dict(re.findall(r'^```(\w*)\n(.*?)^```$', readme, re.M | re.S))
wrong = []

example = (root / 'examples/first_program/main.cpp').read_text()
if blocks['cpp'] != example.split('\n', 1)[1]:
    wrong.append('the program is not examples/first_program/main.cpp')
if blocks['cpp'].count('\n') > 25:
    wrong.append('the program has more than 25 lines')

quoted = blocks[''].strip().split('\n')
said = subprocess.run([*command, root / 'tests/fail/lrn_size.cpp'], stdin=subprocess.DEVNULL,
                      stderr=subprocess.PIPE, text=True).stderr
gcc = '__clang__' not in subprocess.run([command[0], '-dM', '-E', '-x', 'c++', '/dev/null'],
                                        stdout=subprocess.PIPE, text=True).stdout
plain = lambda text: re.sub("[‘’']", "'", text)  # quotation marks follow the locale
if not gcc:
    said = said.replace('nvdlac::', '')
    quoted = re.findall('unsupported<[^>]*>|"norm"', '\n'.join(quoted).replace('nvdlac::', ''))
wrong += ['the compiler does not say: ' + line for line in quoted if plain(line) not in plain(said)]

print('\n'.join(wrong) or 'README.md quotes what is true')
sys.exit(bool(wrong))
