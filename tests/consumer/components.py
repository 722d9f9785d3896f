#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs each component alone, compiles with pkg-config's flags: components.py CMAKE BUILD CXX"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

cmake, build, compiler = sys.argv[1:]
EXPECTED = {  # some of what is there; nothing but what lies in these folders is
    'headers': (['include/nvdlac/nvdlac.hpp', 'share/cmake/nvdlac/nvdlac-config.cmake',
                 'share/cmake/nvdlac/cli/main.cpp', 'share/cmake/nvdlac/cli/commit.cpp',
                 'share/pkgconfig/nvdlac.pc', 'share/doc/nvdlac/LICENSE'],
                ['include', 'share/cmake', 'share/pkgconfig', 'share/doc/nvdlac/LICENSE']),
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


with tempfile.TemporaryDirectory() as folder:
    for component, (some, roots) in EXPECTED.items():
        prefix = pathlib.Path(folder, component)
        run(cmake, '--install', build, '--component', component, '--prefix', prefix)
        files = {str(f.relative_to(prefix)) for f in prefix.rglob('*') if f.is_file()}
        assert files.issuperset(some), (component, set(some) - files)
        others = {f for f in files if not any(f == r or f.startswith(r + '/') for r in roots)}
        assert not others, (component, others)
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
        cache = pathlib.Path(build, 'CMakeCache.txt').read_text()
        assert f'CMAKE_PROJECT_VERSION:STATIC={version}\n' in cache, version
        run(compiler, '-std=c++20', source, '-o', f'{folder}/program', *flags)
        run(f'{folder}/program')
