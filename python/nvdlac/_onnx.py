# SPDX-License-Identifier: Apache-2.0
"""Writes networks behind nvdlac's passes, the records of `Product.network`, as ONNX. Layers keep
their names, so that a scale table of theirs fits the file, and the file gives the same network."""
from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

# ---- Protobuf: a message is a list of fields.


def _varint(value: int) -> bytes:
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes | str) -> bytes:
    content = content.encode() if isinstance(content, str) else content
    return _varint(field << 3 | 2) + _varint(len(content)) + content


# ---- ONNX, with the field numbers of its schema

_FLOAT, _INT64 = 1, 7
_TYPES = {np.dtype(np.float32): _FLOAT, np.dtype(np.int64): _INT64}


def _attribute(name: str, value: Any) -> bytes:
    if isinstance(value, float):
        kind = 1
        content = _varint(2 << 3 | 5) + struct.pack('<f', value)
    elif isinstance(value, int):
        kind, content = 2, _number(3, value)
    else:
        kind, content = 7, b''.join(_number(8, v) for v in value)
    return _block(5, _block(1, name) + content + _number(20, kind))


def _tensor(name: str, array: np.ndarray) -> bytes:
    dims = b''.join(_number(1, d) for d in array.shape)
    return dims + _number(2, _TYPES[array.dtype]) + _block(8, name) + _block(9, array.tobytes())


def _value(name: str, shape: tuple[int, ...]) -> bytes:
    dims = b''.join(_block(1, _number(1, d)) for d in shape)
    return _block(1, name) + _block(2, _block(1, _number(1, _FLOAT) + _block(2, dims)))


class _Graph:
    """What is written so far. A tensor is (1, channels, height, width), or (1, channels)."""

    def __init__(self, records: list[dict[str, Any]], arrays: Mapping[tuple[str, str], np.ndarray]):
        self._arrays = arrays
        self._names = {r['name'] for r in records}
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._last: dict[str, str] = {}  # where a layer's result is, if not under its name
        self._content: list[bytes] = []
        for record in records:
            self._write(record)

    def bytes(self) -> bytes:
        return b''.join(self._content)

    # ---- One record

    def _write(self, record: dict[str, Any]) -> None:
        name, kind, fields = record['name'], record['operator'], record['fields']
        writer: Callable[..., None] | None = getattr(self, f'_put_{kind}', None)
        if writer is None:
            raise ValueError(f"layer '{name}': {kind} is not written as ONNX")
        writer(record, fields, name, *(self._last.get(i, i) for i in record['inputs']))
        if record['output']:
            last = self._last.get(name, name)
            self._content.append(_block(12, _value(last, self._shapes[last])))

    def _array(self, record: dict[str, Any], field: str) -> np.ndarray:
        given = self._arrays.get((record['name'], field))
        return np.ascontiguousarray(record['fields'][field] if given is None else given, np.float32)

    def _unused(self, wish: str) -> str:
        name, n = wish, 2
        while name in self._names:
            name, n = f'{wish}/{n}', n + 1
        self._names.add(name)
        return name

    def _constant(self, wish: str, array: np.ndarray) -> str:
        name = self._unused(wish)
        self._content.append(_block(5, _tensor(name, array)))
        return name

    def _node(self, kind: str, inputs: list[str], output: str, shape: tuple[int, ...],
              **attributes: Any) -> str:
        self._shapes[output] = shape
        self._content.append(_block(1, b''.join(
            [*(_block(1, i) for i in inputs), _block(2, output), _block(3, output), _block(4, kind),
             *(_attribute(k, v) for k, v in attributes.items())])))
        return output

    def _chain(self, record: dict[str, Any], shape: tuple[int, ...],
               *steps: tuple[str, str, list[str], dict[str, Any]] | None) -> None:
        """Nodes of which each reads the one before: a word, kind, inputs and attributes each. The
        passes make one layer of them, which has the name of the first, or of a joint."""
        wanted = [step for step in steps if step is not None]
        named = max(n for n, step in enumerate(wanted) if n == 0 or step[0] == 'joint')
        before: list[str] = []
        for n, (word, kind, inputs, attributes) in enumerate(wanted):
            name = (record['name'] if n == named else self._unused(f'{record["name"]}/{word}'))
            before = [self._node(kind, before + inputs, name, shape, **attributes)]
        self._last[record['name']] = before[0]

    def _as_cube(self, name: str, record: dict[str, Any]) -> str:
        shape = self._shapes[name]
        if len(shape) == 4:
            return name
        return self._reshaped(name, (*shape, 1, 1), self._unused(f'{record["name"]}/cube'))

    def _reshaped(self, name: str, shape: tuple[int, ...], to: str) -> str:
        target = self._constant(f'{to}/shape', np.array(shape, np.int64))
        return self._node('Reshape', [name, target], to, shape)

    @staticmethod
    def _cube(record: dict[str, Any]) -> tuple[int, ...]:
        return (1, *record['shape'])

    @staticmethod
    def _window(fields: dict[str, Any], dilated: bool) -> dict[str, Any]:
        w = fields['window']
        found = {'kernel_shape': [w['kernel_h'], w['kernel_w']],
                 'strides': [w['stride_h'], w['stride_w']],
                 'pads': [w['pad_top'], w['pad_left'], w['pad_bottom'], w['pad_right']]}
        return found | ({'dilations': [w['dilation_h'], w['dilation_w']]} if dilated else {})

    # ---- Operators

    def _put_input(self, record, fields, name):
        self._shapes[name] = self._cube(record)
        self._content.append(_block(11, _value(name, self._shapes[name])))

    def _put_constant(self, record, fields, name):
        self._shapes[name] = self._cube(record)
        self._content.append(
            _block(5, _tensor(name, self._array(record, 'value').reshape(self._shapes[name]))))

    def _put_convolution(self, record, fields, name, x, second=None):
        w = fields['window']
        kernels, groups = fields['kernels'], fields['groups']
        weights = self._array(record, 'weights').reshape(kernels, -1, w['kernel_h'], w['kernel_w'])
        operands = [self._constant(f'{name}/weights', weights)]
        if (bias := self._array(record, 'bias')).size:
            operands.append(self._constant(f'{name}/bias', bias))
        joint = {'sum': 'Add', 'maximum': 'Max', 'minimum': 'Min', 'product': 'Mul'}
        self._chain(record, self._cube(record),
                    ('sums', 'Conv', [self._as_cube(x, record), *operands],
                     self._window(fields, True) | {'group': groups}),
                    second and ('joint', joint[fields['with_second']],
                                [self._as_cube(second, record)], {}),
                    _relu(fields))

    def _put_fully_connected(self, record, fields, name, x):
        if len(self._shapes[x]) == 4:
            size = int(np.prod(self._shapes[x]))
            x = self._node('Flatten', [x], self._unused(f'{name}/flat'), (1, size), axis=1)
        weights = self._array(record, 'weights').reshape(fields['outputs'], -1)
        operands = [self._constant(f'{name}/weights', weights)]
        if (bias := self._array(record, 'bias')).size:
            operands.append(self._constant(f'{name}/bias', bias))
        self._chain(record, (1, fields['outputs']),
                    ('sums', 'Gemm', [x, *operands], {'transB': 1}), _relu(fields))

    def _put_pool(self, record, fields, name, x):
        kind = {'maximum': 'MaxPool', 'average': 'AveragePool'}.get(fields['kind'])
        if kind is None:
            raise ValueError(f"layer '{name}': a pooling of minima is not written as ONNX")
        if fields['global']:
            how = {}
        else:
            how = self._window(fields, False) | {'ceil_mode': int(fields['ceil'])}
            if kind == 'AveragePool':
                how['count_include_pad'] = int(fields['count_include_pad'])
        self._node(f'Global{kind}' if fields['global'] else kind, [self._as_cube(x, record)], name,
                   self._cube(record), **how)

    def _put_relu(self, record, fields, name, x):
        self._node('Relu', [x], name, self._shapes[x])

    def _put_identity(self, record, fields, name, x):
        self._node('Identity', [x], name, self._shapes[x])

    def _put_softmax(self, record, fields, name, x):
        self._node('Softmax', [x], name, self._shapes[x], axis=1)

    def _put_clip(self, record, fields, name, x):
        bounds = [self._constant(f'{name}/{end}', np.array(fields[end], np.float32))
                  if np.isfinite(fields[end]) else '' for end in ('low', 'high')]
        self._node('Clip', [x, *bounds] if bounds[1] else [x, bounds[0]], name, self._shapes[x])

    def _put_prelu(self, record, fields, name, x):
        slope = self._array(record, 'slope').reshape(-1, *[1] * (len(self._shapes[x]) - 2))
        self._node('PRelu', [x, self._constant(f'{name}/slope', slope)], name, self._shapes[x])

    def _put_scale(self, record, fields, name, x):
        def operand(field):
            values = self._array(record, field).reshape(-1, *[1] * (len(self._shapes[x]) - 2))
            return [self._constant(f'{name}/{field}', values)]
        self._chain(record, self._shapes[x], ('product', 'Mul', [x, *operand('factor')], {}),
                    fields['bias'].size and ('sum', 'Add', operand('bias'), {}) or None,
                    _relu(fields))

    def _put_add(self, record, fields, name, a, b):
        kind = {(1, 1): 'Add', (1, -1): 'Sub'}.get(tuple(fields['coefficients']))
        if kind is None:
            raise ValueError(f"layer '{name}': a sum with coefficients is not written as ONNX")
        self._joint(record, kind, a, b)

    def _put_multiply(self, record, fields, name, a, b):
        self._joint(record, 'Mul', a, b)

    def _put_extremum(self, record, fields, name, a, b):
        self._joint(record, 'Max' if fields['kind'] == 'maximum' else 'Min', a, b)

    def _put_elementwise_prelu(self, record, fields, name, a, b):
        if self._shapes[a] != self._shapes[b]:
            a, b = self._as_cube(a, record), self._as_cube(b, record)
        self._node('PRelu', [a, b], name, self._shapes[a])

    def _joint(self, record, kind, a, b):
        if self._shapes[a] != self._shapes[b]:
            a, b = self._as_cube(a, record), self._as_cube(b, record)
        self._chain(record, max(self._shapes[a], self._shapes[b]), ('joint', kind, [a, b], {}),
                    _relu(record['fields']))

    def _put_concat(self, record, fields, name, *inputs):
        self._node('Concat', [self._as_cube(i, record) for i in inputs], name, self._cube(record),
                   axis=1)

    def _put_reshape(self, record, fields, name, x):
        self._reshaped(x, self._cube(record), name)

    def _put_flatten(self, record, fields, name, x):
        self._reshaped(x, (1, record['shape'][0]), name)

    def _put_activation(self, record, fields, name, x):
        kind = {'sigmoid': 'Sigmoid', 'tanh': 'Tanh', 'elu': 'Elu'}.get(fields['function'])
        if kind is None:
            raise ValueError(f"layer '{name}': {fields['function']} is not written as ONNX")
        how = {'alpha': float(fields['alpha'])} if kind == 'Elu' else {}
        self._node(kind, [x], name, self._shapes[x], **how)


def _relu(fields: dict[str, Any]) -> tuple[str, str, list[str], dict[str, Any]] | None:
    return ('relu', 'Relu', [], {}) if fields['relu'] else None


def model(records: list[dict[str, Any]],
          arrays: Mapping[tuple[str, str], np.ndarray] | None = None) -> bytes:
    """The network as ONNX; `arrays` are members of operators, by layer and field, that stand in
    place of those of the records. ValueError for a layer that ONNX has no operator for."""
    graph = _Graph(records, arrays or {}).bytes() + _block(2, 'nvdlac')
    return (_number(1, 7) + _block(2, 'nvdlac') + _block(7, graph)
            + _block(8, _block(1, '') + _number(2, 13)))
