# SPDX-License-Identifier: Apache-2.0
"""Integer networks, the records of `Product.integers`, on tensors of PyTorch, bit for bit as NVDLA
computes them. Which numbers a layer has is not decided here: the records tell. Integers are in
floats and doubles, which hold them exactly: sums have less than 2^53, and where floats hold less
than 2^24."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.nn import functional

_NO_LOW, _NO_HIGH = -32768, 32767  # bounds that are none


def _round_shift(x: torch.Tensor, shift: int) -> torch.Tensor:
    """x / 2^shift, rounded half away from 0; changes x, which is in doubles."""
    if shift <= 0:
        return x
    x.mul_(2.0 ** -shift)
    return x.add_(torch.copysign(x.new_tensor(0.5), x)).trunc_()


def _saturate(x: torch.Tensor, bits: int) -> torch.Tensor:
    return x.clamp_(-2 ** (bits - 1), 2 ** (bits - 1) - 1)


def _converted(x: torch.Tensor, converter: Mapping[str, int]) -> torch.Tensor:
    """SDP's output converter or CDMA's of the input, without its saturation to 17 bits, which that
    to 8 bits behind it contains."""
    if converter['offset']:
        x = x - converter['offset']
    if converter['scale'] != 1:
        x = x * converter['scale']
    return _round_shift(x, converter['shift'])


def _written(y: torch.Tensor, relu: bool = False, out: Mapping[str, int] | None = None,
             low: int = _NO_LOW, high: int = _NO_HIGH) -> torch.Tensor:
    """What SDP writes: behind ReLU or bounds the converter, then 8 bits."""
    if relu:
        y = y.clamp_(min=0)
    if low != _NO_LOW or high != _NO_HIGH:
        y = y.clamp_(low if low != _NO_LOW else None, high if high != _NO_HIGH else None)
    if out is not None:
        y = _converted(y, out)
    return _saturate(y, 8).float()


def _of_channels(values: torch.Tensor) -> torch.Tensor:
    return values.view(1, -1, 1, 1)


def _padded(x: torch.Tensor, record: Mapping[str, Any], value: float) -> torch.Tensor:
    """With the padding that its windows reach, or without what none of them reaches."""
    w, (_, lines, columns) = record['fields']['window'], record['shape']

    def behind(size, out, kernel, stride, dilation, before):
        return (out - 1) * stride + (kernel - 1) * dilation + 1 - before - size

    right = behind(x.shape[3], columns, w['kernel_w'], w['stride_w'], w['dilation_w'],
                   w['pad_left'])
    below = behind(x.shape[2], lines, w['kernel_h'], w['stride_h'], w['dilation_h'],
                   w['pad_top'])
    sides = (w['pad_left'], right, w['pad_top'], below)
    return functional.pad(x, sides, value=value) if any(sides) else x


def _window(fields: Mapping[str, Any]) -> tuple[tuple[int, int], tuple[int, int]]:
    w = fields['window']
    return (w['kernel_h'], w['kernel_w']), (w['stride_h'], w['stride_w'])


def _sloped(y: torch.Tensor, slope: torch.Tensor, shift: int) -> torch.Tensor:
    return torch.where(y >= 0, y, _saturate(_round_shift(y * _of_channels(slope), shift), 32))


def _convolution(record, tensors, x, second=None):
    f, t = record['fields'], tensors
    exact = torch.float32 if t['most'] < 2 ** 24 else torch.float64
    _, stride = _window(f)
    w = f['window']
    weights = t['weights'].view(f['kernels'], -1, w['kernel_h'], w['kernel_w'])
    sums = functional.conv2d(_padded(x, record, f['pad']).to(exact), weights.to(exact),
                             stride=stride, dilation=(w['dilation_h'], w['dilation_w']),
                             groups=f['groups'])
    y = _round_shift(sums.double().round_(), f['truncate'])
    if t['most'] >= 2 ** 31:
        y = _saturate(y, 32)
    y.add_(_of_channels(t['bias'] * 2.0 ** f['bias_shift'])).mul_(_of_channels(t['multiplier']))
    y = _saturate(_round_shift(y, f['shift']), 32)
    if second is not None:
        z, how = second.double(), f['with_second']
        if how == 'product':
            y = _saturate(y.mul_(z), 32)
        else:
            z = z * 2.0 ** f['operand_shift']
            y = (_saturate(y.add_(z), 32) if how == 'sum' else
                 torch.maximum(y, _saturate(z, 32)) if how == 'maximum' else
                 torch.minimum(y, _saturate(z, 32)))
    if f['relu']:
        y = y.clamp_(min=0)
    if t['slope'].numel():
        y = _sloped(y, t['slope'], f['slope_shift'])
    return _written(y, False, f['out'], f['low'], f['high'])


def _pool(record, tensors, x):
    f = record['fields']
    kernel, stride = _window(f)
    if f['kind'] != 'average':
        sign = 1 if f['kind'] == 'maximum' else -1
        padded = _padded(sign * x, record, float('-inf'))
        return sign * functional.max_pool2d(padded, kernel, stride)
    sums = functional.avg_pool2d(_padded(x, record, 0).double(), kernel, stride,
                                 divisor_override=1)
    w, (_, lines, columns) = f['window'], record['shape']

    def counts(size, out, kernel, stride, before, behind):
        """Elements of each window inside, and within the padding."""
        spans = [(i * stride - before, i * stride - before + kernel) for i in range(out)]
        inside = [min(end, size) - max(begin, 0) for begin, end in spans]
        padded = [min(end, size + behind) - begin for begin, end in spans]
        return inside, padded if f['count_include_pad'] else inside

    in_rows, rows = counts(x.shape[2], lines, w['kernel_h'], w['stride_h'], w['pad_top'],
                           w['pad_bottom'])
    in_columns, of_columns = counts(x.shape[3], columns, w['kernel_w'], w['stride_w'],
                                    w['pad_left'], w['pad_right'])

    def rowwise(values):
        return sums.new_tensor(values).view(-1, 1)

    def columnwise(values):
        return sums.new_tensor(values).view(1, -1)

    sums = sums + f['pad'] * (rowwise(rows) * columnwise(of_columns)
                              - rowwise(in_rows) * columnwise(in_columns))
    sums = _round_shift(sums * columnwise([65536 // n for n in of_columns]), 16)
    return _round_shift(sums * rowwise([65536 // n for n in rows]), 16).float()


def _average(record, tensors, x):
    f = record['fields']
    kernel, stride = _window(f)
    sums = functional.avg_pool2d(_padded(x, record, f['pad']).double(), kernel, stride,
                                 divisor_override=1)
    y = _saturate((sums.round_() * f['weight']), 32) + f['bias'] * 2.0 ** f['bias_shift']
    return _written(_saturate(_round_shift(y * f['multiplier'], f['shift']), 32))


def _scale(record, tensors, x):
    f = record['fields']
    y = x.double() * _of_channels(tensors['multiplier'])
    if tensors['addend'].numel():
        y = _saturate(y + _of_channels(tensors['addend'] * 2.0 ** f['addend_shift']), 32)
    return _written(y, f['relu'], f['out'])


def _add(record, tensors, a, b):
    f = record['fields']
    y = a.double() * f['multiplier'] + b.double() * 2.0 ** f['operand_shift']
    return _written(_saturate(y, 32), f['relu'], f['out'])


def _multiply(record, tensors, a, b):
    return _written(a.double() * b.double(), record['fields']['relu'], record['fields']['out'])


def _extremum(record, tensors, a, b):
    f = record['fields']
    choose = torch.maximum if f['kind'] == 'maximum' else torch.minimum
    y = choose(a.double() * f['multiplier'], _saturate(b.double() * 2.0 ** f['operand_shift'], 32))
    return _written(y, f['relu'], f['out'])


def _clip(record, tensors, x):
    f = record['fields']
    y = _saturate(_round_shift(x.double() * f['multiplier'], f['shift']), 32)
    return _written(y, False, None, f['low'], f['high'])


def _prelu(record, tensors, x):
    f = record['fields']
    return _written(_sloped(x.double() * f['multiplier'], tensors['slope'], f['shift']), False,
                    f['out'])


def _elementwise_prelu(record, tensors, a, b):
    f = record['fields']
    x = a.double() * f['multiplier']
    y = torch.where(x < 0, _saturate(_round_shift(x * b.double(), f['shift']), 32), x)
    return _written(y, False, f['out'])


def _lookup(record, tensors, x):
    return tensors['values'].float()[x.long() + 128]


def _concat(record, tensors, *inputs):
    f = record['fields']
    parts = []
    for i, x in enumerate(inputs):
        multiplier = f['multiplier'][i]
        if multiplier is None:
            parts.append(x)
            continue
        zero = int(f['zeros'][i]) if len(f['zeros']) else f['zero']
        y = _round_shift((x.double() - zero) * multiplier, f['shift']) + f['zero']
        parts.append(_saturate(y, 8).float())
    return torch.cat(parts, 1)


def _reshape(record, tensors, x):
    return x.reshape(-1, *record['shape'])


def _half(x: torch.Tensor) -> torch.Tensor:
    """The nearest 16-bit float, of two the one farther from 0."""
    near = x.half().float()
    other = 2 * x - near  # exact; behind x by as much
    tied = (other != near) & (other.half().float() == other)
    return torch.where(tied & (other.abs() > near.abs()), other, near)


def _softmax(record, tensors, x):
    """As the runtime's emulator computes it, channel after channel, in 32-bit floats of which some
    are kept in 16 bits."""
    unit_in = torch.tensor(min(record['scale_in'], 256.0), dtype=torch.float32, device=x.device)
    unit_out = torch.tensor(record['scale'], dtype=torch.float32, device=x.device)
    column = _half(x * unit_in)
    powers = (column - column.amax(1, keepdim=True)).double().exp().float()
    total = torch.zeros_like(powers[:, :1])
    for c in range(powers.shape[1]):
        total = total + powers[:, c:c + 1]
    return (_half(powers / total) / unit_out).clamp(max=127).trunc()


_OPERATORS: dict[str, Callable[..., torch.Tensor]] = {
    'convolution': _convolution, 'pool': _pool, 'average': _average, 'scale': _scale, 'add': _add,
    'multiply': _multiply, 'extremum': _extremum, 'clip': _clip, 'prelu': _prelu,
    'elementwise_prelu': _elementwise_prelu,
    'lookup': _lookup, 'concat': _concat, 'reshape': _reshape, 'softmax': _softmax,
}


class Integers:
    """An integer network. ValueError for what it does not know: other numbers than int8, and layers
    that are not here."""

    def __init__(self, records: list[dict[str, Any]]) -> None:
        self._records = [dict(r) for r in records]
        self._by_name = {r['name']: r for r in self._records}
        self._tensors: dict[str, dict[str, Any]] = {}
        self._device: torch.device | None = None
        for r in self._records:
            if r['precision'] != 'int8':
                raise ValueError(f"layer '{r['name']}' is computed in {r['precision']}: only int8 "
                                 "can be trained so")
            known = r['operator'] in _OPERATORS or r['operator'] in ('input', 'constant')
            if not known or r['fields'].get('winograd'):
                form = r['operator'] + (" in Winograd's mode" if known else '')
                raise ValueError(f"layer '{r['name']}': {form} cannot be trained through")
            if r['inputs']:
                r['scale_in'] = self._by_name[r['inputs'][0]]['scale']

    def _put_on(self, device: torch.device) -> None:
        if self._device == device:
            return
        self._device = device
        for r in self._records:
            arrays = {key: torch.from_numpy(value).to(device).double()
                      for key, value in r['fields'].items() if hasattr(value, 'dtype')}
            if r['operator'] == 'convolution':  # what its sums can reach
                sums = arrays['weights'].view(r['fields']['kernels'], -1).abs().sum(1)
                arrays['most'] = 128 * float(sums.max()) if sums.numel() else 0
            self._tensors[r['name']] = arrays

    def _fed(self, record: dict[str, Any], x: torch.Tensor) -> torch.Tensor:
        """The numbers of an input: of bytes those of its converter, of real numbers the nearest."""
        pixels = record['fields'].get('pixels')
        if pixels:
            means = x.new_tensor(pixels['mean'][:x.shape[1]], dtype=torch.float64)
            return _written(_converted(x.double() - _of_channels(means), pixels['cvt']))
        step = record['scale']
        if record['gain']:
            step = _of_channels(x.new_tensor(record['gain'], dtype=torch.float64)) * step
        y = x.double() / step
        return _saturate(torch.trunc(y + torch.copysign(y.new_tensor(0.5), y)), 8).float()

    @torch.no_grad()
    def __call__(self, feeds: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The numbers of each layer, of several inputs at a time: bytes are pixels."""
        first = next(iter(feeds.values()))
        self._put_on(first.device)
        found: dict[str, torch.Tensor] = {}
        with torch.autocast(first.device.type, enabled=False), \
                torch.backends.cudnn.flags(enabled=False):  # which would not sum exactly
            for r in self._records:
                t = self._tensors[r['name']]
                if r['operator'] == 'input':
                    found[r['name']] = self._fed(r, feeds[r['name']])
                elif r['operator'] == 'constant':
                    found[r['name']] = t['values'].float().view(1, *r['shape'])
                else:
                    inputs = [found[i] for i in r['inputs']]
                    found[r['name']] = _OPERATORS[r['operator']](r, t, *inputs)
        return found

    def real(self, name: str, numbers: torch.Tensor) -> torch.Tensor:
        """What the numbers of a layer stand for."""
        r = self._by_name[name]
        step = r['scale']
        if r['gain']:
            step = _of_channels(numbers.new_tensor(r['gain'], dtype=torch.float64)) * step
        return ((numbers.double() - r['zero']) * step).float()

    def ends(self, name: str) -> tuple[float, float] | None:
        """The least and the largest real value of a layer; None for what has no ends of one number
        for all channels, and no layer of these integers."""
        r = self._by_name.get(name)
        if r is None or r['gain']:
            return None
        return (-128 - r['zero']) * r['scale'], (127 - r['zero']) * r['scale']

    def __contains__(self, name: str) -> bool:
        return name in self._by_name
