#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a configuration does not have is not instantiated for it: no symbol of an object names it.

  absent_units.py SOURCE NM OBJECTS_OF_PRODUCTS.. --all OBJECTS_OF_ALL..

The object of a product of nv_small has nothing of what nv_small lacks. Where several
configurations share objects, those symbols count that name one of them; nv_full's have all, so that
a name that has changed is noticed. Prints the bytes of each configuration's own symbols.
"""
import pathlib
import re
import subprocess
import sys

# The symbols that belong to one feature alone, by its member of hw::spec.
FEATURES = {
    'rubik': [r'sim::rubik_pipeline<', r'emit::program<[^(]*\(nvdlac::layer::rubik const',
              r'runtime::workload<[^>]*>::move\('],
    'bdma': [r'sim::bdma_pipeline<', r'runtime::workload<[^>]*>::copy\('],
    'sdp_lut': [r'write_table<[^(]*\(nvdlac::layer::sdp const', r'sim::decode_sdp_lut<',
                r'sdp_engine<[^>]*>::look_up'],
    'winograd': [r'sim::check_winograd<', r'sim::winograd_core', r'sim::fp16_winograd_core',
                 r'sim::decode_extended_size<', r'sim::extend_input<'],
    'weight_compression': [r'sim::check_mask_bank<', r'sim::cdma_pipeline<[^>]*>::decompress\('],
    'batch': [r'sim::check_batch_addresses<', r'sim::sdp_decoder<[^>]*>::batches\('],
    'int16': [r'sim::int16_core', r'sim::reshape_slices<short>', r'sim::load_feature<short>'],
    'fp16': [r'sim::fp16_core'],
}


def symbols_of(nm, objects):
    """The defined functions and data of the objects, and their bytes."""
    listed = subprocess.run([nm, '-C', '-S', '--defined-only', *objects], check=True, text=True,
                            stdout=subprocess.PIPE).stdout
    found = re.findall(r'^[0-9a-f]+ ([0-9a-f]+) [a-zA-Z] (.*)$', listed, re.MULTILINE)
    return {name: int(size, 16) for size, name in found}


def features_of(header):
    """The features that a published configuration sets."""
    text = header.read_text()
    return {f for f in FEATURES if re.search(rf'\.{f} = true', text)}


def matching(symbols, patterns):
    return [s for s in symbols if any(re.search(p, s) for p in patterns)]


def main():
    source, nm, *objects = sys.argv[1:]
    product = [o for o in objects[:objects.index('--all')] if 'nv_small.cpp' in o]
    every = objects[objects.index('--all') + 1:]
    headers = sorted((pathlib.Path(source) / 'include/nvdlac/hw/configurations').glob('*.hpp'))
    lacks = {h.stem: [f for f in FEATURES if f not in features_of(h)] for h in headers}
    if lacks['nv_full'] or len(lacks['nv_small']) < 7 or len(headers) != 7:
        sys.exit(f'the features of the configurations are not found in {headers}')
    wrong = []

    of_nv_small = symbols_of(nm, product)
    for f in lacks['nv_small']:
        wrong += [f'the product of nv_small has no {f}, but {s}'
                  for s in matching(of_nv_small, FEATURES[f])]

    of_all = symbols_of(nm, every)
    bytes_of = {}
    for name, absent in lacks.items():
        own = {s: n for s, n in of_all.items() if re.search(rf'nvdlac::{name}\b', s)}
        bytes_of[name] = sum(own.values())
        for f in absent:
            wrong += [f'{name} has no {f}, but {s}' for s in matching(own, FEATURES[f])]
    for f, patterns in FEATURES.items():
        if not matching(of_all, patterns):
            wrong.append(f'no symbol of nv_full is known by those of {f}: {patterns}')
    if bytes_of['nv_small'] >= bytes_of['nv_full']:
        wrong.append('the symbols of nv_small are not smaller than those of nv_full')

    print(f'product of nv_small: {sum(of_nv_small.values()):,} bytes')
    for name, n in sorted(bytes_of.items(), key=lambda of: of[1]):
        print(f'symbols of {name}: {n:,} bytes')
    if wrong:
        sys.exit('\n'.join(wrong))


if __name__ == '__main__':
    main()
