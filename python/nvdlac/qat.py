# SPDX-License-Identifier: Apache-2.0
"""Training of networks with the integers that NVDLA will compute with, in PyTorch.

    product = nvdlac.compile('net.onnx', 'nv_small', calibration=pictures)
    net = nvdlac.qat.Network(product)                 # a torch.nn.Module
    optimiser = torch.optim.SGD(net.parameters(), 1e-3)
    for x, labels in batches:                         # x: bytes, or the values of the network
        loss = functional.cross_entropy(net(x, logits=True), labels)
        ...
    better = net.compile()
    net.export('trained.onnx', 'trained.json')        # for nvdlac compile --scales trained.json

What it computes is bit for bit what its product computes. PyTorch has to be installed.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from . import _nvdlac, _onnx
from ._integers import Integers, _padded, _window

if TYPE_CHECKING:
    from . import Model, Product

# Members of operators that are trained.
_TRAINED = {'convolution': ('weights', 'bias'), 'fully_connected': ('weights', 'bias'),
            'prelu': ('slope',), 'scale': ('factor', 'bias')}
# Options of a compilation that are about its calibration, or that the table of scales answers.
_OF_CALIBRATION = ('scales', 'keep_scales', 'observer', 'effort', 'mean', 'scale', 'order', 'std',
                   'preprocess', 'input_format')


class Network(torch.nn.Module):
    """The network of a product behind nvdlac's passes: batch normalisation is in the weights, and
    layers have the names of the product's records. Its parameters are those of the float network.

    Forward, it computes the integers that nvdlac makes of these parameters with the product's
    scales: each layer's result is what NVDLA's will be, bit for bit. Backward, rounding counts for
    nothing, and what saturates has no gradient. The scales stay as the product's calibration has
    them.

    `quantised = False` makes it the float network.
    """

    quantised: bool

    def __init__(self, product: Product) -> None:
        super().__init__()
        self._config, options = product._made_for
        if options.get('effort'):
            raise ValueError('the product was made with an effort, which chooses integers by what '
                             'a calibration shows: training starts from one without')
        self._options = {key: value for key, value in options.items()
                         if key not in _OF_CALIBRATION}
        self._name = product.name
        self._table = product._held.scales()
        self._layers = product.network
        self.quantised = True
        self._names: dict[tuple[str, str], str] = {}
        for n, layer in enumerate(self._layers):
            fields, name = layer['fields'], layer['name']
            if layer['operator'] not in _FLOAT:
                raise ValueError(f"layer '{name}': {layer['operator']} cannot be trained through")
            for field in _TRAINED.get(layer['operator'], ()):
                values = fields[field]
                if field == 'bias' and not len(values):
                    if layer['operator'] == 'scale':
                        continue
                    count = fields['kernels' if 'kernels' in fields else 'outputs']
                    values = fields[field] = np.zeros(count, np.float32)
                known = f'{name.replace(".", "_")}:{field}'
                known = f'{known}:{n}' if known in self._parameters else known
                self._names[name, field] = known
                self.register_parameter(known, torch.nn.Parameter(torch.from_numpy(values.copy())))
            if layer['operator'] == 'constant':
                self.register_buffer(f'{n}:value', torch.from_numpy(fields['value'].copy())[None],
                                     persistent=False)
                self._names[name, 'value'] = f'{n}:value'
        how = next((i['preprocessing'] for i in product.report['inputs'] if 'preprocessing' in i),
                   None)
        self._pixels = (how['mean'], how['scale']) if how else ([0.0], [1.0])
        integers = product.integers
        pixels = any(r['fields'].get('pixels') for r in integers if r['operator'] == 'input')
        self._options['input_format'] = 'pixels' if pixels else 'int8'
        if how:
            self._options |= {'mean': how['mean'], 'scale': how['scale'], 'order': how['order']}
        self._seen: list[int] | None = None
        self._integers = Integers(integers)
        self._check(integers)

    def _check(self, integers: list[dict[str, Any]]) -> None:
        """Whether its parameters give the product that it was made of."""
        for ours, known in zip(self.integers, integers):
            if not _same(ours, known):
                raise ValueError(f"layer '{known['name']}' of the product comes out differently "
                                 'when its network is written as ONNX and read again: it cannot '
                                 'be trained')

    def train(self, mode: bool = True) -> Network:
        self._seen = None  # parameters may have changed behind PyTorch's back
        return super().train(mode)

    # ---- What it is

    @property
    def integers(self) -> list[dict[str, Any]]:
        """The integers that nvdlac makes of the parameters, as `Product.integers` tells them."""
        return _nvdlac.integers(self.model()._held, self._config, self._options)

    def model(self) -> Model:
        """The network with its parameters and scales, for `nvdlac.compile`."""
        from . import Model
        held = _nvdlac.read(f'{self._name}.onnx', self._onnx(), '', {}, None)
        return Model(held.with_scales(self._table))

    def compile(self) -> Product:
        """The program of the network, with the options of the first product."""
        from . import compile
        return compile(self.model(), self._config, **self._options)

    def export(self, model: str | os.PathLike, scales: str | os.PathLike) -> None:
        """Writes the network as ONNX, and its table of scales: `nvdlac compile MODEL --scales
        SCALES` with the options of the first product makes the program of `compile`."""
        with open(model, 'wb') as stream:
            stream.write(self._onnx())
        with open(scales, 'w', encoding='utf-8') as stream:
            stream.write(self._table)

    @property
    def options(self) -> dict[str, Any]:
        """Options of `compile`, besides `scales`, that make the program of what `export` writes."""
        return dict(self._options)

    def _onnx(self) -> bytes:
        return _onnx.model(self._layers, {
            key: getattr(self, name).detach().cpu().numpy() for key, name in self._names.items()
            if name in self._parameters})

    # ---- What it computes

    def forward(self, x: torch.Tensor | Mapping[str, torch.Tensor], *,
                logits: bool = False) -> torch.Tensor | dict[str, torch.Tensor]:
        """The outputs as real numbers: (inputs, channels, height, width), or (inputs, channels)
        where that is all; of several outputs a dict by name.

        `x` is (inputs, channels, height, width), channels in the network's order: bytes are pixels,
        all else is what they become; of several inputs a dict. With `logits` an output of a softmax
        is what that reads, as losses want it.
        """
        feeds = self._feeds(x)
        numbers = self._numbers(feeds) if self.quantised else {}
        values: dict[str, torch.Tensor] = {}
        for layer in self._layers:
            name = layer['name']
            if layer['operator'] == 'input':
                y = self._real(feeds[name])
                given = feeds[name].dtype == torch.uint8
            else:
                y = _FLOAT[layer['operator']](self, layer, *(values[i] for i in layer['inputs']))
                given = False
            if name in numbers and not given:
                ends = self._integers.ends(name)
                y = _Replaced.apply(y if ends is None else y.clamp(*ends),
                                    self._integers.real(name, numbers[name]))
            values[name] = y
        outputs = {}
        for layer in self._layers:
            if layer['output']:
                is_softmax = layer['operator'] == 'softmax'
                y = values[layer['inputs'][0] if logits and is_softmax else layer['name']]
                outputs[layer['name']] = y.flatten(1) if y.shape[2:] == (1, 1) else y
        return next(iter(outputs.values())) if len(outputs) == 1 else outputs

    def numbers(self, x: torch.Tensor | Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The integers of each layer's result, by the names of `integers`."""
        return self._numbers(self._feeds(x))

    def _numbers(self, feeds: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        seen = [p._version for p in self.parameters()]
        if self.training or seen != self._seen:
            self._integers = Integers(self.integers)
            self._seen = seen
        return self._integers(feeds)

    def _feeds(self, x: Any) -> Mapping[str, torch.Tensor]:
        inputs = [layer for layer in self._layers if layer['operator'] == 'input']
        if isinstance(x, torch.Tensor):
            x = {inputs[0]['name']: x}
        if set(x) != {layer['name'] for layer in inputs}:
            names = ', '.join(layer['name'] for layer in inputs)
            raise ValueError(f"the network has the inputs {names}, not {', '.join(x)}")
        reads_pixels = self.quantised and self._options['input_format'] == 'pixels'
        for layer in inputs:
            given = x[layer['name']]
            if given.dim() != 4 or tuple(given.shape[1:]) != layer['shape']:
                raise ValueError(
                    f"input '{layer['name']}' is {tuple(given.shape)} instead of (inputs, "
                    f"{', '.join(map(str, layer['shape']))})")
            if reads_pixels and given.dtype != torch.uint8:
                raise ValueError(f"input '{layer['name']}' reads pixels: give bytes (torch.uint8), "
                                 'or make the product with input_format int8')
        if reads_pixels or not self.quantised:
            return x
        return {name: self._real(given) for name, given in x.items()}

    def _real(self, x: torch.Tensor) -> torch.Tensor:
        """What pixels are worth; other numbers are what they are."""
        if x.dtype != torch.uint8:
            return x.float()
        mean, scale = (torch.tensor(v, dtype=torch.float64, device=x.device).view(1, -1, 1, 1)
                       for v in self._pixels)
        return ((x.double() - mean) * scale).float()

    def _of(self, layer: dict[str, Any], field: str) -> torch.Tensor:
        return getattr(self, self._names[layer['name'], field])


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    return np.array_equal(a, b)


class _Replaced(torch.autograd.Function):
    """One tensor forward, the gradient of another one backward."""

    @staticmethod
    def forward(context, differentiable, exact):
        return exact

    @staticmethod
    def backward(context, gradient):
        return gradient, None


# ---- The float network: what is derived, and what is computed where it is not quantised


def _rectified(y, layer):
    return y.relu() if layer['fields']['relu'] else y


def _joined(y, z, how):
    return (y + z if how == 'sum' else y * z if how == 'product' else
            torch.maximum(y, z) if how == 'maximum' else torch.minimum(y, z))


def _convolution(net, layer, x, second=None):
    f = layer['fields']
    w = f['window']
    weights = net._of(layer, 'weights').view(f['kernels'], -1, w['kernel_h'], w['kernel_w'])
    y = functional.conv2d(_padded(x, layer, 0), weights, net._of(layer, 'bias'), _window(f)[1],
                          dilation=(w['dilation_h'], w['dilation_w']), groups=f['groups'])
    return _rectified(y if second is None else _joined(y, second, f['with_second']), layer)


def _fully_connected(net, layer, x):
    weights = net._of(layer, 'weights').view(layer['fields']['outputs'], -1)
    y = functional.linear(x.flatten(1), weights, net._of(layer, 'bias'))
    return _rectified(y.view(*y.shape, 1, 1), layer)


def _pool(net, layer, x):
    f = layer['fields']
    if f['global']:
        return (x.mean((2, 3), keepdim=True) if f['kind'] == 'average' else
                x.amax((2, 3), keepdim=True) if f['kind'] == 'maximum' else
                x.amin((2, 3), keepdim=True))
    kernel, stride = _window(f)
    if f['kind'] != 'average':
        sign = 1 if f['kind'] == 'maximum' else -1
        return sign * functional.max_pool2d(_padded(sign * x, layer, float('-inf')), kernel, stride)
    w = f['window']
    ones = torch.ones_like(x[:1, :1])
    if f['count_include_pad']:  # what hangs over the padding does not count
        ones = functional.pad(ones, (w['pad_left'], w['pad_right'], w['pad_top'], w['pad_bottom']),
                              value=1)
        outside = {**layer, 'fields': {**f, 'window': {**w, 'pad_left': 0, 'pad_top': 0}}}
    else:
        outside = layer

    def sums(of, padded_as):
        return functional.avg_pool2d(_padded(of, padded_as, 0), kernel, stride, divisor_override=1)

    return sums(x, layer) / sums(ones, outside)


def _scale(net, layer, x):
    y = x * net._of(layer, 'factor').view(1, -1, 1, 1)
    if len(layer['fields']['bias']):
        y = y + net._of(layer, 'bias').view(1, -1, 1, 1)
    return _rectified(y, layer)


def _add(net, layer, a, b):
    first, second = (float(c) for c in layer['fields']['coefficients'])
    return _rectified(first * a + second * b, layer)


def _extremum(net, layer, a, b):
    return _rectified(_joined(a, b, layer['fields']['kind']), layer)


def _prelu(net, layer, x):
    return functional.prelu(x, net._of(layer, 'slope'))


def _elementwise_prelu(net, layer, a, b):
    return torch.where(a < 0, a * b, a)


def _activation(net, layer, x):
    f = layer['fields']
    return (torch.sigmoid(x) if f['function'] == 'sigmoid' else
            torch.tanh(x) if f['function'] == 'tanh' else functional.elu(x, f['alpha']))


_FLOAT: dict[str, Callable[..., torch.Tensor] | None] = {
    'input': None, 'constant': lambda net, layer: net._of(layer, 'value'),
    'convolution': _convolution, 'fully_connected': _fully_connected, 'pool': _pool,
    'scale': _scale, 'add': _add, 'extremum': _extremum, 'prelu': _prelu,
    'activation': _activation, 'elementwise_prelu': _elementwise_prelu,
    'multiply': lambda net, layer, a, b: _rectified(a * b, layer),
    'relu': lambda net, layer, x: x.relu(),
    'clip': lambda net, layer, x: x.clamp(layer['fields']['low'], layer['fields']['high']),
    'concat': lambda net, layer, *inputs: torch.cat(inputs, 1),
    'reshape': lambda net, layer, x: x.reshape(-1, *layer['shape']),
    'flatten': lambda net, layer, x: x.reshape(-1, *layer['shape']),
    'identity': lambda net, layer, x: x,
    'softmax': lambda net, layer, x: x.softmax(1),
}
