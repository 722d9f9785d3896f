# SPDX-License-Identifier: Apache-2.0
"""The notebook of examples/notebook runs, and shows what it says."""
import base64
import importlib.util

import pytest

from conftest import SOURCE

NEEDED = ('nbformat', 'nbconvert', 'ipykernel', 'matplotlib', 'pandas')


def of_kind(cell, kind):
    return [''.join(out['data'][kind]) for out in cell.outputs if kind in out.get('data', {})]


def test_notebook():
    absent = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if absent:
        pytest.skip(f'absent: {", ".join(absent)}')
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor

    folder = SOURCE / 'examples/notebook'
    notebook = nbformat.read(folder / 'digits.ipynb', as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == 'code']
    assert all(not cell.outputs and cell.execution_count is None for cell in code)  # as it is kept
    ExecutePreprocessor(timeout=300, kernel_name='python3').preprocess(
        notebook, {'metadata': {'path': str(folder)}})

    first, page, layers, *rest = code
    assert '<nvdlac.Product digits for nv_small>' in first.outputs[0]['text']
    assert '<iframe srcdoc="&lt;!doctype html&gt;' in of_kind(page, 'text/html')[0]
    table = of_kind(layers, 'text/html')[0]
    assert '<td>CONV</td>' in table and 'conv1' in table
    pictures = {cell.source: of_kind(cell, 'image/png') for cell in rest
                if 'figures.' in cell.source}
    assert len(pictures) == 3
    for source, shown in pictures.items():
        assert len(shown) == 1, source
        png = base64.b64decode(shown[0])
        assert png.startswith(b'\x89PNG') and len(png) > 5000, source
    proof = next(cell for cell in rest if 'product.verify' in cell.source)
    assert '20 inputs' in of_kind(proof, 'text/plain')[0]
    assert 'mac_atomic_c' in of_kind(rest[-1], 'text/html')[0]
