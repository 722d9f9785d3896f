#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what README.md and docs/schedule.md quote: readme.py ROOT COMPILER FLAG...

The C++ programs must be those of PROGRAMS, in their order, of at most 25 lines each, and each line
of the quoted error must be in what g++ says of tests/fail/lrn_size.cpp; of another compiler's error
only the label and the layer's name. From the package to the proof are three short commands.
Policies of the page are those of tests/schedule/policies.cpp.
"""
import pathlib
import re
import subprocess
import sys

root, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
readme = (root / 'README.md').read_text()
blocks = re.findall(r'^```(\w*)[^\n]*\n(.*?)^```$', readme, re.M | re.S)
wrong = []

PROGRAMS = ['first_program', 'network_in_cpp']
quoted = [text for language, text in blocks if language == 'cpp']
if len(quoted) != len(PROGRAMS):
    wrong.append(f'there are {len(quoted)} programs, not {len(PROGRAMS)}')
for name, text in zip(PROGRAMS, quoted):
    if text != (root / f'examples/{name}/main.cpp').read_text().split('\n', 1)[1]:
        wrong.append(f'a program is not examples/{name}/main.cpp')
    if text.count('\n') > 25:
        wrong.append(f'{name} has more than 25 lines')

page = re.findall(r'^```cpp\n(.*?)^```$', (root / 'docs/schedule.md').read_text(), re.M | re.S)
policies = (root / 'tests/schedule/policies.cpp').read_text()
if not any(text in policies for text in page):
    wrong.append('no policies of docs/schedule.md are those of tests/schedule/policies.cpp')

path = [line for language, text in blocks if language == 'sh' for line in text.splitlines()
        if 'apt install' in line or 'my.onnx' in line]
if len(path) != 3 or max(map(len, path)) > 80:
    wrong.append(f'these are not three commands of at most 80 characters: {path}')
tried = (root / 'packaging/try').read_text()
wrong += [f'packaging/try does not run: {line}' for line in path
          if 'apt install' not in line and f"inside '{line}'\n" not in tried]

quoted = next(text for language, text in blocks if not language).strip().split('\n')
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
