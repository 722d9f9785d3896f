# SPDX-License-Identifier: Apache-2.0
"""Figures of a product and of its proof, by matplotlib: each function returns the axes on which it
draws, those that it is given or new ones."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import Product, Verification


def timeline(product: Product, axes: Any = None) -> Any:
    """When each hardware layer works, by units, in cycles of NVDLA's clock."""
    axes = axes or _axes()
    units = list(dict.fromkeys(layer['unit'] for layer in product.layers
                               if layer['cycles']['done'] > layer['cycles']['start']))
    for row, unit in enumerate(units):
        spans = [(c['start'], c['done'] - c['start'])
                 for c in (layer['cycles'] for layer in product.layers if layer['unit'] == unit)]
        axes.broken_barh(spans, (row - 0.4, 0.8), edgecolor='white', linewidth=0.5)
    axes.set_yticks(range(len(units)), units)
    axes.invert_yaxis()
    axes.set_xlabel('cycles')
    axes.set_title(f'{product.name} on {product.configuration.name}: {product.cycles:,} cycles')
    return axes


def roofline(product: Product, axes: Any = None) -> Any:
    """What MACs each layer does in a cycle of its own, beside what MACs and memory allow. What it
    waits behind another one is not; what it loads beside that one is, as far as it needs it."""
    axes = axes or _axes()
    hardware = product.report['hardware']
    most, bus = hardware['macs_per_cycle'], hardware['bytes_per_cycle']
    stages: dict[int, dict[str, int]] = {}
    for layer in product.layers:
        stage = stages.setdefault(layer['stage'], {'macs': 0, 'bytes': 0, 'own': 0, 'at_least': 0})
        stage['macs'] += layer['macs']
        stage['bytes'] += layer['bytes_read'] + layer['bytes_written']
        stage['own'] += layer['cycles']['own']
        stage['at_least'] = max(stage['at_least'], layer['cycles']['at_least'])
    dots = [(s['macs'] / s['bytes'], s['macs'] / max(s['own'], s['at_least']))
            for s in stages.values() if s['macs'] and s['bytes'] and s['at_least']]
    knee = most / bus
    left = min([knee / 4, *(x for x, _ in dots)])
    right = max([knee * 4, *(x for x, _ in dots)])
    axes.loglog([left, knee, right], [left * bus, most, most], color='black')
    axes.loglog([x for x, _ in dots], [y for _, y in dots], 'o')
    axes.set_xlabel('MACs a byte of memory')
    axes.set_ylabel('MACs a cycle')
    axes.set_title(f'{product.name} on {product.configuration.name}')
    return axes


def errors(found: Verification, axes: Any = None) -> Any:
    """Signal to noise of every layer, and of its own integers alone, in the network's order."""
    axes = axes or _axes()
    layers = [layer for layer in found.layers if layer['snr'] is not None]
    rows = range(len(layers))
    axes.barh(rows, [layer['snr'] for layer in layers], label='of the layer')
    axes.plot([layer['snr_of_its_own'] for layer in layers], rows, 'k|', markersize=10,
              label='of its own integers')
    axes.set_yticks(rows, [layer['name'] for layer in layers])
    axes.invert_yaxis()
    axes.set_xlabel('signal to noise, dB')
    axes.margins(x=0.4)
    axes.legend(loc='center right')
    axes.set_title(found.report['network'])
    return axes


def _axes() -> Any:
    from matplotlib import pyplot
    return pyplot.figure(figsize=(9, 4), layout='constrained').add_subplot()
