#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains an LSTM that tells four words apart and writes what else is in this directory.

    apt-get install python3-torch python3-numpy python3-h5py
    examples/speech/train.py

A word is 16 steps of the energies of 8 bands, as a front end for speech gives them, made up of a
tone that rises, falls, stays or stops, and of noise. The network is in the file that Keras 2 saves:

    model = keras.Sequential([keras.layers.LSTM(16, input_shape=(16, 8), name='lstm'),
                              keras.layers.Dense(4, activation='softmax', name='word')])
    model.save('words.h5')
"""
import json
import pathlib

import h5py
import numpy as np
import torch
from torch import nn

HERE = pathlib.Path(__file__).resolve().parent
STEPS, BANDS, UNITS, WORDS = 16, 8, 16, 4


def words(random, count):
    """Samples (count, STEPS, BANDS) and the word of each."""
    word = random.integers(WORDS, size=count)
    at = np.arange(STEPS) / (STEPS - 1)
    low, span = random.uniform(0.5, 3, (count, 1)), random.uniform(2.5, 4, (count, 1))
    middle = random.uniform(1.5, 5.5, (count, 1)) + 0 * at
    tone = np.select([word[:, None] == 0, word[:, None] == 1],
                     [low + span * at, low + span * (1 - at)], middle)
    sounds = (word[:, None] != 3) | (at < random.uniform(0.3, 0.6, (count, 1)))
    loud = random.uniform(0.6, 1.4, (count, 1)) * sounds
    energies = loud[..., None] * np.exp(-(np.arange(BANDS) - tone[..., None]) ** 2)
    return (energies + random.normal(0, 0.1, energies.shape)).astype(np.float32), word


class network(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(BANDS, UNITS, batch_first=True)
        self.word = nn.Linear(UNITS, WORDS)

    def forward(self, x):
        return self.word(self.lstm(x)[0][:, -1])


def save(net, path):
    """As Keras 2 saves it: gates in the order i, f, c, o, which is PyTorch's, and one bias."""
    def layer(kind, **config):
        return {'class_name': kind, 'config': {'trainable': True, 'dtype': 'float32', **config}}
    lstm = layer('LSTM', name='lstm', batch_input_shape=[None, STEPS, BANDS], units=UNITS,
                 activation='tanh', recurrent_activation='sigmoid', use_bias=True,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False,
                 unroll=False)
    word = layer('Dense', name='word', units=WORDS, activation='softmax', use_bias=True)
    model = {'class_name': 'Sequential', 'config': {'name': 'words', 'layers': [lstm, word]}}
    r, w = net.lstm, net.word
    weights = {'lstm': {'lstm/lstm_cell/kernel:0': r.weight_ih_l0.T,
                        'lstm/lstm_cell/recurrent_kernel:0': r.weight_hh_l0.T,
                        'lstm/lstm_cell/bias:0': r.bias_ih_l0 + r.bias_hh_l0},
               'word': {'word/kernel:0': w.weight.T, 'word/bias:0': w.bias}}
    with h5py.File(path, 'w') as file:
        file.attrs.update(keras_version='2.15.0', backend='tensorflow',
                          model_config=json.dumps(model))
        group = file.create_group('model_weights')
        group.attrs['layer_names'] = [name.encode() for name in weights]
        for name, values in weights.items():
            of_layer = group.create_group(name)
            of_layer.attrs['weight_names'] = [value.encode() for value in values]
            for value, tensor in values.items():
                of_layer[value] = tensor.detach().numpy()


def main():
    torch.manual_seed(1)
    random = np.random.default_rng(1)
    net = network()
    optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
    for _ in range(600):
        x, word = words(random, 64)
        loss = nn.functional.cross_entropy(net(torch.from_numpy(x)), torch.from_numpy(word))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    x, word = words(random, 2000)
    right = (net(torch.from_numpy(x)).argmax(1).numpy() == word).mean()
    print(f'{100 * right:.1f} % of 2000 other words are right')
    save(net, HERE / 'words.h5')
    np.save(HERE / 'calibration.npy', words(random, 32)[0])
    x, word = words(random, 20)
    np.save(HERE / 'words.npy', x)
    (HERE / 'spoken.txt').write_text(''.join(f'{w}\n' for w in word))


if __name__ == '__main__':
    main()
