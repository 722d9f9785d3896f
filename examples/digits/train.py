#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifier and writes everything in this directory that is not a script.

    apt-get install python3-torch python3-numpy python3-pil
    examples/digits/train.py [IDX_IMAGES IDX_LABELS]   also tests on these, e.g. MNIST

The network takes raw pixels 0..255, white on black.
"""
import pathlib
import struct
import sys

import numpy as np
import torch
from torch import nn

import export
from render import digits

HERE = pathlib.Path(__file__).resolve().parent


class classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, bias=False)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc1 = nn.Linear(16 * 6 * 6, 32)
        self.fc2 = nn.Linear(32, 10)

    def forward(self, x):  # (N, 1, 28, 28), 0..1; the factor 255 moves into conv1 afterwards
        x = nn.functional.max_pool2d(torch.relu(self.bn1(self.conv1(x))), 2)
        x = nn.functional.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.fc2(torch.relu(self.fc1(x.flatten(1))))


def batch(images):
    return torch.from_numpy(images).float().unsqueeze(1) / 255


def accuracy(net, images, labels):
    net.eval()
    with torch.no_grad():
        return (net(batch(images)).argmax(1).numpy() == labels).mean()


def train(images, labels, epochs=12, size=64):
    net = classifier()
    optimizer = torch.optim.Adam(net.parameters(), lr=2e-3, weight_decay=1e-4)
    steps = epochs * (len(images) // size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, steps)
    x, y = batch(images), torch.from_numpy(labels)
    for epoch in range(epochs):
        net.train()
        for some in torch.randperm(len(x))[:len(x) // size * size].split(size):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(x[some]), y[some], label_smoothing=0.05)
            loss.backward()
            optimizer.step()
            schedule.step()
        print(f'epoch {epoch + 1}: loss {loss.item():.4f}', flush=True)
    return net


def weights(net):
    w = {k: v.numpy() for k, v in net.state_dict().items() if not k.endswith('num_batches_tracked')}
    w['conv1.weight'] = w['conv1.weight'] / 255
    return w


def read_idx(path):
    raw = pathlib.Path(path).read_bytes()
    dims = struct.unpack_from(f'>{raw[3]}I', raw, 4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * raw[3]).reshape(dims).copy()


def write_pictures():
    images, labels = digits(20, seed=3)
    for i, (image, label) in enumerate(zip(images, labels)):
        name = f'{label}_{"ab"[i // 10]}.pgm'
        (HERE / 'images' / name).write_bytes(b'P5\n28 28\n255\n' + image.tobytes())
    images, _ = digits(100, seed=4)
    header = struct.pack('>BBBB3I', 0, 0, 8, 3, *images.shape)
    (HERE / 'calibration.idx').write_bytes(header + images.tobytes())


def main():
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)
    net = train(*digits(30000, seed=1))
    print(f'held-out drawings: {accuracy(net, *digits(5000, seed=2)):.4f}')
    if len(sys.argv) == 3:
        images, labels = map(read_idx, sys.argv[1:])
        print(f'{sys.argv[1]}: {accuracy(net, images, labels):.4f}')
    w = weights(net)
    (HERE / 'digits.onnx').write_bytes(export.onnx(w))
    (HERE / 'digits.caffemodel').write_bytes(export.caffemodel(w))
    write_pictures()


if __name__ == '__main__':
    main()
