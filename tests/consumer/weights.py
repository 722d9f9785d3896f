#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the source of packed weights differs where only the weights do, after the
preprocessor, too: a compiler cache would else give the object of the earlier ones.

weights.py CMAKE SCRIPT COMPILER
"""
import pathlib
import subprocess
import sys
import tempfile


def made(cmake, script, compiler, folder, weights):
    """What the compiler sees, and the object."""
    for config, content in weights.items():
        (folder / f'net.{config}.weights.bin').write_bytes(content)
    subprocess.run([cmake, '-D', f'FOLDER={folder}', '-D', 'NAME=net',
                    '-D', f'CONFIGS={";".join(weights)}', '-P', script], check=True)
    source, to = folder / 'net.weights.cpp', folder / 'net.o'
    seen = subprocess.run([compiler, '-E', '-P', source], stdout=subprocess.PIPE, check=True).stdout
    subprocess.run([compiler, '-c', source, '-o', to], check=True)
    return seen, to.read_bytes()


def main(*tools):
    with tempfile.TemporaryDirectory() as folder:
        first = {'small': b'weights of the first', 'large': b'the other weights'}
        second = {**first, 'large': b'other weights of the second'}
        seen = set()
        for weights in (first, second):
            text, compiled = made(*tools, pathlib.Path(folder), weights)
            seen.add(text)
            for config, content in weights.items():
                if content not in compiled or f'net_{config}_weights'.encode() not in compiled:
                    sys.exit(f'the weights for {config} are not in the object')
        if len(seen) != 2:
            sys.exit('the source of other weights is the same')


if __name__ == '__main__':
    main(*sys.argv[1:])
