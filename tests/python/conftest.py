# SPDX-License-Identifier: Apache-2.0
"""The tests of the Python package, of which PYTHONPATH names the build's."""
import os
import pathlib

import numpy as np
import pytest

import nvdlac

SOURCE = pathlib.Path(__file__).resolve().parents[2]
DIGITS = SOURCE / 'examples/digits'


def idx(path):
    """The array of an IDX file of bytes."""
    data = path.read_bytes()
    dims = [int.from_bytes(data[4 + 4 * i:8 + 4 * i], 'big') for i in range(data[3])]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * len(dims)).reshape(dims)


def pgm(path):
    """The pixels of a binary PGM."""
    magic, size, most, pixels = path.read_bytes().split(b'\n', 3)
    width, height = map(int, size.split())
    assert (magic, most) == (b'P5', b'255')
    return np.frombuffer(pixels, np.uint8).reshape(height, width)


@pytest.fixture(scope='session')
def digits():
    """The model's file, calibration pictures, and pictures with their classes."""
    files = sorted((DIGITS / 'images').glob('*.pgm'))
    return {'model': DIGITS / 'digits.onnx',
            'calibration': idx(DIGITS / 'calibration.idx'),
            'files': files,
            'pictures': np.stack([pgm(f) for f in files]),
            'labels': [int(f.name[0]) for f in files]}


@pytest.fixture(scope='session')
def product(digits):
    return nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'])


@pytest.fixture(scope='session')
def command():
    """The command line of the same build."""
    name = os.environ.get('NVDLAC_CLI')
    if not name:
        pytest.skip('NVDLAC_CLI names no command line')
    return name
