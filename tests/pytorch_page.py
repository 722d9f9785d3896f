#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what pages tell a user of PyTorch, pytorch.md and tutorial.md: pytorch_page.py ROOT NVDLAC

Its Python goes from a small network to files that NVDLAC compiles for nv_small; what the simulator
then computes is near what PyTorch says. The tutorial's network is verified. Exits with 77 where no
PyTorch is installed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    if sys.executable == '/usr/bin/python3' or not os.path.exists('/usr/bin/python3'):
        print('PyTorch is absent: its page is not tried')
        sys.exit(77)
    os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])  # Debian's PyTorch is for it
import numpy

root, nvdlac = pathlib.Path(sys.argv[1]), sys.argv[2]
page = (root / 'docs/pytorch.md').read_text()
exports, trains = re.findall(r'^```python[^\n]*\n(.*?)^```$', page, re.M | re.S)
os.chdir(tempfile.mkdtemp())
torch.manual_seed(1)
torch.set_num_threads(1)
pictures = torch.rand(16, 3, 224, 224) - 0.5
wrong = []


def network():
    nn = torch.nn
    model = nn.Sequential(nn.Conv2d(3, 8, 8, stride=8), nn.BatchNorm2d(8), nn.ReLU(),
                          nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.AvgPool2d(12),
                          nn.Flatten(), nn.Linear(16, 10))
    train(model)
    return model


def train(model):
    optimiser = torch.optim.SGD(model.train().parameters(), 0.01)
    for _ in range(2):
        optimiser.zero_grad()
        model(pictures).pow(2).mean().backward()
        optimiser.step()


def said_by(*arguments):
    done = subprocess.run([nvdlac, *arguments], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        wrong.append(f'nvdlac {" ".join(map(str, arguments))} says {done.stdout}')
    return done.stdout if done.returncode == 0 else None


def compare(file, model, *options):
    numpy.save('in.npy', pictures[:1].numpy())
    if said_by('compile', file, '--config', 'nv_small', '-o', 'n.nvdla', *options) is None:
        return
    if said_by('run', 'n.nvdla', '-c', 'nv_small', '--input', 'in.npy', '-o', 'out.npy') is None:
        return
    found, expected = numpy.load('out.npy').ravel(), model(pictures[:1]).detach().numpy().ravel()
    cosine = found @ expected / numpy.sqrt((found @ found) * (expected @ expected))
    print(f'{file}: cosine {cosine:.5f}')
    if not cosine > 0.98:
        wrong.append(f'{file}: the outputs are {found} instead of {expected}')


scope = {'torch': torch, 'model': network(), 'train': train}
calibrated = ['--calibration', 'in.npy']
if hasattr(torch, 'export'):
    exec(exports, scope)
    compare('my_model.pt2', scope['model'], *calibrated)
scope['model'].eval()
exec(re.search('^# or: (.*)$', exports, re.M)[1], scope)
compare('my_model.onnx', scope['model'], *calibrated)
exec(trains, scope)
compare('my_model.onnx', scope['model'], '--input-format', 'int8')

tutorial = (root / 'docs/tutorial.md').read_text()
sys.dont_write_bytecode = True
sys.path.insert(0, str(root / 'examples/digits'))
try:
    import PIL
except ImportError:
    print('Pillow is absent: the tutorial draws no digits')
else:
    exec(re.search(r'^```python[^\n]*\n(.*?)^```$', tutorial, re.M | re.S)[1], {})
    digits = root / 'examples/digits'
    verified = said_by('verify', 'digits.onnx', '-c', 'nv_small', '--input', digits / 'images',
                       '--calibration', digits / 'calibration.idx')
    if not re.search('same class as float: (19|20) ', verified or ''):
        wrong.append(f'the network of the tutorial: {verified}')

print('\n'.join(wrong) or 'the page of PyTorch tells what is true')
sys.exit(bool(wrong))
