#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates all JSON of the command line against docs/schema/nvdlac.schema.json.

schema.py NVDLAC SOURCE_DIR
    exit code 77 where Python has no jsonschema
"""
import copy
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    if sys.executable != '/usr/bin/python3' and shutil.which('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])  # Debian's has it
    print('skipped: Python has no jsonschema (python3-jsonschema); `tools/setup ci` installs it')
    sys.exit(77)

NVDLAC, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
DIGITS = SOURCE / 'examples/digits'
SCHEMA = json.loads((SOURCE / 'docs/schema/nvdlac.schema.json').read_text())


def closed(schema):
    """The schema, with which no object has keys that it does not name."""
    if isinstance(schema, list):
        return [closed(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if schema.get('type') == 'object' and 'additionalProperties' not in schema and \
            'allOf' not in schema:
        result['additionalProperties'] = False
    return result


Draft202012Validator.check_schema(SCHEMA)
OPEN, CLOSED = Draft202012Validator(SCHEMA), Draft202012Validator(closed(SCHEMA))
seen = set()


def nvdlac(folder, *arguments, code=0):
    run = subprocess.run([NVDLAC, *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if run.returncode != code:
        sys.exit(f'{arguments}: exit code {run.returncode}, not {code}\n{run.stderr}')
    return run.stdout


def check(text, kind):
    document = json.loads(text)
    problems = [f'{kind}: {list(e.absolute_path)}: {e.message[:300]}'
                for e in CLOSED.iter_errors(document)]
    if problems:
        sys.exit('\n'.join(problems))
    if document['schema'] != f'nvdlac.{kind}':
        sys.exit(f'{kind} calls itself {document["schema"]}')
    seen.add(document['schema'])
    return document


def refused(document, what):
    if OPEN.is_valid(document):
        sys.exit(f'the schema takes a document {what}')


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    model = [DIGITS / 'digits.onnx', '-c', 'nv_small', '--calibration', DIGITS / 'calibration.idx']
    picture = ['--input', DIGITS / 'images/7_a.pgm']
    labels = folder / 'labels.txt'
    labels.write_text(''.join(f'{n // 2}\n' for n in range(20)))

    nvdlac(folder, 'compile', *model, '--report', 'a.json', '-o', 'a.nvdla', '--trace',
           'a.nvtrace')
    report = check((folder / 'a.json').read_text(), 'report')
    nvdlac(folder, 'compile', *model, '--input-format', 'int8', '--without', 'fuse_relu',
           '--resize', 'fill:32', '--crop', '28', '--report', 'b.json', '-o', 'b.nvdla')
    resized = check((folder / 'b.json').read_text(), 'report')['inputs'][0]['preprocessing']
    if (resized['resize'], resized['crop']) != ('fill:32', 28):
        sys.exit(f'the report tells {resized}')

    nvdlac(folder, 'compile', *model, '--optimize', '30', '--save-schedule', 's.json', '-o',
           's.nvdla')
    check((folder / 's.json').read_text(), 'schedule')

    check(nvdlac(folder, 'configs', '--json'), 'configs')
    for loadable in ('a.nvdla', 'b.nvdla'):
        check(nvdlac(folder, 'inspect', loadable, '--json'), 'inspect')
        run = ['run', loadable, '-c', 'nv_small', *picture]
        check(nvdlac(folder, *run, '--json'), 'run')
        ran = check(nvdlac(folder, *run, '--json', '--layers'), 'run')
        if not all(layer['name'] for layer in ran['layers']):
            sys.exit('a layer has no name')
        check(nvdlac(folder, 'bench', loadable, *picture, '--runs', '3', '--json'), 'bench')
        nvdlac(folder, *run, '--layers=layers.json')
        check((folder / 'layers.json').read_text(), 'layers')
        nvdlac(folder, *run, '--save-tensors', 'tensors')
        saved = check((folder / 'tensors/index.json').read_text(), 'tensors')['tensors']
        if not all('real' in t for t in saved if t['type'] != 'pixels'):
            sys.exit('a tensor has no scale')
        reported = json.loads((folder / loadable).with_suffix('.json').read_text())
        layer_of = {row['name']: row['layer'] for row in reported['layers']}
        for t in saved:
            if 'layer' in t and reported['scales']['layers'][layer_of[t['layer']]] != {
                    key: t[key] for key in ('scale', 'zero')}:
                sys.exit(f'report and tensors tell different scales of {t["layer"]}')
    nvdlac(folder, 'replay', 'a.nvtrace', '-c', 'nv_small', '--layers=layers.json')
    check((folder / 'layers.json').read_text(), 'layers')

    verify = ['verify', *model, '--json', '--input', DIGITS / 'images']
    check(nvdlac(folder, *verify), 'verify')
    check(nvdlac(folder, *verify, '--labels', labels, '--max-drop', '0', '--min-snr', '1'),
          'verify')
    judged = check(nvdlac(folder, *verify, '--min-top1', '100', '--min-snr', '300', code=4),
                   'verify')
    if [t['met'] for t in judged['thresholds']] != [True, False]:
        sys.exit(f'the thresholds are {judged["thresholds"]}')

    check(nvdlac(folder, 'diff', 'a.nvdla', 'a.nvdla', '--json'), 'diff')
    check(nvdlac(folder, 'diff', 'a.nvdla', 'b.nvdla', '--json', code=1), 'diff')

expected = set(SCHEMA['properties']['schema']['enum'])
if seen != expected:
    sys.exit(f'not written: {expected - seen}')

# The schema refuses what is no such document.
wrong = copy.deepcopy(report)
wrong['version'] = 2
refused(wrong, 'of version 2')
refused(report | {'schema': 'nvdlac.other'}, 'of no kind')
del wrong['layers'], wrong['version']
refused(wrong, 'without layers')
for key, value in (('inputs', [{'name': 'x'}]), ('scales', 1), ('precision', 'int4')):
    refused(report | {key: value}, f'whose {key} is {value}')
print(f'{len(seen)} kinds of documents are as the schema says')
