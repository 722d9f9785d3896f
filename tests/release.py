#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks tools/release: release.py ROOT

Version, vcpkg's port and CHANGELOG.md are one version's, its notes are what CHANGELOG.md says of
it, and what does not agree or is not finished is refused.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root = pathlib.Path(sys.argv[1])
HEADER, PORT, CHANGES = ('include/nvdlac/base/version.hpp', 'packaging/vcpkg/nvdlac/vcpkg.json',
                         'CHANGELOG.md')


def release(where, *options):
    return subprocess.run([sys.executable, root / 'tools/release', *options, where],
                          capture_output=True, text=True)


def refused(where, *options, reason):
    said = release(where, *options)
    assert said.returncode == 1 and reason in said.stderr, said


own = release(root)
assert own.returncode == 0 and own.stdout.startswith('- '), own.stderr
assert own.stdout.strip() in (root / CHANGES).read_text()

with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(folder)
    for file in (HEADER, PORT, CHANGES):
        (copy / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / file, copy / file)

    own_version = json.loads((root / PORT).read_text())['version-semver']
    (copy / HEADER).write_text(''.join(f'#define NVDLAC_VERSION_{part} {number}\n' for part, number
                                       in (('MAJOR', 7), ('MINOR', 2), ('PATCH', 0))))
    refused(copy, reason=f'{PORT} {own_version}')
    (copy / PORT).write_text('{"version-semver": "7.2.0"}')
    refused(copy, reason=f'{CHANGES} begins with version {own_version}')
    text = '# Changes\n\n## 7.2.0, not yet released\n\n- New.\n\n## 7.1.0, 2026-01-31\n\n- Old.\n'
    (copy / CHANGES).write_text(text)
    assert release(copy).stdout == '- New.\n', release(copy)
    refused(copy, '--tag', reason='not yet released')
    (copy / CHANGES).write_text(text.replace('not yet released', '2026-02-28'))

    # A tag, signed by a key of its own, where ssh has one.
    if shutil.which('ssh-keygen') and shutil.which('git'):
        def git(*words):
            return subprocess.run(['git', '-C', folder, *words], check=True, capture_output=True,
                                  text=True, env={**os.environ, 'HOME': folder}).stdout

        git('init', '-q')
        refused(copy, '--tag', reason='it has changes')
        with tempfile.TemporaryDirectory() as keys:
            key = f'{keys}/key'
            subprocess.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-f', key], check=True)
            for name, value in (('user.name', 'n'), ('user.email', 'n@example.org'),
                                ('gpg.format', 'ssh'), ('user.signingkey', key)):
                git('config', name, value)
            git('add', '.')
            git('commit', '-q', '-m', 'All')
            made = release(copy, '--tag')
            assert made.returncode == 0, made.stderr
        told = git('cat-file', 'tag', 'v7.2.0')
        assert 'nvdlac 7.2.0\n\n- New.\n' in told and 'BEGIN SSH SIGNATURE' in told, told
