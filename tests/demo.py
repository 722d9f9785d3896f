#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the program of tools/demo prints and writes what the command line does, but for what
only the command line notes: what a loadable was made from, and what became of the file's layers.
demo.py DEMO NVDLAC DIGITS"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

demo, nvdlac, digits = sys.argv[1:]


def said_by(*command):
    return subprocess.run(command, cwd=digits, check=True, stdout=subprocess.PIPE, text=True).stdout


def files(folder):
    return {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir()}


def compared(name, content, folder):
    """What both must have alike of a file."""
    if name.endswith('.nvdla'):
        text = said_by(nvdlac, 'inspect', '--json', f'{folder}/{name}')
    elif name == 'digits.json':
        text = content.decode()
    else:
        return content
    document = json.loads(text)
    for key in ('provenance', 'nodes'):
        document.pop(key, None)
    for layer in document['layers']:
        layer.pop('nodes', None)
    return document


def without_size(text):
    return re.sub(r'loadable [\d,]+ bytes', 'loadable', text)


with tempfile.TemporaryDirectory() as shown, tempfile.TemporaryDirectory() as expected:
    options = ['digits.onnx', '--config', 'nv_small', '--calibration', 'calibration.idx']
    text = said_by(nvdlac, 'compile', *options, '-o', f'{expected}/digits.nvdla', '--trace',
                   f'{expected}/digits.nvtrace', '--report', f'{expected}/digits.json')
    # The names of the files are those of two folders.
    text = ''.join(line for line in text.splitlines(True) if not line.startswith('written: '))
    text += said_by(nvdlac, 'verify', *options, '--input', 'images')
    said = said_by(demo, shown)
    print(said)
    assert without_size(said) == without_size(text), text
    assert files(shown).keys() == files(expected).keys(), files(shown).keys()
    made = files(shown)
    different = [n for n, content in files(expected).items()
                 if compared(n, made[n], shown) != compared(n, content, expected)]
    assert not different, different
