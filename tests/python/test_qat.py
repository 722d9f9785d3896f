# SPDX-License-Identifier: Apache-2.0
"""Training in integers: PyTorch's are the simulator's, and its float network is the user's own."""
import importlib.util
import subprocess
import sys
import zlib

import numpy as np
import pytest

import nvdlac
from conftest import SOURCE, idx
from test_page import run_page

if importlib.util.find_spec('torch') is None:
    pytest.skip('absent: PyTorch', allow_module_level=True)

import torch
from torch import nn
from torch.nn import functional

from nvdlac import qat

sys.path.insert(0, str(SOURCE / 'tests'))
import material

torch.set_num_threads(1)


def shared(path):
    file = material.SHARED / path
    if not file.exists():
        (pytest.fail if material.is_demanded() else pytest.skip)(f'absent: {file}')
    return file


def differing(net, product, x):
    """How many numbers are not those of the simulator."""
    x = torch.from_numpy(np.array(x))
    with torch.no_grad():
        found = torch.cat([net.eval()(some).flatten(1) for some in x.split(100)]).numpy()
    return int((found != product.run(x.numpy()).reshape(found.shape)).sum())


class Block(nn.Module):
    """A residual block, and its neighbours: what CONV, SDP and PDP compute."""

    def __init__(self, channels, normal=True):
        super().__init__()
        self.stem = nn.Conv2d(channels, 16, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.deep = nn.Conv2d(16, 16, 3, padding=1, groups=16)
        self.wide = nn.Conv2d(16, 16, 1)
        self.slope = nn.PReLU(16)
        self.last = nn.Conv2d(32, 12, 3, padding=2, dilation=2)
        self.classes = nn.Linear(12 * 4 * 4, 10)

    def forward(self, x):
        x = functional.relu(self.norm(self.stem(x)))
        x = functional.relu(x + self.wide(functional.relu6(self.deep(x))))
        y = functional.avg_pool2d(self.slope(self.wide(x)), 3, stride=1, padding=1)
        x = torch.cat([functional.max_pool2d(x, 2), functional.max_pool2d(y, 2)], 1)
        return self.classes(torch.sigmoid(self.last(x)).flatten(1) if self.sigmoid else
                            self.last(x).flatten(1))

    sigmoid = False


def block(channels, size=16, seed=1):
    """A network with statistics of its own, and inputs as floats."""
    torch.manual_seed(seed)
    module = Block(channels)
    x = torch.randn(24, channels, size, size)
    with torch.no_grad():
        module.train()(x)
        module(x * 2)
    return module.eval(), x


@pytest.mark.filterwarnings('ignore::nvdlac.DoubtfulInput')
@pytest.mark.parametrize('config', ['nv_small', 'nv_large', 'nv_full'])
@pytest.mark.parametrize('channels', [3, 8])
def test_values(config, channels):
    module, x = block(channels)
    module.sigmoid = config != 'nv_small'
    module.train()
    model = nvdlac.read(module, example_inputs=x[:1], name='block.onnx')
    assert module.training and not module.eval().training
    assert model.file == 'block.onnx' and list(model.inputs.values()) == [(1, channels, 16, 16)]
    product = nvdlac.compile(model, config, calibration=x[:16].numpy())
    net = qat.Network(product)
    assert differing(net, product, x.numpy()) == 0
    assert differing(net, product, 3 * x.numpy()) == 0  # much of it saturates

    net.quantised = False
    with torch.no_grad():
        assert torch.allclose(net(x), module(x), atol=1e-4)


# Readers of a convolution, and ends: scalings, averages by CONV, concats, several outputs.
FORMS = {
    'norm behind a pooling': lambda n, x, y: n.last(
        n.norm(functional.max_pool2d(y, 3, 2, 1)).relu()),
    'factors': lambda n, x, y: n.last(functional.max_pool2d(y, 2) * n.factors),
    'average and factors': lambda n, x, y: n.last(
        (functional.avg_pool2d(y, 2) * n.factors).relu()) + 1,
    'concat': lambda n, x, y: torch.cat([y.relu(), -x], 1) * 0.3,
    'mean': lambda n, x, y: n.last(y).mean((2, 3)),
    'two outputs': lambda n, x, y: (functional.leaky_relu(n.last(y), 0.1),
                                    functional.max_pool2d(x, 3, 2, 1, ceil_mode=True)),
}


class Formed(nn.Module):
    def __init__(self, form):
        super().__init__()
        self.form = form
        self.first = nn.Conv2d(8, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.factors = nn.Parameter(torch.randn(16, 1, 1))
        self.last = nn.Conv2d(16, 8, 3, stride=2, padding=1)

    def forward(self, x):
        return self.form(self, x, self.first(x))


def listed(outputs):
    return (list(outputs.values()) if isinstance(outputs, dict) else
            list(outputs) if isinstance(outputs, tuple) else [outputs])


@pytest.mark.parametrize('form', FORMS)
def test_forms(form):
    torch.manual_seed(4)
    module, x = Formed(FORMS[form]), torch.randn(12, 8, 12, 12)
    module.train()(x)
    product = nvdlac.compile(nvdlac.read(module.eval(), example_inputs=x[:1]), 'nv_small',
                             calibration=x.numpy())
    net = qat.Network(product)
    found = [y.detach().numpy() for y in listed(net(x))]
    expected = listed(product.run(x.numpy()))
    assert len(found) == len(expected)
    for ours, theirs in zip(found, expected):
        assert np.array_equal(ours.reshape(theirs.shape), theirs)
    sum(y.sum() for y in listed(net(x))).backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in net.parameters())

    net.quantised = False
    for ours, theirs in zip(listed(net(x)), listed(module(x)), strict=True):
        assert torch.allclose(ours.flatten(), theirs.flatten(), atol=1e-5)


def test_pixels_with_means_and_scales_of_channels():
    module, x = block(3, seed=2)
    mean, scale = [123.7, 116.3, 103.5], [1 / 58.4, 1 / 57.1, 1 / 57.4]
    pixels = (x * 57 + 114).round().clamp(0, 255).to(torch.uint8)
    product = nvdlac.compile(nvdlac.read(module, example_inputs=x[:1]), 'nv_small',
                             calibration=pixels[:16].numpy(), mean=mean, scale=scale)
    net = qat.Network(product)
    assert net.options['mean'] == mean
    assert differing(net, product, pixels.numpy()) == 0
    with pytest.raises(ValueError, match='reads pixels'):
        net(x)

    net.quantised = False
    values = (pixels.float() - torch.tensor(mean).view(3, 1, 1)) * torch.tensor(scale).view(3, 1, 1)
    with torch.no_grad():
        assert torch.allclose(net(pixels), module(values), atol=1e-4)
        assert torch.allclose(net(values), module(values), atol=1e-4)


def test_a_thousand_digits(product, digits):
    pictures = idx(shared('images/mnist/images-idx3-ubyte'))[:1000, None]
    assert differing(qat.Network(product), product, pictures) == 0


def test_gradients_are_those_of_the_float_network_where_nothing_saturates(product, digits):
    x = torch.from_numpy(digits['pictures'][:, None])
    labels = torch.tensor(digits['labels'])
    net = qat.Network(product)
    found = {}
    for net.quantised in (False, True):
        net.zero_grad()
        scores = net(x, logits=True)
        assert scores.shape == (len(x), 10)
        (scores * functional.one_hot(labels, 10)).sum().backward()
        found[net.quantised] = {name: p.grad.clone() for name, p in net.named_parameters()}
    for name, gradient in found[True].items():
        near = functional.cosine_similarity(gradient.flatten(), found[False][name].flatten(), dim=0)
        assert near > 0.95, name


def test_training_and_what_comes_of_it(product, digits, command, tmp_path):
    x = torch.from_numpy(digits['calibration'][:, None].copy())
    teacher, net = qat.Network(product), qat.Network(product)
    teacher.quantised = False
    with torch.no_grad():
        wanted = teacher(x, logits=True)
        torch.manual_seed(3)
        for p in net.parameters():  # worse than it was
            p.mul_(1 + 0.2 * torch.randn_like(p))
    optimiser = torch.optim.Adam([{'params': [p], 'lr': 0.02 * float(p.abs().mean())}
                                  for p in net.parameters()])
    losses = []
    for _ in range(12):
        loss = functional.mse_loss(net(x, logits=True), wanted)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss))
    assert losses[-1] < losses[0] / 3

    made = net.compile()
    assert made.loadable != product.loadable and made.cycles == product.cycles
    pictures = digits['pictures'][:, None]
    assert differing(net, made, pictures) == 0
    assert differing(net, product, pictures) > 0

    net.export(tmp_path / 'trained.onnx', tmp_path / 'trained.json')
    again = nvdlac.compile(tmp_path / 'trained.onnx', 'nv_small', scales=tmp_path / 'trained.json',
                           **net.options)
    for ours, theirs in zip(again.integers, net.integers, strict=True):
        assert qat._same(ours, theirs), ours['name']
    assert differing(net, again, pictures) == 0
    subprocess.run([command, 'compile', tmp_path / 'trained.onnx', '-c', 'nv_small', '--scales',
                    tmp_path / 'trained.json', '--input-format', 'pixels', '-o',
                    tmp_path / 'trained.nvdla'], check=True)
    by_command = nvdlac.load(tmp_path / 'trained.nvdla')
    assert np.array_equal(by_command.run(pictures), again.run(pictures))

    kept = qat.Network(product)
    kept.load_state_dict(net.state_dict())
    assert differing(kept, made, pictures) == 0
    assert set(net.numbers(x)) == {layer['name'] for layer in product.integers}


def test_page(product, digits, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {'product': product, 'pictures': digits['pictures'][:5]}
    assert run_page('docs/python.md', names, 'test_qat') == 1
    assert names['better'].cycles == product.cycles and (tmp_path / 'trained.json').exists()


def test_what_cannot_be_trained(product, digits):
    calibrated = {'calibration': digits['calibration']}
    with pytest.raises(ValueError, match='effort'):
        qat.Network(nvdlac.compile(digits['model'], 'nv_small', effort=1, **calibrated))
    with pytest.raises(ValueError, match="layer 'data' is computed in int16"):
        qat.Network(nvdlac.compile(digits['model'], 'nv_full', precision='int16', **calibrated))
    net = qat.Network(product)
    with pytest.raises(ValueError, match="instead of \\(inputs, 1, 28, 28\\)"):
        net(torch.zeros(3, 28, 28, dtype=torch.uint8))
    with pytest.raises(ValueError, match="has the inputs data, not image"):
        net({'image': torch.zeros(1, 1, 28, 28, dtype=torch.uint8)})
    bent = nvdlac.read(nn.Sequential(nn.Conv2d(4, 8, 3), nn.Softplus()),
                       example_inputs=torch.zeros(1, 4, 8, 8))
    bent = nvdlac.compile(bent, 'nv_full', calibration=np.ones((2, 4, 8, 8), np.float32))
    with pytest.raises(ValueError, match='softplus is not written as ONNX'):
        qat.Network(bent)


def png(path):
    """The pixels of a PNG of 8 bits RGB, (lines, columns, 3)."""
    data, at, packed = path.read_bytes(), 8, b''
    while at < len(data):
        length, kind = int.from_bytes(data[at:at + 4], 'big'), data[at + 4:at + 8]
        content = data[at + 8:at + 8 + length]
        if kind == b'IHDR':
            width, height = (int.from_bytes(content[i:i + 4], 'big') for i in (0, 4))
            assert content[8:] == bytes([8, 2, 0, 0, 0])
        packed += content if kind == b'IDAT' else b''
        at += 12 + length
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 3 * width)
    found = np.zeros((height, 3 * width), np.int32)
    above = np.zeros(3 * width, np.int32)
    for y, row in enumerate(rows):
        line, kind = row[1:].astype(np.int32), row[0]
        if kind == 2:
            line = line + above & 255
        elif kind != 0:
            for x in range(3 * width):
                a, b, c = ((line[x - 3] if x > 2 else 0), above[x], (above[x - 3] if x > 2 else 0))
                near = min((a, b, c), key=lambda v: abs(a + b - c - v))
                line[x] = line[x] + {1: a, 3: (a + b) // 2, 4: near}[int(kind)] & 255
        found[y] = above = line
    return found.reshape(height, width, 3).astype(np.uint8)


def test_the_example(tmp_path):
    """examples/qat with ResNet-8: int8 as good as float on pictures that it has not seen, and equal
    to the simulator on a thousand."""
    model = shared('nets/onnx/mlperf_pretrainedResnet_fromtfl.onnx')
    for name, file in (('training', 'images.png'), ('test', 'test.png')):
        pictures = png(shared(f'images/cifar10/{file}')).reshape(-1, 32, 32, 3)
        np.save(tmp_path / f'{name}.npy', np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)))
    done = subprocess.run(
        [sys.executable, SOURCE / 'examples/qat/train.py', model, 'training.npy', 'test.npy',
         shared('images/cifar10/test_labels.txt'), '--epochs', '2'],
        cwd=tmp_path, text=True, stdout=subprocess.PIPE, check=True).stdout
    right = {line.split(':')[0]: float(line.split('right ')[1].split('%')[0])
             for line in done.splitlines() if 'right' in line}
    assert right['float'] == 89.0
    assert right['int8, trained'] >= right['float'] - 0.2
    assert 'of 1000 pictures 0 numbers differ' in done
