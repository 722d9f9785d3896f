# SPDX-License-Identifier: Apache-2.0
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import nvdlac
from conftest import DIGITS


def test_configurations():
    small = nvdlac.configurations['nv_small']
    assert small.name == 'nv_small' and small.spec['mac_atomic_c'] == 8
    assert small.describe()['data_types'] == ['int8']
    assert 'nv_small' in repr(small)


def test_what_is_no_configuration_is_told(digits):
    for wrong in ({'mac_atomic_c': 16}, 3, None):
        with pytest.raises(TypeError, match="a name, such as 'nv_small', or a nvdlac.Config"):
            nvdlac.compile(digits['model'], wrong)


def test_own_configuration(digits, tmp_path):
    mine = nvdlac.Configuration('mine', base='nv_small', mac_atomic_c=16, cbuf_entry=16,
                                members={'dram.latency': 100})
    assert mine.spec['mac_atomic_c'] == 16 and mine.spec['dram.latency'] == 100
    product = nvdlac.compile(digits['model'], mine, calibration=digits['calibration'])
    assert product.configuration.name == 'mine'
    assert product.cycles > 0 and len(product.loadable) > 1000
    with pytest.raises(nvdlac.Error, match='no simulator'):
        product.run(digits['pictures'])
    with pytest.raises(nvdlac.Error, match="no member 'macs'"):
        nvdlac.Configuration('mine', macs=1)
    with pytest.raises(nvdlac.Error):
        nvdlac.Configuration('mine', mac_atomic_c=7)
    same = nvdlac.Configuration('same', 'nv_small')
    as_published = nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'])
    own = nvdlac.compile(digits['model'], same, calibration=digits['calibration'])
    assert own.cycles == as_published.cycles
    with pytest.raises(nvdlac.Error):
        nvdlac.Configuration.from_spec(tmp_path / 'absent.spec')
    # Its own numbers decide what it runs, and not those of the configuration it was made from.
    without_pdp = nvdlac.Configuration('without_pdp', 'nv_small', pdp_throughput=0)
    with pytest.raises(nvdlac.Error, match='pool does not run on without_pdp'):
        nvdlac.compile(digits['model'], without_pdp, calibration=digits['calibration'])


def test_sources_of_models(digits):
    from_file = nvdlac.read(digits['model'])
    assert from_file.inputs == {'data': (1, 1, 28, 28)} and from_file.notes == []
    content = digits['model'].read_bytes()
    expected = nvdlac.compile(from_file, 'nv_small', calibration=digits['calibration']).loadable

    class Proto:  # as an onnx.ModelProto
        def SerializeToString(self):
            return content

    for source in (content, Proto()):
        model = nvdlac.read(source, name='digits.onnx')
        made = nvdlac.compile(model, 'nv_small', calibration=digits['calibration'])
        assert made.loadable == expected
    caffe = nvdlac.compile(nvdlac.read(DIGITS / 'digits.prototxt', DIGITS / 'digits.caffemodel'),
                           'nv_small', calibration=DIGITS / 'calibration.idx')
    assert caffe.cycles > 0
    with pytest.raises(TypeError, match='nvdlac.read'):
        nvdlac.compile(from_file, 'nv_small', random_weights=1)
    with pytest.raises(TypeError, match="did you mean 'shape'"):
        nvdlac.read(digits['model'], shap={'data': [1, 1, 28, 28]})
    part = nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'],
                          to='conv1')
    assert list(part.outputs) == ['conv1'] or part.outputs


def test_errors_have_problems(tmp_path):
    (tmp_path / 'a.onnx').write_bytes(b'\0nothing')
    with pytest.raises(nvdlac.Error) as e:
        nvdlac.read(tmp_path / 'a.onnx')
    problem = e.value.problems[0]
    assert problem.file.endswith('a.onnx') and problem.reason and problem.remedy
    assert str(e.value).startswith(problem.file)


def test_explore(digits):
    found = nvdlac.explore(digits['model'], 'nv_small',
                           {'mac_atomic_c': [8, 16], 'cbuf_banks': [16, 32]},
                           calibration=digits['calibration'])
    assert found.points and found.front
    assert {'mac_atomic_c', 'cbuf_banks', 'cycles'} <= set(found.points[0])
    base = [p for p in found.points if (p['mac_atomic_c'], p['cbuf_banks']) == (8, 32)]
    assert len(base) == 1
    with pytest.raises(nvdlac.Error, match='no member'):
        nvdlac.explore(digits['model'], 'nv_small', {'macs': [1]},
                       calibration=digits['calibration'])


def test_progress(digits, product):
    told = []
    nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'],
                   progress=lambda *what: told.append(what))
    assert told and all(isinstance(w, str) and done <= (all or done) for w, done, all in told)
    told.clear()
    product.run(digits['pictures'], progress=lambda *what: told.append(what))
    assert told[-1] == ('simulating', len(digits['pictures']), len(digits['pictures']))

    class Wrong(Exception):
        pass

    def fail(*_):
        raise Wrong()

    with pytest.raises(Wrong):
        product.run(np.repeat(digits['pictures'], 30, 0), progress=fail)
    product.run(digits['pictures'])  # goes on as before


def test_the_interpreter_goes_on(product, digits):
    """Another thread of Python works while a product runs."""
    x = np.repeat(digits['pictures'], 40, 0)
    turns = 0
    work = threading.Thread(target=lambda: product.run(x))
    work.start()
    while work.is_alive():
        turns += 1
        time.sleep(0.001)
    work.join()
    assert turns > 5


def test_ctrl_c(digits):
    script = (
        'import sys, numpy as np, nvdlac\n'
        f'x = np.zeros((100000, 28, 28), np.uint8)\n'
        f'p = nvdlac.compile({str(digits["model"])!r}, "nv_small",\n'
        f'    calibration={str(DIGITS / "calibration.idx")!r})\n'
        'print("ready", flush=True)\n'
        'try:\n    p.run(x)\n'
        'except KeyboardInterrupt:\n    print("stopped", p.run(x[:1]).shape)\n')
    child = subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == 'ready\n'
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    assert out == 'stopped (1, 10)\n'


def test_stubs_are_of_this_module():
    stub = pathlib.Path(nvdlac.__file__).with_name('_options.pyi').read_text()
    for of in ('read', 'compile'):
        for option in nvdlac.options(of):
            assert f'    {option["name"]}: ' in stub
    assert os.path.exists(pathlib.Path(nvdlac.__file__).with_name('py.typed'))
