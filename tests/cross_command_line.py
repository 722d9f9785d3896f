#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the whole command line for another processor, with the libraries of tools/sysroot, and
compares what it compiles and computes, in an emulator, with what this machine's does: loadables,
outputs of the simulator and what `verify` prints.

cross_command_line.py NVDLAC SOURCE FOLDER SHARED ARCHITECTURE
    exit code 77 where the cross compiler or qemu-user is absent; where the networks are,
    material.py says how it ends
"""
import pathlib
import random
import shutil
import subprocess
import sys
import time

import material
from cross import run, tools

# Networks of SHARED/nets, each behind the colours, height and width of its pictures.
networks = '''
1x28x28 caffe/lenet.prototxt caffe/lenet.caffemodel
3x32x32 onnx/mlperf_pretrainedResnet_fromtfl.onnx
3x32x32 onnx/resnet20_cifar10_akamaster.onnx
1x49x10 onnx/mlperf_kws_ref_model_float32_fromtfl.onnx
1x96x96 onnx/tflm_person_detect_fromtfl.onnx
1x28x28 onnx/wonnx_opt-mnist.onnx
1x28x28 onnx/tengine_mnist.onnx
1x28x28 onnx/mnist_cntk_op8.onnx
3x56x56 darknet/yoloface-50k.cfg darknet/yoloface-50k.weights
3x128x128 tflite/coral_mobilenet_v1_0.25_128_quant.tflite
3x240x320 onnx/linzaer_version-RFB-320_simplified.onnx --host allow
3x48x48 caffe/mtcnn_det3.prototxt caffe/mtcnn_det3.caffemodel
'''.strip().splitlines()


def picture(file, shape, seed):
    """Noise, grey or coloured: what a network sees need not mean anything."""
    colours, height, width = (int(n) for n in shape.split('x'))
    values = random.Random(seed).randbytes(colours * height * width)
    file.write_bytes(f'P{6 if colours == 3 else 5} {width} {height} 255\n'.encode() + values)


def compare(nvdlac, emulated, folder, nets, architecture):
    for number, line in enumerate(networks):
        shape, *words = line.split()
        model = [nets / word if '/' in word else word for word in words]
        input_file = folder / f'{number}.ppm'
        picture(input_file, shape, number)
        made = {}
        for side, command in (('here', [nvdlac]), (architecture, emulated)):
            loadable, output = folder / f'{number}.{side}.nvdla', folder / f'{number}.{side}'
            shutil.rmtree(output, ignore_errors=True)
            output.mkdir()
            begin = time.time()
            run(*command, 'compile', *model, '--config', 'nv_small', '--calibration', input_file,
                '-o', loadable, '--quiet')
            run(*command, 'run', loadable, '--config', 'nv_small', '--input', input_file,
                '--output', output / 'out.npy', stdout=subprocess.DEVNULL)
            verified = run(*command, 'verify', *model, '--config', 'nv_small', '--calibration',
                           input_file, '--input', input_file, stdout=subprocess.PIPE).stdout
            files = sorted(output.glob('*.npy'))
            made[side] = (loadable.read_bytes(), [f.read_bytes() for f in files], verified)
            print(f'{words[0]} {side}: {len(made[side][0])} bytes, {time.time() - begin:.1f} s',
                  flush=True)
        for what, here, there in zip(('loadable', 'outputs', 'verify'), *made.values()):
            assert here == there, f'{words[0]}: {what} of {architecture} is another'
        assert made['here'][1], 'there are no outputs'


def main(nvdlac, source, folder, shared, architecture):
    source, folder, nets = (pathlib.Path(p) for p in (source, folder, shared + '/nets'))
    _, _, emulator = tools(source, architecture)
    if not nets.is_dir():
        material.leave(nets)
    root = source / 'build/sysroot' / architecture
    if subprocess.run([source / 'tools/sysroot', architecture, root]).returncode != 0:
        print(f"skipped: {root} lacks the processor's libraries, which tools/sysroot did not bring")
        sys.exit(77)
    run('cmake', '--preset', architecture, '-S', source, '-B', folder / 'build',
        f'-DNVDLAC_SYSROOT={root}', '-DNVDLAC_CONFIGURATIONS=nv_small',
        '-DCMAKE_CXX_FLAGS_RELEASE=-O1', stdout=subprocess.DEVNULL)
    run('cmake', '--build', folder / 'build', '--target', 'nvdlac_cli', stdout=subprocess.DEVNULL)
    compare(nvdlac, [emulator, '-L', root, folder / 'build/nvdlac'], folder, nets, architecture)


if __name__ == '__main__':
    main(*sys.argv[1:])
