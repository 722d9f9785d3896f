#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a wheel of a package that is built: a zip file with metadata, the same bytes each time.

make_wheel.py PACKAGE_FOLDER VERSION LICENSE OUT_FOLDER
    needs nothing but Python; the tags are those of the Python that runs it
"""
import base64
import hashlib
import pathlib
import sys
import sysconfig
import zipfile

package, version, license_file, out = (pathlib.Path(sys.argv[1]), sys.argv[2],
                                       pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4]))
python = f'cp{sys.version_info.major}{sys.version_info.minor}'
platform = sysconfig.get_platform().replace('-', '_').replace('.', '_')
tag = f'{python}-{python}-{platform}'
info = f'nvdlac-{version}.dist-info'

METADATA = f'''Metadata-Version: 2.1
Name: nvdlac
Version: {version}
Summary: Compiler and bit-accurate simulator for NVDLA
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
'''
WHEEL = f'''Wheel-Version: 1.0
Generator: nvdlac
Root-Is-Purelib: false
Tag: {tag}
'''

files = {f'nvdlac/{path.relative_to(package).as_posix()}': path.read_bytes()
         for path in package.rglob('*')
         if path.is_file() and '__pycache__' not in path.parts}
files = dict(sorted(files.items()))
files[f'{info}/LICENSE'] = license_file.read_bytes()
files[f'{info}/METADATA'] = METADATA.encode()
files[f'{info}/WHEEL'] = WHEEL.encode()
record = ''
for name, content in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()
    record += f'{name},sha256={digest},{len(content)}\n'
files[f'{info}/RECORD'] = (record + f'{info}/RECORD,,\n').encode()

out.mkdir(parents=True, exist_ok=True)
wheel = out / f'nvdlac-{version}-{tag}.whl'
with zipfile.ZipFile(wheel, 'w', zipfile.ZIP_DEFLATED) as archive:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o755 if name.endswith('.so') else 0o644) << 16
        archive.writestr(entry, content)
print(wheel)
