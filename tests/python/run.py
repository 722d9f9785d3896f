#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the Python package: run.py FOLDER_OF_PACKAGE NVDLAC [PYTEST_OPTION ..]
    exit code 77 where NumPy or pytest is not installed
"""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

missing = [name for name in ('numpy', 'pytest') if importlib.util.find_spec(name) is None]
if missing:
    if sys.executable != '/usr/bin/python3' and shutil.which('/usr/bin/python3'):
        os.execv('/usr/bin/python3', ['/usr/bin/python3', *sys.argv])  # Debian's has them
    print(f'skipped: Python has no {" and no ".join(missing)}; `tools/setup` installs it')
    sys.exit(77)
folder, command, *options = sys.argv[1:]
tests = pathlib.Path(__file__).resolve().parent
environment = {**os.environ, 'PYTHONPATH': folder, 'NVDLAC_CLI': command,
               'PYTHONDONTWRITEBYTECODE': '1'}
sys.exit(subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider',
                         *options, str(tests)], env=environment).returncode)
