#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks one compile-fail test: check.py FILE.cpp COMPILER FLAG...

The file names the expected error in one or more lines `// EXPECT: <regex>`. As it stands it must
not compile, every expectation must be found in what the compiler says, and what it says must be
short enough to read. With -DFIXED it must compile, so that a typing error cannot pass as success.
"""
import pathlib
import re
import subprocess
import sys

LINES, CHARACTERS = 200, 20_000


def compile(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace')
    return done.returncode, done.stdout


def problems(source, command):
    expected = re.findall(r'^// EXPECT: (.+?)\s*$', pathlib.Path(source).read_text(), re.MULTILINE)
    if not expected:
        yield 'no line "// EXPECT: <regex>"'
    status, said = compile([*command, source])
    if status == 0:
        yield 'it compiles'
    # Compilers quote source lines; a quoted expectation is no evidence.
    evidence = '\n'.join(line for line in said.splitlines() if 'EXPECT' not in line)
    for regex in expected:
        if not re.search(regex, evidence):
            yield f'the error does not say: {regex}'
    if len(said.splitlines()) > LINES or len(said) > CHARACTERS:
        yield (f'the error is too long: {len(said.splitlines())} lines, {len(said)} characters '
               f'(at most {LINES} and {CHARACTERS})')
    status, fixed = compile([*command, '-DFIXED', source])
    if status != 0:
        yield 'with -DFIXED it does not compile:\n' + fixed[:CHARACTERS]
    print(said[:CHARACTERS])


if __name__ == '__main__':
    found = list(problems(sys.argv[1], sys.argv[2:]))
    for problem in found:
        print(f'{sys.argv[1]}: {problem}')
    sys.exit(bool(found))
