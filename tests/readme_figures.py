#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks figures of README.md that do not depend on the machine: readme_figures.py ROOT NVDLAC

ResNet-50's layers and bytes are those of a compilation; LeNet-5's seconds and memory are those of
docs/compile_cost.md, which another test keeps. Where the model is absent, material.py says how it
ends.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import material  # noqa: E402

root, nvdlac = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
readme = (root / 'README.md').read_text()
cost = (root / 'docs/compile_cost.md').read_text()

wrong = []


def expect(figure):
    if figure not in readme:
        wrong.append(f'README.md does not say "{figure}"')


row = re.search(r'^\| `lenet`: [^|]*\| ([\d.]+ s) \| (\d+ MiB) \| [\d.]+ s \| (\d+ MiB) \|', cost,
                re.M)
if row is None:
    sys.exit('docs/compile_cost.md has no row of lenet')
expect(f'{row[1]} and {row[2]} of g++ 12, {row[3]} of clang 16')

model = material.SHARED / 'nets/light/light_resnet50.onnx'
if model.exists():
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / 'report.json'
        subprocess.run([nvdlac, 'compile', model, '--config', 'nv_small', '--calibration',
                        root / 'examples/own_operator/picture.ppm', '--resize', 'fill',
                        '--report', report, '--output', f'{folder}/r.nvdla'], check=True,
                       capture_output=True)
        said = json.loads(report.read_text())
    memory = said['memory']
    if memory['features'] != memory['features_lower_bound']:
        wrong.append('the features of ResNet-50 take more than the lower bound')
    expect(f'{len(said["layers"])} hardware layers, {memory["features"]:,} bytes of features: '
           'the lower bound')

if wrong:
    sys.exit('\n'.join(wrong))
if not model.exists():
    material.leave(model)
