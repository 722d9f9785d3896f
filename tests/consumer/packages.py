#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian packages and asks lintian: packages.py CPACK BUILD

Made twice they are the same bytes, and each tells in SPDX what is in it.
"""
import hashlib
import pathlib
import re
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


def made(folder):
    run(cpack, '--config', pathlib.Path(build, 'CPackConfig.cmake'), '-B', folder,
        '-D', 'CPACK_DEBIAN_COMPRESSION_TYPE=gzip')  # xz takes most of a minute
    return {field(p, 'Package'): p for p in pathlib.Path(folder).glob('*.deb')}


def check_bill_of_materials(name, package, folder):
    """The files that it lists are those of the package, and what they are made of has versions."""
    root = pathlib.Path(folder, 'files', name)
    root.mkdir(parents=True)
    run('dpkg-deb', '--extract', package, root)
    own = root / f'usr/share/doc/{name}/{name}.spdx'
    text = own.read_text()
    listed = dict(re.findall(r'^FileName: \./(.*)\n.*\n.*\nFileChecksum: SHA256: (.*)$', text,
                             re.M))
    there = {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
             for path in root.rglob('*')
             if path.is_file() and not path.is_symlink() and path != own}
    assert listed == there, set(listed.items()) ^ set(there.items())
    hashes = sorted(re.findall('^FileChecksum: SHA1: (.*)$', text, re.M))
    code = hashlib.sha1(''.join(hashes).encode()).hexdigest()
    assert f'PackageVerificationCode: {code} ' in text
    materials = dict(re.findall(r'^PackageName: (.*)\nSPDXID: .*\nPackageVersion: (.+)$', text,
                                re.M))
    assert text.count('PackageName: ') == len(materials)
    needed = [] if name == 'libnvdlac-dev' else ['libprotobuf32', 'libboost-dev', 'libc6']
    for one in needed:
        version = run('dpkg-query', '-W', '-f', '${Version}', one)
        assert materials[one] == version, (one, materials.get(one), version)


with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as again:
    packages = made(folder)
    for name, package in made(again).items():
        assert package.read_bytes() == packages[name].read_bytes(), f'{name} made twice differs'
        check_bill_of_materials(name, package, again)
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
            continue  # nvdlac::compiled, whose libraries take lintian minutes: nightly has none
        said = subprocess.run(['lintian', '--allow-root', '--fail-on', 'error,warning', package],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert said.returncode == 0, said.stdout
