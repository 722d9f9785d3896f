#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks which room includes which, and the expensive libraries:

fences.py INCLUDE_DIR COMPILER FLAG...

The rooms stand on floors. A header includes its own room and those on the floors below, so that
rooms never meet in circles, and opens the namespace of no other room. A library may be named only
by the headers listed here, and the entry headers of some rooms may not reach certain libraries at
all, which the compiler's list of dependencies tells. docs/architecture.md shows the same floors,
and the documents name no header that is not there. The bodies in impl/ROOM stand on the floor of
their room, and each of them in one list of impl/src, so that a compiled library has it once.
style.py and draws.py look at the text of all sources.
"""
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import draws  # noqa: E402
import style  # noqa: E402

FLOORS = [  # the lowest first
    ['base'],
    ['arithmetic', 'hw'],
    ['net', 'sim', 'register_program.hpp'],
    ['quantised', 'host', 'layer', 'pass'],
    ['plan', 'quant'],
    ['cost'],
    ['emit', 'lower', 'schedule'],
    ['compile_options.hpp', 'compile_steps.hpp', 'prepared.hpp', 'program_checks.hpp'],
    ['choose', 'prepare.hpp', 'option_words.hpp'],
    ['target_steps.hpp'],
    ['standard_steps.hpp'],
    ['data', 'compile.hpp', 'program.hpp', 'loadable.hpp'],
    ['choose_precisions.hpp', 'explore.hpp', 'import', 'pareto_search.hpp', 'runtime'],
    ['verify'],
    ['report', 'product.hpp'],
    ['verify.hpp', 'any_hardware.hpp'],
    ['hardware_of.hpp', 'prepare_on.hpp'],
    ['verify_definitions.hpp'],
    ['chip_definitions.hpp', 'model_definitions.hpp'],
    ['product_definitions.hpp'],
    ['nvdlac.hpp'],
    ['src.hpp', 'all.hpp'],
]
MAY_NAME = {
    'boost/graph/': {'net/boost_graph.hpp', 'impl/host/minimum_cut.ipp'},
    'boost/hana': {'hw/space.hpp'},
    'google/protobuf/': {'import/protobuf.hpp'},
    'flatbuffers/': {'base/verified_table.hpp', 'impl/import/tflite/custom_options.ipp'},
    'nlohmann/': {'import/json.hpp', 'quant/scale_table_json.hpp', 'report/json.hpp',
                  'schedule/choices_json.hpp'},
    'pagmo/': {'pareto_search.hpp'},
    'stb/': {'data/picture.hpp'},
    'webp/': {'data/picture.hpp'},
}
MAY_NOT_REACH = {
    'sim/device.hpp': MAY_NAME,
    'runtime/replay.hpp': MAY_NAME,
    'emit/engines.hpp': MAY_NAME,
    'emit/trace.hpp': MAY_NAME,
    'plan/plan.hpp': MAY_NAME,
    'net/network.hpp': MAY_NAME,
    'emit/loadable.hpp': MAY_NAME,
    'loadable.hpp': MAY_NAME,
    'runtime/session.hpp': ['boost/graph/', 'google/protobuf/', 'nlohmann/', 'stb/'],
    # A user's program compiles in seconds by these two.
    'nvdlac.hpp': [*MAY_NAME, 'nvdlac/compile.hpp', 'nvdlac/net/operators.hpp', 'nvdlac/sim/'],
    'compile.hpp': ['google/protobuf/', 'flatbuffers/', 'nlohmann/', 'stb/'],
}
# Headers that a product compiles anew for its configuration, where the rest is compiled once
# (NVDLAC_COMPILED).
MAY_NOT_REACH_COMPILED = {
    'chip_definitions.hpp': ['nvdlac/choose/', 'nvdlac/compile.hpp', 'nvdlac/pass/pipeline.hpp',
                             'nvdlac/prepare.hpp', 'nvdlac/target_steps.hpp'],
    'sim/device.hpp': ['immintrin.h'],
}

OF_USERS = {'digits.hpp'}  # headers of users in examples of documents


def room(name):
    if name.startswith('impl/src/'):
        return 'src.hpp'
    return name.removeprefix('impl/').split('/')[0].replace('.ipp', '.hpp')


FLOOR = {r: i for i, rooms in enumerate(FLOORS) for r in rooms}
ROOMS = {r for r in FLOOR if not r.endswith('.hpp')}


def opened(text):
    """The namespaces that a header opens, whole: nvdlac::net, nvdlac::net::detail, .."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|//[^\n]*', '""', text, flags=re.S)
    stack = []
    for name, brace in re.findall(r'\bnamespace\s+([\w:]+)\s*{|([{}])', text):
        if name:
            stack.append(name)
            yield '::'.join(s for s in stack if s)
        elif brace == '{':
            stack.append('')
        elif stack:
            stack.pop()


def files(folder):
    return sorted([*folder.rglob('*.hpp'), *folder.rglob('*.ipp')])


def foreign_namespaces(folder):
    """A room's namespace is opened by its own headers and bodies alone."""
    for path in files(folder):
        name = path.relative_to(folder).as_posix()
        for space in opened(path.read_text()):
            parts = space.split('::')
            if len(parts) > 1 and parts[0] == 'nvdlac' and parts[1] in ROOMS - {room(name)}:
                yield f'{name} opens {space}, the namespace of another room'


def of_documents(root):
    """docs/architecture.md has FLOORS, and no document names a header that is not there."""
    text = (root / 'docs/architecture.md').read_text()
    shown = re.search(r'^    base \|.*?(?=\n\n)', text, re.M | re.S)
    if shown is None or shown[0].split() != ' | '.join(' '.join(r) for r in FLOORS).split():
        yield 'docs/architecture.md shows other floors than FLOORS'
    for path in sorted(root.glob('docs/*.md')):
        for name in re.findall(r'`((?:[a-z0-9_]+/)*[a-z0-9_]+\.hpp)`', path.read_text()):
            if name in OF_USERS or (root / name).exists():
                continue
            if not (root / 'include/nvdlac' / name).exists():
                yield f'{path.relative_to(root)} names {name}, which is not there'


def problems_of_lists(folder):
    """What impl/src lists other than once, and what src.hpp leaves out of impl/src."""
    def included(path):
        return re.findall(r'^#include <nvdlac/(impl/[^>]+)>', path.read_text(), re.M)
    lists = sorted((folder / 'impl/src').glob('*.hpp'))
    listed = [name for path in lists for name in included(path)]
    for path in sorted((folder / 'impl').rglob('*.ipp')):
        name = path.relative_to(folder).as_posix()
        if listed.count(name) != 1:
            yield f'{name} stands in {listed.count(name)} lists of impl/src instead of one'
        header = folder / name.removeprefix('impl/').replace('.ipp', '.hpp')
        if included(header) != [name]:
            yield f'{name} is not what its header includes in the end'
    for path in lists:
        if (name := path.relative_to(folder).as_posix()) not in included(folder / 'src.hpp'):
            yield f'src.hpp does not include {name}'


def left_out_of_all(folder):
    """Headers that all.hpp does not reach, so that no consumer's compiler would see them, and those
    of a room that it reaches by bodies alone, which a program with nvdlac::common does not have."""
    def reached_through(bodies):
        reached, waiting = set(), ['all.hpp']
        while waiting:
            name = waiting.pop()
            if name in reached or name.startswith('impl/') and not bodies:
                continue
            reached.add(name)
            waiting += re.findall(r'^#include <nvdlac/([^>]+)>', (folder / name).read_text(), re.M)
        return reached
    reached, declared = reached_through(True), reached_through(False)
    for path in files(folder):
        name = path.relative_to(folder).as_posix()
        if name in ('src.hpp', 'base/impl.hpp') or name.startswith('impl/src/'):
            continue
        if name not in reached:
            yield f'{name} is not reached by all.hpp'
        elif name not in declared and not name.startswith('impl/') and name.count('/') == 1:
            yield f'{name} is reached by all.hpp only where there are bodies'


def problems(folder, command):
    for path in files(folder):
        name = path.relative_to(folder).as_posix()
        if room(name) not in FLOOR:
            yield f'{name} is in a room that FLOORS does not list'
            continue
        for other in re.findall(r'^#include <nvdlac/([^>]+)>', path.read_text(), re.M):
            if room(other) != room(name) and FLOOR.get(room(other), 99) >= FLOOR[room(name)]:
                yield f'{name} includes {other}, which does not stand on a floor below'
        for library in re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)', path.read_text(), re.M):
            for fenced, allowed in MAY_NAME.items():
                if library.startswith(fenced) and name not in allowed:
                    yield f'{name} includes {library}; only {", ".join(sorted(allowed))} may'
    yield from problems_of_lists(folder)
    yield from left_out_of_all(folder)
    for flags, fences in ([], MAY_NOT_REACH), (['-DNVDLAC_COMPILED'], MAY_NOT_REACH_COMPILED):
        for name, libraries in fences.items():
            listed = subprocess.run([*command, *flags, '-M', folder / name],
                                    stdout=subprocess.PIPE, text=True, check=True).stdout
            for library in libraries:
                if f'/include/{library}' in listed:
                    yield ' '.join([name, *flags, 'reaches', library])


include = pathlib.Path(sys.argv[1])
root = include.resolve().parent
found = [*problems(include / 'nvdlac', sys.argv[2:]), *foreign_namespaces(include / 'nvdlac'),
         *style.problems(root), *draws.problems(root), *of_documents(root)]
print('\n'.join(found))
sys.exit(bool(found))
