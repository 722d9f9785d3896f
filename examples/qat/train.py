#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a network that is compiled for NVDLA a little further, in the integers that NVDLA computes
with, so that these give what the float network gives.

The pictures are bytes, (pictures, channels, height, width); LABELS has a class of a test picture in
each line. Training needs no labels: the float network is the teacher. trained.onnx and its scales
in trained.json are written to where it is called, and trained.nvdla, the program. PyTorch has to
be installed.
"""
import argparse
import sys

import numpy as np
import torch
from torch.nn import functional

import nvdlac
from nvdlac import qat

CALIBRATION, BATCH = 100, 50


def batches(pictures, size):
    return (pictures[i:i + size] for i in range(0, len(pictures), size))


@torch.no_grad()
def scores(net, pictures):
    net.eval()
    return torch.cat([net(x, logits=True) for x in batches(pictures, 100)])


def train(net, teacher, pictures, epochs, step):
    """Brings the scores of `net` near those of its teacher. Steps are parts of the weights' own
    size, as those of a layer that reads pixels up to 255 are small."""
    optimiser = torch.optim.Adam([{'params': [p], 'lr': step * max(float(p.abs().mean()), 1e-6)}
                                  for p in net.parameters()])
    all = epochs * -(-len(pictures) // BATCH)
    slower = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda done: 1 - done / all)
    for epoch in range(epochs):
        net.train()
        losses = []
        for some in torch.randperm(len(pictures)).split(BATCH):
            x = pictures[some]
            if torch.rand(()) < 0.5:
                x = x.flip(3)
            with torch.no_grad():
                wanted = teacher(x, logits=True)
            loss = functional.mse_loss(net(x, logits=True), wanted)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            slower.step()
            losses.append(float(loss))
        print(f'epoch {epoch + 1}: loss {sum(losses) / len(losses):.4f}', flush=True)


def told(name, found, wanted, labels):
    noise = float((found - wanted).square().sum() / wanted.square().sum())
    quiet = f', signal to noise {-10 * np.log10(noise):.1f} dB' if noise else ''
    right = float((found.argmax(1) == labels).float().mean())
    same = float((found.argmax(1) == wanted.argmax(1)).float().mean())
    print(f'{name}: right {right:.1%}, class as in float {same:.1%}{quiet}')


def main(given):
    torch.manual_seed(1)
    torch.set_num_threads(1)
    pictures, unseen = (torch.from_numpy(np.load(file)) for file in (given.training, given.test))
    labels = torch.from_numpy(np.loadtxt(given.labels, int))
    options = dict(option.split('=', 1) for option in given.option)

    product = nvdlac.compile(given.model, given.config,
                             calibration=pictures[:CALIBRATION].numpy(), **options)
    net, teacher = qat.Network(product), qat.Network(product)
    teacher.quantised = False
    wanted = scores(teacher, unseen)
    told('float', wanted, wanted, labels)
    told('int8, calibrated', scores(net, unseen), wanted, labels)
    train(net, teacher, pictures, given.epochs, given.step)
    told('int8, trained', scores(net, unseen), wanted, labels)

    net.export('trained.onnx', 'trained.json')
    trained = nvdlac.compile('trained.onnx', given.config, scales='trained.json', **net.options)
    trained.save('trained.nvdla')
    asked = torch.cat([unseen, pictures])[:1000]
    with torch.no_grad():
        found = torch.cat([net(x) for x in batches(asked, 100)]).numpy()
    simulated = trained.run(asked.numpy()).reshape(found.shape)
    different = int((found != simulated).sum())
    print(f'{trained.cycles:,} cycles; of {len(asked)} pictures {different} numbers differ between '
          'PyTorch and the simulator')
    return different != 0


if __name__ == '__main__':
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('model', 'training', 'test', 'labels'):
        parser.add_argument(name)
    parser.add_argument('--config', default='nv_small')
    parser.add_argument('--epochs', type=int, default=4)
    parser.add_argument('--step', type=float, default=3e-4, help='of the weights\' size')
    parser.add_argument('--option', action='append', default=[], metavar='NAME=VALUE',
                        help='of nvdlac.compile, such as mean=127.5')
    sys.exit(main(parser.parse_args()))
