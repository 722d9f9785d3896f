#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page.py COMPILERS: writes docs/troubleshooting.md from the compile-fail tests.

COMPILERS, in a build tests/fail/compilers.txt, must list g++ 12 and clang++ 16, see mistake.py.
"""
import re
import sys

from mistake import FIRST, HERE, ROOT, Mistake, compilers, names

PAGE = ROOT / 'docs/troubleshooting.md'
COMPILERS = ('g++ 12', 'clang++ 16')


def title(name):
    return name.replace('_', ' ').capitalize()


def block(compiler_name, text):
    """The first lines, without the line numbers of nvdlac's headers, which change often."""
    lines = [re.sub(r'(include/\S+?\.hpp)(:\d+)+', r'\1', line)
             for line in text.splitlines()[:FIRST]]
    return f'{compiler_name}:\n\n```\n' + '\n'.join(lines) + '\n```\n'


def told(mistake):
    """What it means, and the remedy."""
    means, remedy = (' '.join(mistake.comments(key)) for key in ('MEANS', 'REMEDY'))
    return f'{means}\n\n**Remedy.** {remedy}\n'


def quotes(mistake, compiler_name, text):
    """Whether the page has what this compiler says; true of compilers that it does not quote."""
    section = PAGE.read_text().partition(f'\n## {title(mistake.name)}\n')[2].partition('\n## ')[0]
    return compiler_name not in COMPILERS or (told(mistake) in section
                                              and block(compiler_name, text) in section)


def sections():
    return [found for found in names() if f'\n## {title(found)}\n' in PAGE.read_text()]


def section(mistake, by):
    said = [block(compiler.name, mistake.said_by(compiler)[1]) for compiler in by]
    return '\n'.join([f'## {title(mistake.name)}\n', told(mistake), *said,
                      f'([{mistake.name}.cpp](../tests/fail/{mistake.name}.cpp))\n'])


def main(listed):
    by = {compiler.name: compiler for compiler in compilers(listed)}
    if not by.keys() >= set(COMPILERS):
        sys.exit(f"needs {' and '.join(COMPILERS)}, has {', '.join(by)}")
    parts = [section(Mistake(name), [by[c] for c in COMPILERS]) for name in names()]
    PAGE.write_text('\n'.join([(HERE / 'page.md').read_text(), *parts]))


if __name__ == '__main__':
    main(*sys.argv[1:])
