#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the headers of nvdlac into single_include/nvdlac/nvdlac.hpp.

What nvdlac/nvdlac.hpp reaches comes first. All other rooms are for those who define NVDLAC_ROOMS, and
what one source of a program has, nvdlac/src.hpp, for the one that defines NVDLAC_IMPLEMENTATION.

amalgamate.py          writes it
amalgamate.py --check  writes nothing; exit 1 if the committed file differs from what would be
                       written, or if a header cannot be reached from these and the readers of models that
                       programs include by themselves (import/network.hpp)
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
OWN = re.compile(r'\s*#\s*include\s*<(nvdlac/[^>]+)>')
QUOTED = re.compile(r'\s*#\s*include\s*"')
FACE, SOURCE = 'nvdlac/nvdlac.hpp', 'nvdlac/src.hpp'
ROOMS = ['nvdlac/all.hpp',
         *(f'nvdlac/import/{f}.hpp' for f in ('caffe2', 'coreml', 'mxnet', 'pytorch'))]
DROPPED = re.compile(r'#pragma once|// SPDX-License-Identifier:')


def lines(name, seen):
    seen.add(name)
    for number, line in enumerate((TOP / 'include' / name).read_text().splitlines(), 1):
        header = OWN.match(line)
        if QUOTED.match(line):
            sys.exit(f'include/{name}:{number}: include own headers as <nvdlac/...>')
        if header and header[1] not in seen:
            yield from lines(header[1], seen)
        elif not header and not DROPPED.match(line):
            yield line


def main():
    seen = set()
    face = list(lines(FACE, seen))
    rooms = [line for root in ROOMS if root not in seen for line in lines(root, seen)]
    text = '\n'.join(['// SPDX-License-Identifier: Apache-2.0',
                      '// Made by tools/amalgamate.py from include/nvdlac; changes belong there.',
                      '#pragma once', *face,
                      '#if defined(NVDLAC_ROOMS) || defined(NVDLAC_IMPLEMENTATION)', *rooms, '#endif',
                      '#ifdef NVDLAC_IMPLEMENTATION', *lines(SOURCE, seen), '#endif', ''])
    single = TOP / 'single_include' / 'nvdlac' / 'nvdlac.hpp'
    if '--check' not in sys.argv[1:]:
        single.write_text(text)
        return 0
    every = {str(p.relative_to(TOP / 'include')) for p in (TOP / 'include').rglob('*.hpp')}
    for name in sorted(every - seen):
        print(f'include/{name}: not reached from {", ".join([FACE, *ROOMS, SOURCE])}')
    if single.read_text() != text:
        print(f'{single.relative_to(TOP)}: out of date, run tools/amalgamate.py')
        return 1
    return int(every != seen)


sys.exit(main())
