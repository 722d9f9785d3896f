#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages and asks lintian: packages.py CPACK BUILD"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

cpack, build = sys.argv[1:]
SKIPPED = 77
if not all(shutil.which(tool) for tool in ('dpkg-shlibdeps', 'lintian')):
    print('dpkg-dev and lintian are not installed')
    sys.exit(SKIPPED)


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def field(package, name):
    return run('dpkg-deb', '--field', package, name).strip()


with tempfile.TemporaryDirectory() as folder:
    run(cpack, '--config', pathlib.Path(build, 'CPackConfig.cmake'), '-B', folder)
    packages = {field(p, 'Package'): p for p in pathlib.Path(folder).glob('*.deb')}
    assert set(packages) in ({'nvdlac', 'libnvdlac-dev'},
                             {'nvdlac', 'libnvdlac-dev', 'python3-nvdlac'}), packages
    assert 'libprotobuf' in field(packages['nvdlac'], 'Depends')
    assert 'libboost-dev' in field(packages['libnvdlac-dev'], 'Depends')
    files = {name: run('dpkg-deb', '--contents', p) for name, p in packages.items()}
    for name, paths in {
            'nvdlac': ['bin/nvdlac', 'share/man/man1/nvdlac-verify.1.gz',
                       'share/bash-completion/completions/nvdlac',
                       'share/zsh/vendor-completions/_nvdlac'],
            'libnvdlac-dev': ['include/nvdlac/nvdlac.hpp', 'share/cmake/nvdlac/nvdlac-config.cmake',
                              'share/pkgconfig/nvdlac.pc'],
            'python3-nvdlac': ['lib/python3/dist-packages/nvdlac/__init__.py',
                               'lib/python3/dist-packages/nvdlac/py.typed']}.items():
        for path in paths if name in packages else []:
            assert f' ./usr/{path}\n' in files[name], path
    for package in packages.values():
        if package == packages['libnvdlac-dev'] and field(package, 'Architecture') != 'all':
            continue  # with nvdlac::compiled, whose libraries take lintian minutes: nightly has none
        said = subprocess.run(['lintian', '--allow-root', '--fail-on', 'error,warning', package],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert said.returncode == 0, said.stdout
