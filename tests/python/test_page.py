# SPDX-License-Identifier: Apache-2.0
"""The Python of the pages runs, in the order of the page, and prints what it says."""
import contextlib
import io
import re

from conftest import DIGITS, SOURCE


def run_page(page, names, by='test_page'):
    """Runs what the page says that this test runs."""
    blocks = re.findall(r'^```python[^\n]* tests/python/' + by + r'\.py does\n(.*?)^```$'
                        r'(?:\s*^```text\n(.*?)^```$)?',
                        (SOURCE / page).read_text(), re.DOTALL | re.MULTILINE)
    for code, printed in blocks:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, page, 'exec'), names)
        if printed:
            assert out.getvalue() == printed
    return len(blocks)


def test_python_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ('digits.onnx', 'calibration.idx', 'images'):
        (tmp_path / name).symlink_to(DIGITS / name)
    assert run_page('docs/python.md', {}) > 5


def test_readme(tmp_path, monkeypatch, digits):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'digits.onnx').symlink_to(digits['model'])
    (tmp_path / 'pictures').symlink_to(DIGITS / 'images')
    assert run_page('README.md', {'pixels': digits['pictures'], 'labels': digits['labels']}) == 1
