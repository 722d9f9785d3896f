#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a compiler says that nvdlac does not compile with: one sentence, whichever header comes
first. one_sentence.py ROOT older_cpp|debug_mode COMPILER FLAG...

All headers begin with base/version.hpp, which refuses an older C++. Those that include no other
one of nvdlac have to include it; then it is first in all of them. Those with constexpr functions
of vectors reach base/constexpr_vector.hpp, which refuses a debug mode that has none.
"""
import pathlib
import re
import subprocess
import sys

root, why, command = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
FIRST = 'nvdlac/base/version.hpp'
SENTENCE = {'older_cpp': 'nvdlac needs C++20: compile with -std=c++20',
            'debug_mode': 'nvdlac needs constexpr vectors: use GCC 14, or '
                          '-D_GLIBCXX_ASSERTIONS for _GLIBCXX_DEBUG'}[why]
wrong = []

for path in sorted((root / 'include').rglob('*.hpp')):
    name = path.relative_to(root / 'include').as_posix()
    own = re.search(r'^#include <(nvdlac/.+)>', path.read_text(), re.M)
    if name != FIRST and not own:
        wrong.append(f'{name} does not include {FIRST}')
    elif own and re.search(r'^(namespace|template|struct)', path.read_text()[:own.start()], re.M):
        wrong.append(f'{name} has code before its first header of nvdlac')

for folder, header in [('include', 'nvdlac/nvdlac.hpp'), ('include', 'nvdlac/all.hpp'),
                       ('include', 'nvdlac/net/tensor.hpp'),
                       ('include', 'nvdlac/hw/configurations.hpp'),
                       ('include', 'nvdlac/register_program.hpp'),
                       ('include', 'nvdlac/program.hpp'), ('single_include', 'nvdlac/nvdlac.hpp')]:
    done = subprocess.run([*command, f'-I{root / folder}', '-x', 'c++', '-'], text=True,
                          input=f'#include <{header}>\nint main() {{}}\n',
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if why == 'debug_mode' and done.returncode == 0:
        continue  # a firmware's data have no vector, and GCC 14's are fine
    errors = re.findall(r'error: (.*)', done.stdout)
    said = [e for e in errors if SENTENCE in e]
    if done.returncode == 0 or len(said) != 1 or len(errors) > 2:
        wrong.append(f'{folder}/{header} gives {len(errors)} errors, not that {SENTENCE}:\n'
                     + done.stdout[:2000])

print('\n'.join(wrong) or 'one sentence each')
sys.exit(bool(wrong))
