#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the program of tools/demo prints and writes what the command line does:
demo.py DEMO NVDLAC DIGITS"""
import pathlib
import subprocess
import sys
import tempfile

demo, nvdlac, digits = sys.argv[1:]


def said_by(*command):
    return subprocess.run(command, cwd=digits, check=True, stdout=subprocess.PIPE, text=True).stdout


def files(folder):
    return {p.name: p.read_bytes() for p in pathlib.Path(folder).iterdir()}


with tempfile.TemporaryDirectory() as shown, tempfile.TemporaryDirectory() as expected:
    options = ['digits.onnx', '--config', 'nv_small', '--calibration', 'calibration.idx']
    text = said_by(nvdlac, 'compile', *options, '-o', f'{expected}/digits.nvdla', '--trace',
                   f'{expected}/digits.nvtrace', '--report', f'{expected}/digits.json')
    # The names of the files are those of two folders.
    text = ''.join(line for line in text.splitlines(True) if not line.startswith('written: '))
    text += said_by(nvdlac, 'verify', *options, '--input', 'images')
    said = said_by(demo, shown)
    print(said)
    assert said == text, text
    assert files(shown).keys() == files(expected).keys(), files(shown).keys()
    different = [n for n, content in files(expected).items() if files(shown)[n] != content]
    assert not different, different
