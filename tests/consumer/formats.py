#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks NVDLAC_FORMATS, which leaves readers of models out: formats.py [--build] CMAKE FOLDER CXX

Configures a product without them and looks which readers its units have; with --build it compiles
the product, too, reads a model of the format that is left, and is refused one of another.
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
parser = argparse.ArgumentParser()
parser.add_argument('--build', action='store_true')
parser.add_argument('cmake')
parser.add_argument('folder', type=pathlib.Path)
parser.add_argument('compiler')
given = parser.parse_args()
digits = ROOT / 'examples/digits'


def configure(formats):
    return subprocess.run(
        [given.cmake, '-S', HERE / 'formats', '-B', given.folder, '-G', 'Ninja',
         f'-DNVDLAC={ROOT}', f'-DCMAKE_CXX_COMPILER={given.compiler}',
         f'-DNVDLAC_FORMATS={formats}'],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def readers_of(formats):
    """The formats whose readers the units have."""
    done = configure(formats)
    assert done.returncode == 0, done.stdout
    rules = (given.folder / 'build.ninja').read_text()
    units = re.findall(r'^build \S+[.]o: CXX_COMPILER__nvdlac_common\S* (\S+)', rules, re.M)
    assert units, 'nvdlac::common has no units'
    text = ''.join(pathlib.Path(u).read_text() for u in units)
    return set(re.findall(r'<nvdlac/impl/src/import_(\w+)[.]hpp>', text))


def read(*files):
    return subprocess.run([given.folder / 'formats', *files], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)


listed = {p.stem.removeprefix('import_')
          for p in (ROOT / 'include/nvdlac/impl/src').glob('import_*.hpp')}
assert readers_of('') == listed, readers_of('')
assert readers_of('tflite;caffe') == {'onnx', 'tflite', 'caffe'}
unknown = configure('tflit')
said = ' '.join(unknown.stdout.split())
assert unknown.returncode != 0, said
assert "there is no format 'tflit' (there are onnx, caffe, caffe2, coreml," in said, said
assert readers_of('onnx') == {'onnx'}
if not given.build:
    sys.exit()

subprocess.run([given.cmake, '--build', given.folder], check=True)
onnx = read(digits / 'digits.onnx')
assert onnx.returncode == 0 and 'layers' in onnx.stdout, onnx.stdout
caffe = read(digits / 'digits.prototxt', digits / 'digits.caffemodel')
assert caffe.returncode == 1, caffe.stdout
assert caffe.stdout.endswith(
    "digits.prototxt: this is a prototxt, whose reader this program was built without (build it "
    "with CMake's NVDLAC_FORMATS empty, or with 'caffe' in it)\n"), caffe.stdout
