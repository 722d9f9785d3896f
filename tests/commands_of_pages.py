#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands that the pages tell: commands_of_pages.py ROOT NVDLAC BUILD [PAGE..]

Commands stand in blocks of ```sh and ```python. Those of sh are run, in an own folder for each page
that holds the files of FILES, unless the line that opens the block goes on with

    run by TEST             which runs them; BUILD knows a test of that name, unless it is -
    not run here: REASON

as the blocks of python must. After a line that begins with `$` the block tells what the command
says, which is compared but for the breaks of lines. Commands that need networks which are not part
of the repository are not run where these are absent; material.py says how the test ends then.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT, NVDLAC = (pathlib.Path(a).resolve() for a in sys.argv[1:3])
BUILD = sys.argv[3]
DIGITS, SPEECH = ROOT / 'examples/digits', ROOT / 'examples/speech'
sys.dont_write_bytecode = True
sys.path.insert(0, str(DIGITS))
import material  # noqa: E402
from wire import block, number  # noqa: E402

NETS = material.SHARED / 'nets'

GENERATED = ['docs/troubleshooting.md']  # by tests/fail, of what compilers say
TOLD = re.compile(r'^```(\w*)([^\n]*)\n(.*?)^```$', re.M | re.S)
COMMAND = re.compile(
    r'^    (?:\$ )?(?:apt|build/|cmake|ctest|docker|man|mpirun|nvdlac|python3|tools/).*', re.M)
LANGUAGES = {'sh', 'python', 'c', 'cpp', 'cmake', 'json', 'text'}


def pictures(width, height, channels):
    """A folder of three pictures, of the same noise each time."""
    def write(folder):
        folder.mkdir()
        state = 1
        for name in 'abc':
            content = bytearray()
            for _ in range(width * height * channels):
                state = (state * 1103515245 + 12345) % 2**31
                content.append(state >> 23)
            header = f'P{5 if channels == 1 else 6}\n{width} {height}\n255\n'.encode()
            (folder / f'{name}.{"pgm" if channels == 1 else "ppm"}').write_bytes(header + content)
    return write


def large_pooling(path):
    """An ONNX file of a pooling with more work than is plausible."""
    def value(field, name, shape):
        dims = b''.join(block(1, number(1, size)) for size in shape)
        return block(field, block(1, name) + block(2, block(1, number(1, 1) + block(2, dims))))

    window = block(1, 'kernel_shape') + number(8, 1001) + number(8, 1001) + number(20, 7)
    node = block(1, 'data') + block(2, 'pool') + block(3, 'pool') + block(4, 'MaxPool')
    graph = [block(1, node + block(5, window)), value(11, 'data', [1, 1, 2000, 2000]),
             value(12, 'pool', [1, 1, 1000, 1000])]
    path.write_bytes(number(1, 7) + block(7, b''.join(graph)) + block(8, number(2, 13)))


def labels(path):
    names = sorted(picture.name for picture in (DIGITS / 'images').iterdir())
    path.write_text(''.join(f'{name[0]}\n' for name in names))


def plan(path):
    path.write_text('{"networks": [{"model": "digits.onnx", "calibration": "pictures"}],'
                    ' "configurations": ["nv_small"]}')


EVERYWHERE = {'digits.onnx': DIGITS / 'digits.onnx', 'my.onnx': DIGITS / 'digits.onnx',
              'pictures': DIGITS / 'images', 'tests': DIGITS / 'images', 'labels.txt': labels,
              '3.pgm': DIGITS / 'images/3_a.pgm', 'plan.json': plan}
FILES = {
    'docs/caffe.md': {
        'deploy.prototxt': NETS / 'caffe_hdf5/cifar10_quick.prototxt',
        'my_model.caffemodel.h5': NETS / 'caffe_hdf5/cifar10_quick_iter_5000.caffemodel.h5',
        'pictures': pictures(32, 32, 3)},
    'docs/coreml.md': {'my_model.mlpackage': NETS / 'coreml/resnet20_fp16.mlpackage',
                       'pictures': pictures(32, 32, 3)},
    'docs/darknet.md': {'yolo.cfg': NETS / 'darknet/yoloface-50k.cfg',
                        'yolo.weights': NETS / 'darknet/yoloface-50k.weights',
                        'pictures': pictures(56, 56, 3)},
    'docs/explore.md': {'resnet50.onnx': DIGITS / 'digits.onnx'},
    'docs/keras.md': {'my_model.keras': NETS / 'keras/mlperf_resnet8_cifar10.keras',
                      'pictures': pictures(32, 32, 3),
                      **{path.name: path for path in SPEECH.iterdir()}},
    'docs/limits.md': {'pool.onnx': large_pooling},
    'docs/pytorch.md': {'my_model.pt2': NETS / 'pytorch/handmade_lenet.pt2',
                        'pictures': pictures(32, 32, 1)},
    'docs/tensorflow.md': {'my_model': NETS / 'tensorflow/kws_ref_model.savedmodel',
                           'pictures': pictures(10, 49, 1)},
    'docs/tflite.md': {
        'kws.tflite': NETS / 'tflite/mlperf_kws_ref_model.tflite',
        'yes.npy': NETS / 'tensorflow/kws_ref_model.savedmodel.input_0.npy',
        'silence.npy': NETS / 'tensorflow/kws_ref_model.savedmodel.input_2.npy'},
    'docs/tutorial.md': {path.name: path for path in DIGITS.iterdir()},
}


def lay(folder, files):
    """Puts the files there; returns those that are not at hand."""
    absent = []
    for name, source in files.items():
        if callable(source):
            source(folder / name)
        elif not source.exists():
            absent.append(str(source))
        else:
            (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return absent


def said(script, folder):
    paths = f'{NVDLAC.parent}:{os.environ["PATH"]}'
    done = subprocess.run(['bash', '-e', '-c', script], cwd=folder, text=True, timeout=200,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env={**os.environ, 'PATH': paths, 'COLUMNS': '100', 'NO_COLOR': '1'})
    return done.returncode, done.stdout


def steps(text):
    """The scripts of a block, each with what it says, where the block tells that."""
    if not re.search(r'^\$ ', text, re.M):
        return [(text, None)]
    return [tuple(part.split('\n', 1)) for part in re.split(r'^\$ ', text, flags=re.M)[1:]]


def problems(page, text, tests, configurations, missing):
    """What is wrong with a page; `missing` gets the material that is absent."""
    wrong = [f'a command is indented, not in a block of sh: {line.strip()}'
             for line in COMMAND.findall(TOLD.sub('', text))]
    absent = None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for language, how, told in TOLD.findall(text):
            how = how.strip()
            first = told.split('\n')[0]
            if language not in LANGUAGES and (language or page != 'README.md'):  # g++ says it there
                wrong.append(f'a block is of the language "{language}": {first}')
            if how.startswith('run by ') and BUILD != '-' and how[7:] not in tests:
                wrong.append(f'there is no test {how[7:]}')
            elif how and not how.startswith('run by ') and not how.startswith('not run here: '):
                wrong.append(f'what does "{how}" mean? {first}')
            if language == 'python' and not how:
                wrong.append(f'who runs this Python? {first}')
            if language != 'sh' or how:
                continue
            if absent is None:
                absent = lay(folder, {**EVERYWHERE, **FILES.get(page, {})})
                missing += absent
            if others := set(re.findall(r'\bnv_\w+', told)) - configurations:
                absent.append(f'a tool for {", ".join(sorted(others))}')
            if absent:
                print(f'{page}: not run for want of {", ".join(absent)}: {first}')
                continue
            for script, expected in steps(told):
                code, answer = said(script, folder)
                if expected is None and code != 0:
                    wrong.append(f'{script}gives {code} and says\n{answer}')
                elif expected is not None and answer.split() != expected.split():
                    wrong.append(f'{script} says\n{answer}')
    return [f'{page}: {problem}' for problem in wrong]


def main():
    listed = '' if BUILD == '-' else subprocess.run(['ctest', '-N'], cwd=BUILD, text=True,
                                                     stdout=subprocess.PIPE).stdout
    tests = set(re.findall(r'^ +Test +#\d+: (.*)$', listed, re.M))
    configurations = set(re.findall(r'^nv_\w+', said('nvdlac configs', ROOT)[1], re.M))
    pages = sys.argv[4:] or [str(page.relative_to(ROOT))
                             for where in ('*.md', 'docs/**/*.md', 'examples/*/*.md')
                             for page in ROOT.glob(where)]
    wrong, missing = [], []
    for page in sorted(set(pages) - set(GENERATED)):
        wrong += problems(page, (ROOT / page).read_text(), tests, configurations, missing)
    print('\n'.join(wrong) or 'what the pages tell works')
    if missing and not wrong:
        material.leave(*missing)
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main())
