#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a compiler of an older C++ says: older_cpp.py ROOT COMPILER FLAG...

All headers, whichever a user includes first, begin with base/version.hpp, so that each compiler
says one sentence and stops. Those that include no other one of nvdlac have to include it; then it
is first in all of them.
"""
import pathlib
import re
import subprocess
import sys

root, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
FIRST = 'nvdlac/base/version.hpp'
wrong = []

for path in sorted((root / 'include').rglob('*.hpp')):
    name = path.relative_to(root / 'include').as_posix()
    own = re.search(r'^#include <(nvdlac/.+)>', path.read_text(), re.M)
    if name != FIRST and not own:
        wrong.append(f'{name} does not include {FIRST}')
    elif own and re.search(r'^(namespace|template|struct)', path.read_text()[:own.start()], re.M):
        wrong.append(f'{name} has code before its first header of nvdlac')

for folder, header in [('include', 'nvdlac/nvdlac.hpp'),
                       ('include', 'nvdlac/hw/configurations.hpp'),
                       ('include', 'nvdlac/program.hpp'), ('single_include', 'nvdlac/nvdlac.hpp')]:
    done = subprocess.run([*command, f'-I{root / folder}', '-x', 'c++', '-'], text=True,
                          input=f'#include <{header}>\nint main() {{}}\n',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sentence = 'nvdlac needs C++20: compile with -std=c++20'
    errors = re.findall(r'error: (.*)', done.stdout)
    said = [e for e in errors if sentence in e]
    if done.returncode == 0 or len(said) != 1 or len(errors) > 2:
        wrong.append(f'{folder}/{header} gives {len(errors)} errors, not that {sentence}:\n'
                     + done.stdout[:2000])

print('\n'.join(wrong) or 'one sentence each')
sys.exit(bool(wrong))
