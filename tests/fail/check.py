#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compile-fail tests: check.py COMPILERS NAME, check.py COMPILERS --fixed

COMPILERS lists them, see mistake.py. NAME.cpp beside this file is one mistake of a user. It tells

    // EXPECT: a regex that must match in the first lines of what each compiler says
    // MEANS: what the message means
    // REMEDY: what to do

As it stands it must not compile, for the expected reason, in few lines, and as
docs/troubleshooting.md quotes. --fixed: with -DFIXED all files must compile, so that a typing error
cannot pass as success.
"""
import pathlib
import re
import sys
import tempfile

import page
from mistake import FIRST, HERE, Mistake, compilers, names

LINES, CHARACTERS = 30, 20_000


def problems(mistake, compiler):
    status, text = mistake.said_by(compiler)
    print(f'{compiler.name}:\n{text[:CHARACTERS]}')
    for key in ('EXPECT', 'MEANS', 'REMEDY'):
        if not mistake.comments(key):
            yield f'no line "// {key}: ..."'
    if status == 0:
        yield 'it compiles'
    lines = text.splitlines()
    first = '\n'.join(lines[:FIRST]).replace('nvdlac::', '')  # g++ leaves some of these out
    for regex in mistake.comments('EXPECT'):
        if not re.search(regex, first):
            yield f'the first {FIRST} lines do not say: {regex}'
    if len(lines) > LINES or len(text) > CHARACTERS:
        yield f'{len(lines)} lines, {len(text)} characters; at most {LINES} and {CHARACTERS}'
    if not page.quotes(mistake, compiler.name, text):
        yield f'{page.PAGE.name} is out of date: write it by tests/fail/page.py'


def fixed_problems(compiler):
    """All files in one piece: each in a namespace of its own, behind all that they include."""
    texts = {name: Mistake(name).text for name in names()}
    piece = sorted({line for text in texts.values()
                    for line in re.findall(r'^#include <.*>$', text, re.MULTILINE)})
    for name, text in texts.items():
        body = f'#include "{HERE / name}.cpp"'
        # A specialisation of a template of nvdlac stands in no other namespace.
        piece += [body] if 'template <>' in text else [f'namespace {name} {{', body, '}']
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / 'fixed.cpp'
        path.write_text('\n'.join(piece) + '\n')
        status, text = compiler.compile(path, '-DFIXED')
    if status != 0:
        yield 'with -DFIXED they do not compile:\n' + text[:CHARACTERS]


def main(listed, what):
    found = []
    for compiler in compilers(listed):
        each = fixed_problems(compiler) if what == '--fixed' else problems(Mistake(what), compiler)
        found += [f'{what}, {compiler.name}: {problem}' for problem in each]
    if what == '--fixed' and page.sections() != names():
        found.append(f'{page.PAGE.name} does not have a section for each file')
    print('\n'.join(found))
    return bool(found)


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
