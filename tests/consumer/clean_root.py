#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Works with the packages in a clean Debian root: clean_root.py CMAKE CPACK BUILD

Makes the Debian packages and the wheel, and gives them to packaging/try.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

cmake, cpack, build = sys.argv[1:]
SKIPPED = 77
if os.geteuid() != 0 or not shutil.which('mmdebstrap'):
    print('needs root and mmdebstrap')
    sys.exit(SKIPPED)


def newest(where, pattern):
    return max(where.glob(pattern), key=lambda path: path.stat().st_mtime)


source = pathlib.Path(__file__).resolve().parents[2]
with tempfile.TemporaryDirectory() as folder:
    packages = pathlib.Path(folder, 'packages')
    subprocess.run([cpack, '--config', pathlib.Path(build, 'CPackConfig.cmake'), '-B', packages],
                   check=True)
    subprocess.run([cmake, '--build', build, '--target', 'wheel'], check=True)
    subprocess.run([source / 'packaging/try', newest(packages, 'nvdlac_*.deb'),
                    pathlib.Path(folder, 'root'), newest(packages, 'python3-nvdlac_*.deb'),
                    newest(pathlib.Path(build, 'dist'), '*.whl')], check=True)
