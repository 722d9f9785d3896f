#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes nvdlac/_options.pyi, the types of the keywords that nvdlac's functions take, from the
definitions of the command line's options, which the module tells.

write_stubs.py FOLDER
    in which the package nvdlac lies
"""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(folder))
sys.dont_write_bytecode = True
from nvdlac import _nvdlac  # noqa: E402


def type_of(option):
    if not option['value']:
        return 'bool'
    if option['choices'] and not option['takes_others']:
        return 'Literal[' + ', '.join(repr(choice) for choice in option['choices']) + ']' + (
            ' | str' if option['several'] else '')
    return 'Any'


def typed_dict(name, options):
    lines = [f'class {name}(TypedDict, total=False):']
    lines += [f'    {option["name"]}: {type_of(option)}' for option in options]
    return lines


text = ['# SPDX-License-Identifier: Apache-2.0', '# Written by python/write_stubs.py.',
        'from typing import Any, Literal, TypedDict', '',
        *typed_dict('ReadOptions', _nvdlac.reading_options()), '',
        *typed_dict('CompileOptions', [*_nvdlac.compile_options()])]
(folder / 'nvdlac/_options.pyi').write_text('\n'.join(text) + '\n')
