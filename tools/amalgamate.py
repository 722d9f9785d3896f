#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Joins the headers of nvdlac into single_include/nvdlac/nvdlac.hpp.

What nvdlac/nvdlac.hpp reaches comes first. All other rooms are for those who define NVDLAC_ROOMS,
and what one source of a program has, nvdlac/src.hpp, for the one that defines
NVDLAC_IMPLEMENTATION.

amalgamate.py          writes it
amalgamate.py --check  writes nothing; exit 1 if the committed file differs from what would be
                       written, or if a header cannot be reached from these and the readers of
                       models that programs include by themselves (import/further_readers.hpp)
"""
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
OWN = re.compile(r'^\s*#\s*include\s*<(nvdlac/[^>]+)>', re.M)
QUOTED = re.compile(r'\s*#\s*include\s*"')
FACE, SOURCE = 'nvdlac/nvdlac.hpp', 'nvdlac/src.hpp'
# The first is included where HDF5 is there alone, and by others in any case.
ROOMS = ['nvdlac/base/own_process.hpp', 'nvdlac/all.hpp',
         *(f'nvdlac/import/{f}.hpp' for f in ('caffe2', 'coreml', 'mxnet', 'pytorch')),
         'nvdlac/report/formats_page.hpp']
DROPPED = re.compile(r'#pragma once|// SPDX-License-Identifier:')
BODIES = re.compile(r'\n#ifndef NVDLAC_COMPILED\n#include <(nvdlac/impl/[^>]+[.]ipp)>\n#endif\n$')


def lines(name, seen):
    """The lines of a file and of the headers that it includes, without their bodies."""
    seen[name] = None
    text = BODIES.sub('\n', (TOP / 'include' / name).read_text())
    for number, line in enumerate(text.splitlines(), 1):
        header = OWN.match(line)
        if QUOTED.match(line):
            sys.exit(f'include/{name}:{number}: include own headers as <nvdlac/...>')
        if header and header[1] not in seen:
            yield from lines(header[1], seen)
        elif not header and not DROPPED.match(line):
            yield line


def headers_and_bodies(roots, seen):
    """The lines of these headers, with all that their bodies include; and those of the bodies."""
    headers, bodies, asked = [], [], set(seen)
    for root in roots:
        if root not in seen:
            headers += lines(root, seen)
    while left := [name for name in seen if name not in asked]:
        for name in left:
            asked.add(name)
            if body := BODIES.search((TOP / 'include' / name).read_text()):
                for header in OWN.findall((TOP / 'include' / body[1]).read_text()):
                    if header not in seen:
                        headers += lines(header, seen)
                bodies += lines(body[1], seen)
    return [*headers, '#if !defined(NVDLAC_COMPILED) || defined(NVDLAC_IMPLEMENTATION)', *bodies,
            '#endif']


def main():
    seen = {}  # in this order
    face = headers_and_bodies([FACE], seen)
    rooms = headers_and_bodies(ROOMS, seen)
    text = '\n'.join(['// SPDX-License-Identifier: Apache-2.0',
                      '// Made by tools/amalgamate.py from include/nvdlac; changes belong there.',
                      '#pragma once', *face,
                      '#if defined(NVDLAC_ROOMS) || defined(NVDLAC_IMPLEMENTATION)', *rooms,
                      '#endif', '#ifdef NVDLAC_IMPLEMENTATION', *lines(SOURCE, seen), '#endif', ''])
    single = TOP / 'single_include' / 'nvdlac' / 'nvdlac.hpp'
    if '--check' not in sys.argv[1:]:
        single.write_text(text)
        return 0
    every = {str(p.relative_to(TOP / 'include'))
             for kind in ('hpp', 'ipp') for p in (TOP / 'include').rglob(f'*.{kind}')}
    for name in sorted(every.difference(seen)):
        print(f'include/{name}: not reached from {", ".join([FACE, *ROOMS, SOURCE])}')
    if single.read_text() != text:
        print(f'{single.relative_to(TOP)}: out of date, run tools/amalgamate.py')
        return 1
    return int(every != set(seen))


sys.exit(main())
