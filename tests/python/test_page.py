# SPDX-License-Identifier: Apache-2.0
"""The Python of docs/python.md runs, in the order of the page, and prints what it says."""
import contextlib
import io
import re

from conftest import DIGITS, SOURCE


def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ('digits.onnx', 'calibration.idx', 'images'):
        (tmp_path / name).symlink_to(DIGITS / name)
    page = (SOURCE / 'docs/python.md').read_text()
    names = {}
    blocks = re.findall(r'```python\n(.*?)```(?:\s*```text\n(.*?)```)?', page, re.DOTALL)
    assert len(blocks) > 5
    for code, printed in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, 'docs/python.md', 'exec'), names)
        if printed:
            assert out.getvalue() == printed
