# SPDX-License-Identifier: Apache-2.0
"""Writes the trained network as ONNX and as Caffe, with the field numbers of the public schemas."""
import numpy

from wire import block, floats, number, real, varint

CLASSES = 10


# ---- ONNX: ModelProto, opset 13

def attribute(name, value):
    if isinstance(value, float):
        return block(5, block(1, name) + real(2, value) + number(20, 1))
    if isinstance(value, int):
        return block(5, block(1, name) + number(3, value) + number(20, 2))
    ints = b''.join(number(8, v) for v in value)
    return block(5, block(1, name) + ints + number(20, 7))


def node(kind, inputs, output, **attributes):
    return block(1, b''.join(block(1, i) for i in inputs) + block(2, output) + block(3, output)
                 + block(4, kind) + b''.join(attribute(k, v) for k, v in attributes.items()))


def initializer(name, array):
    dims = b''.join(number(1, d) for d in array.shape)
    return block(5, dims + number(2, 1) + block(8, name) + block(9, array.astype('<f4').tobytes()))


def value(field, name, shape):
    dims = b''.join(block(1, number(1, d)) for d in shape)
    return block(field, block(1, name) + block(2, block(1, number(1, 1) + block(2, dims))))


def onnx(w):
    window = dict(kernel_shape=[2, 2], strides=[2, 2])
    graph = [
        node('Conv', ['data', 'conv1.weight'], 'conv1', kernel_shape=[5, 5]),
        node('BatchNormalization',
             ['conv1', 'bn1.weight', 'bn1.bias', 'bn1.running_mean', 'bn1.running_var'], 'bn1',
             epsilon=1e-5),
        node('Relu', ['bn1'], 'relu1'),
        node('MaxPool', ['relu1'], 'pool1', **window),
        node('Conv', ['pool1', 'conv2.weight', 'conv2.bias'], 'conv2', kernel_shape=[3, 3],
             pads=[1, 1, 1, 1]),
        node('Relu', ['conv2'], 'relu2'),
        node('MaxPool', ['relu2'], 'pool2', **window),
        node('Flatten', ['pool2'], 'flat', axis=1),
        node('Gemm', ['flat', 'fc1.weight', 'fc1.bias'], 'fc1', transB=1),
        node('Relu', ['fc1'], 'relu3'),
        node('Gemm', ['relu3', 'fc2.weight', 'fc2.bias'], 'fc2', transB=1),
        node('Softmax', ['fc2'], 'prob', axis=1),
        block(2, 'digits'),
        *(initializer(name, array) for name, array in w.items()),
        value(11, 'data', [1, 1, 28, 28]),
        value(12, 'prob', [1, CLASSES]),
    ]
    return (number(1, 7) + block(2, 'nvdlac digits example') + block(7, b''.join(graph))
            + block(8, block(1, '') + number(2, 13)))


# ---- Caffe: NetParameter; the weights of the .caffemodel, the structure of digits.prototxt

def blob(array):
    shape = block(1, b''.join(varint(d) for d in array.shape))
    return block(7, block(7, shape) + floats(5, array))


def layer(name, kind, *arrays):
    return block(100, block(1, name) + block(2, kind) + b''.join(blob(a) for a in arrays))


def caffemodel(w):
    one = numpy.ones(1)  # the factor by which Caffe divides its moving averages
    return b''.join([
        block(1, 'digits'),
        layer('conv1', 'Convolution', w['conv1.weight']),
        layer('bn1', 'BatchNorm', w['bn1.running_mean'], w['bn1.running_var'], one),
        layer('scale1', 'Scale', w['bn1.weight'], w['bn1.bias']),
        layer('conv2', 'Convolution', w['conv2.weight'], w['conv2.bias']),
        layer('fc1', 'InnerProduct', w['fc1.weight'], w['fc1.bias']),
        layer('fc2', 'InnerProduct', w['fc2.weight'], w['fc2.bias']),
    ])
