#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs each component alone, compiles with pkg-config's flags: components.py CMAKE BUILD CXX

Without tools (NVDLAC_BUILD_TOOLS), as the recipes of packaging/ have it, no library is needed.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

cmake, build, compiler = sys.argv[1:]
root = pathlib.Path(__file__).resolve().parents[2]
EXPECTED = {  # some of what is there; nothing but what lies in these folders is
    'headers': (['include/nvdlac/nvdlac.hpp', 'share/cmake/nvdlac/nvdlac-config.cmake',
                 'share/cmake/nvdlac/cli/main.cpp', 'share/cmake/nvdlac/cli/commit.cpp',
                 'share/cmake/nvdlac/run/main.cpp',
                 'share/pkgconfig/nvdlac.pc', 'share/doc/nvdlac/LICENSE'],
                ['include', 'share/cmake', 'share/pkgconfig', 'share/doc/nvdlac/LICENSE',
                 # where they are built
                 'lib/libnvdlac_common.a', 'lib/libnvdlac_compiled.a',
                 'lib/libnvdlac_cli_common.a', 'lib/libnvdlac_cli_network.a']),
    'runtime': (['bin/nvdlac', 'share/doc/nvdlac/LICENSE'],
                ['bin/nvdlac', 'share/doc/nvdlac/LICENSE']),
    'tools': (['share/man/man1/nvdlac-compile.1', 'share/bash-completion/completions/nvdlac',
               'share/zsh/site-functions/_nvdlac', 'share/fish/vendor_completions.d/nvdlac.fish'],
              ['share/man', 'share/bash-completion', 'share/zsh', 'share/fish']),
    'documentation': (['share/doc/nvdlac/docs/architecture.md', 'share/doc/nvdlac/README.md',
                       'share/doc/nvdlac/examples/digits/digits.onnx'], ['share/doc/nvdlac']),
}


def run(*command, **how):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **how).stdout


def cached(name):
    """A value of the build's cache."""
    return re.search(f'^{name}:[A-Z]+=(.*)$', pathlib.Path(build, 'CMakeCache.txt').read_text(),
                     re.M)[1]


with tempfile.TemporaryDirectory() as folder:
    for component, (some, roots) in EXPECTED.items():
        prefix = pathlib.Path(folder, component)
        run(cmake, '--install', build, '--component', component, '--prefix', prefix)
        files = {str(f.relative_to(prefix)) for f in prefix.rglob('*') if f.is_file()}
        assert files.issuperset(some), (component, set(some) - files)
        others = {f for f in files if not any(f == r or f.startswith(r + '/') for r in roots)}
        assert not others, (component, others)
    alone = pathlib.Path(folder, 'alone')
    run(cmake, '-S', root, '-B', alone, '-G', cached('CMAKE_GENERATOR'),
        '-DCMAKE_MAKE_PROGRAM=' + cached('CMAKE_MAKE_PROGRAM'),
        f'-DCMAKE_CXX_COMPILER={compiler}', '-DNVDLAC_BUILD_TOOLS=OFF',
        *(f'-DCMAKE_FIND_USE_{where}=OFF' for where in (
            'CMAKE_SYSTEM_PATH', 'SYSTEM_ENVIRONMENT_PATH', 'CMAKE_ENVIRONMENT_PATH')))
    run(cmake, '--install', alone, '--prefix', alone / 'prefix')
    there = {str(f.relative_to(alone / 'prefix')) for f in (alone / 'prefix').rglob('*')}
    some, _ = EXPECTED['headers']
    built = {'share/cmake/nvdlac/cli/commit.cpp', 'share/pkgconfig/nvdlac.pc'}
    assert there.issuperset(set(some) - built), set(some) - there
    assert not there & {'bin/nvdlac', 'share/pkgconfig/nvdlac.pc'}, there
    port = json.loads((root / 'packaging/vcpkg/nvdlac/vcpkg.json').read_text())['version-semver']
    assert port == cached('CMAKE_PROJECT_VERSION'), port

    if shutil.which('pkg-config') is None:
        print('pkg-config is not installed: nothing is compiled with its flags')
        sys.exit(0)
    there = dict(os.environ, PKG_CONFIG_PATH=f'{folder}/headers/share/pkgconfig')
    source = pathlib.Path(folder, 'main.cpp')
    for name, text in {
            'nvdlac-headers': '#include <nvdlac/register_program.hpp>\nint main() {}\n',
            'nvdlac': '#include <archive.h>\n#include <nvdlac/base/version.hpp>\n'
                      'int main() { return archive_version_number() == 0; }\n'}.items():
        source.write_text(text)
        flags = run('pkg-config', '--cflags', '--libs', name, env=there).split()
        version = run('pkg-config', '--modversion', name, env=there).strip()
        assert version == cached('CMAKE_PROJECT_VERSION'), version
        run(compiler, '-std=c++20', source, '-o', f'{folder}/program', *flags)
        run(f'{folder}/program')
