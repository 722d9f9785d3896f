# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
import threading

import numpy as np
import pytest

import nvdlac


def run_command(command, *words):
    return subprocess.run([command, *map(str, words)], check=True, capture_output=True,
                          text=True).stdout


def test_it_is_what_the_command_line_makes(product, digits, command, tmp_path):
    run_command(command, 'compile', digits['model'], '-c', 'nv_small', '--calibration',
                digits['model'].parent / 'calibration.idx', '-o', tmp_path / 'c.nvdla',
                '--report', tmp_path / 'c.json')
    assert product.loadable == (tmp_path / 'c.nvdla').read_bytes()
    assert product.report == json.loads((tmp_path / 'c.json').read_text())
    product.save(tmp_path / 'p.nvdla')
    assert (tmp_path / 'p.nvdla').read_bytes() == product.loadable

    inputs = tmp_path / 'x.npy'
    np.save(inputs, digits['pictures'])
    run_command(command, 'run', tmp_path / 'c.nvdla', '-c', 'nv_small', '--input', inputs, '-o',
                tmp_path / 'y.npy')
    assert np.array_equal(product.run(digits['pictures']), np.load(tmp_path / 'y.npy'))


def test_a_trace_is_what_the_command_line_makes(product, digits, command, tmp_path):
    picture = digits['pictures'][:1]
    product.save_trace(tmp_path / 'p.nvtrace', picture)
    product.save_trace(tmp_path / 'l.nvtrace', picture, layers=True)
    product.save_trace(tmp_path / 'input.txn', picture, format='public')
    for trace in ('p.nvtrace', 'l.nvtrace', 'input.txn'):
        assert ', 0 differences' in run_command(command, 'replay', tmp_path / trace, '-c',
                                                'nv_small')
    assert list(tmp_path.glob('l.layer-*.bin')) and not list(tmp_path.glob('p.layer-*.bin'))
    np.save(tmp_path / 'x.npy', picture)
    run_command(command, 'compile', digits['model'], '-c', 'nv_small', '--calibration',
                digits['model'].parent / 'calibration.idx', '--trace', tmp_path / 'c.nvtrace')
    run_command(command, 'compile', digits['model'], '-c', 'nv_small', '--calibration',
                digits['model'].parent / 'calibration.idx', '-o', tmp_path / 'c.nvdla',
                '--overlay', tmp_path / 'o.json', '--save-schedule', tmp_path / 's.json')
    registers = [line for line in (tmp_path / 'c.nvtrace').read_text().splitlines()
                 if line.startswith('reg_write')]
    assert registers == [line for line in (tmp_path / 'p.nvtrace').read_text().splitlines()
                         if line.startswith('reg_write')]
    assert product.overlay['cycles'] == json.loads((tmp_path / 'o.cycles.json').read_text())
    assert set(product.overlay) >= {'cycles', 'unit', 'limit', 'bytes', 'scale', 'became'}
    assert product.schedule == json.loads((tmp_path / 's.json').read_text())
    with pytest.raises(nvdlac.Error, match='one run, but there are 2 inputs'):
        product.save_trace(tmp_path / 'n.nvtrace', digits['pictures'][:2])
    with pytest.raises(ValueError, match='nvtrace, public, c, uio'):
        product.save_trace(tmp_path / 'n.nvtrace', picture, format='vcd')


def test_records(product):
    assert product.name == 'digits'
    assert product.configuration.name == 'nv_small'
    assert product.cycles == product.report['prediction']['cycles']
    assert [layer['unit'] for layer in product.layers[:2]] == ['CONV', 'SDP']
    assert product.inputs == {'data': (1, 1, 28, 28)}
    assert product.outputs == {'prob': (1, 10)}
    assert product.scales['ranges']['conv1'] > 0
    assert 'digits' in repr(product)
    page = product.page()
    assert page.startswith('<!doctype html>')
    assert 'srcdoc' in product._repr_html_()


def test_shapes_of_inputs(product, digits):
    x = digits['pictures']
    all = product.run(x)
    assert all.shape == (len(x), 10) and all.dtype == np.float32
    assert (all.argmax(1) == digits['labels']).mean() > 0.8
    assert product.run(x[0]).shape == (10,)
    assert np.array_equal(product.run(x[0]), all[0])
    assert product.run(x[:1]).shape == (1, 10)
    for same in (x[:, None], x[..., None], np.asfortranarray(x), x[::1], {'data': x}):
        assert np.array_equal(product.run(same), all)
    assert np.array_equal(product.run(x[::-1]), all[::-1])
    assert np.array_equal(product.run(digits['files']), all)
    assert np.array_equal(product.run(x, threads=2), all)


def test_floats_are_values(digits):
    floats = digits['calibration'].astype(np.float64)
    product = nvdlac.compile(digits['model'], 'nv_small', calibration=floats)
    x = digits['pictures'].astype(np.float32)
    assert (product.run(x).argmax(1) == digits['labels']).mean() > 0.8
    with pytest.raises(nvdlac.Error, match='not finite|finite floats'):
        product.run(np.full((28, 28), np.nan, np.float32))
    with pytest.warns(nvdlac.DoubtfulInput, match='beyond what the calibration saw'):
        product.run(x * 10)


def test_wrong_inputs(product, digits):
    with pytest.raises(nvdlac.Error, match='reads pixels') as e:
        product.run(digits['pictures'].astype(np.float32))
    assert 'input_format int8' in e.value.problems[0].remedy
    with pytest.raises(nvdlac.Error, match='array'):
        product.run(np.zeros((3, 27, 28), np.uint8))
    with pytest.raises(nvdlac.Error, match="no input 'image'"):
        product.run({'image': digits['pictures']})
    with pytest.raises(nvdlac.Error, match='no array of numbers'):
        product.run(np.array(['a']))


def test_options_are_keywords(digits, command):
    same = nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'],
                          without='fuse_relu', mean=[0], scale=1.0, threads=1, order='grey')
    assert same.cycles > 0
    unit = nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'],
                          mean=0.5, std=[0.25])
    how = unit.report['inputs'][0]['preprocessing']
    assert how['mean'] == [127.5] and how['scale'] == [1 / 63.75]
    with pytest.raises(ValueError, match='mean 0.5 is of pixels from 0 to 1: give std'):
        nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'], mean=0.5)
    with pytest.raises(TypeError, match="did you mean 'approximate'"):
        nvdlac.compile(digits['model'], 'nv_small', approximat=True)
    with pytest.raises(TypeError, match="did you mean 'calibration'"):
        nvdlac.compile(digits['model'], 'nv_small', calibrate=digits['calibration'])
    with pytest.raises(ValueError, match='effort'):
        nvdlac.compile(digits['model'], 'nv_small', effort=7)
    with pytest.raises(ValueError, match='takes a value'):
        nvdlac.compile(digits['model'], 'nv_small', effort=True)
    with pytest.raises(ValueError, match="no configuration 'nv_smal'"):
        nvdlac.compile(digits['model'], 'nv_smal')
    with pytest.raises(ValueError, match='Give calibration'):
        nvdlac.compile(digits['model'], 'nv_small')

    # Each option of the command that makes no file is a keyword, and no others are.
    help_text = run_command(command, 'compile', '--help')
    keywords = {o['option'] for of in ('read', 'compile') for o in nvdlac.options(of)}
    in_help = {word.split(',')[-1] for word in help_text.split() if word.startswith(('--', '-c,'))}
    assert keywords <= in_help
    others = {word for word in in_help - keywords if word[2:3].isalpha()}
    for option in ('--output', '--trace', '--html', '--calibration', '--config', '--help'):
        others.discard(option)
    assert '--effort' in keywords and '--effort' not in others
    assert 'effort' in nvdlac.compile.__doc__ and 'effort' in str(nvdlac.compile.__signature__)


def test_limits_are_those_of_a_model(digits):
    with pytest.raises(nvdlac.Error, match='more than the limit of 5 .*limit nodes='):
        nvdlac.read(digits['model'], limit={'nodes': 5})
    few = nvdlac.compile(digits['model'], 'nv_small', calibration=digits['calibration'],
                         limit={'work': 1000})
    with pytest.raises(nvdlac.Error, match='limit work='):
        few.run(digits['pictures'])
    model = nvdlac.read(digits['model'])  # which has the defaults
    with pytest.raises(TypeError, match='limit: an option of nvdlac.read'):
        nvdlac.compile(model, 'nv_small', calibration=digits['calibration'],
                       limit={'work': 1000})
    whole = nvdlac.compile(model, 'nv_small', calibration=digits['calibration'])
    assert len(whole.run(digits['pictures'])) == len(digits['pictures'])


def test_verify(product, digits, command, tmp_path):
    found = product.verify(digits['pictures'], digits['labels'], layers=4)
    assert len(found.inputs) == len(digits['pictures'])
    assert [row['label'] for row in found.inputs] == digits['labels']
    assert [row['class'] for row in found.inputs] == list(product.run(digits['pictures']).argmax(1))
    assert found.report['inputs_of_layers'] == 4
    assert {layer['name'] for layer in found.layers} >= {'conv1', 'fc2'}
    assert found.accuracy > 0.8 and 0 <= found.same_class <= 1
    assert found.changed() == [r for r in found.inputs if r['class'] != r['float_class']]
    assert 'same class' in repr(found)

    np.save(tmp_path / 'x.npy', digits['pictures'])
    (tmp_path / 'labels.txt').write_text('\n'.join(map(str, digits['labels'])))
    by_command = json.loads(run_command(
        command, 'verify', digits['model'], '-c', 'nv_small', '--calibration',
        digits['model'].parent / 'calibration.idx', '--input', tmp_path / 'x.npy', '--labels',
        tmp_path / 'labels.txt', '--json'))
    ours = product.verify(digits['pictures'], digits['labels']).report
    for of_input in ours['configs'][0]['each']:
        of_input['name'] = of_input['name'].replace('array', 'x.npy')
    assert ours == by_command
    with pytest.raises(nvdlac.Error, match='1 label for 20 inputs'):
        product.verify(digits['pictures'], [1])


def test_threads_of_python(product, digits):
    expected = product.run(digits['pictures'])
    found = {}

    def work(n):
        found[n] = product.run(digits['pictures'])

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert all(np.array_equal(found[n], expected) for n in range(3))


def test_load(product, digits, tmp_path):
    product.save(tmp_path / 'a.nvdla')
    for program in (nvdlac.load(tmp_path / 'a.nvdla'), nvdlac.load(product.loadable),
                    nvdlac.load(product.loadable, 'nv_small')):
        assert program.configuration.name == 'nv_small'
        assert program.inputs == product.inputs and program.outputs == product.outputs
        assert np.array_equal(program.run(digits['pictures']), product.run(digits['pictures']))
    with pytest.raises(nvdlac.Error):
        nvdlac.load(b'no loadable')
