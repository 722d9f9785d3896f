#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks figures of README.md that do not depend on the machine: readme_figures.py ROOT NVDLAC

ResNet-50's layers and bytes are those of a compilation. What is measured elsewhere is what its page
says: LeNet-5's seconds and memory in docs/compile_cost.md, which another test keeps, cycles, bytes
and their predictions in docs/performance.md, networks in docs/networks.md, the speed of a
convolution in docs/simulator.md. Where the model is absent, material.py says how it ends.
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
readme = ' '.join((root / 'README.md').read_text().split())

wrong = []


def expect(figure):
    if figure not in readme:
        wrong.append(f'README.md does not say "{figure}"')


def row_of(page, pattern):
    """What a pattern finds in the rows of a page."""
    found = re.search(pattern, (root / 'docs' / page).read_text(), re.M)
    if found is None:
        sys.exit(f'docs/{page} has no row {pattern}')
    return found


row = row_of('compile_cost.md',
             r'^\| `lenet`: [^|]*\| ([\d.]+ s) \| (\d+ MiB) \| [\d.]+ s \| (\d+ MiB) \|')
expect(f'{row[1]} and {row[2]} of g++ 12, {row[3]} of clang 16')
row = row_of('performance.md', r'^\| geometric mean \|(?: \|){3} ([\d.]+) \| ([\d.]+) \|')
expect(f"[{row[1]} of the cycles of NVIDIA's compiler]")
expect(f'{row[2]} of its bytes')


def error_of(name, what):
    """The largest error of predictions on the RTL of a configuration."""
    return row_of('performance.md', rf'^\| {name}.*\n(?:\| \|.*\n)*?\| \| {what} \|.*\| ([\d.]+ %)'
                                    r' \|$')[1]


small, large = (error_of(name, 'these networks whole') for name in ('nv_small', 'nv_large'))
full = error_of('nv_full', '16 programs of 8 networks, made anew')
expect(f'within {small} on nv_small, {large} on nv_large and {full} on nv_full')
rows = re.findall(r'^\|', (root / 'docs/networks.md').read_text(), re.M)
expect(f'[{len(rows) - 2} networks on three configurations')  # without the head
row = row_of('simulator.md', r'^\| 3x3, 64 to 64, \S+ \| \d+ \| (\d+) \| ([\d.]+) \|')
expect(f"{row[1]} G MAC/s on nv_large, {row[2]} of oneDNN's int8 convolution")

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
