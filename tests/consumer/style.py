# SPDX-License-Identifier: Apache-2.0
"""The style of the sources, as far as their text tells it.

Lines have at most 100 columns, and in headers one statement; no comma joins two of them, but in a
return or a for. A comment begins with what a thing is or does.
"""
import re

from cpp_text import code_of, lines_of

FOLDERS = ['include', 'benchmarks', 'cmake', 'examples', 'python', 'tests', 'tools']
CPP = {'.cpp', '.hpp', '.ipp'}
NOT_NOUNS = 'Of|What|Which|Those|The same|Also|And'
# A line that a command prints, in a literal of its own.
PRINTED = re.compile(r'\s*".*\\n"$')
BRACKETS = re.compile(r'\([^][(){}]*\)|\[[^][(){}]*\]|{[^][(){}]*}')
CONTROL = re.compile(r'\s*(?:(?:else|do|(?:if|for|while|switch)(?: constexpr)? ?@|'
                     r'case [^?]*?:(?!:)|default:|#)\s*)*')
DECLARATION = re.compile(r'(?:return|using|template|struct|class|enum|friend)\b|'
                         r'[\w:]+@?(?:\s*[&*]+\s*|\s+)\w')
GOES_ON = re.compile(r' *[^\s\w]|\s*(?:[,;.)?<]|:(?!:))')  # an expression, behind its brace


def joined_statements(text):
    """The numbers of lines of C++ where a comma joins two statements.

    Brackets are emptied from the innermost outwards: () is @ then, [] is #, {} is $ in an
    expression; elsewhere it is a } that ends a statement.
    """
    found = []

    def look(part, line):
        for statement, end in re.findall(r'([^;\f]*)([;\f])', part):
            code = statement.replace('<<', '+')
            while code != (code := re.sub(r'<[^<>]*>', '', code)):
                pass
            code = code[CONTROL.match(code).end():]
            line += statement.count('\n')
            if end == ';' and ',' in code and not DECLARATION.match(code):
                found.append(line)

    def emptied(bracket):
        inner = bracket[0]
        if inner[0] == '{':
            look(inner[1:-1], text.count('\n', 0, bracket.start()) + 1)
            if not GOES_ON.match(text, bracket.end()):
                return lines_of(inner) + '\f'
        return '@#$'['([{'.index(inner[0])] + lines_of(inner)

    text = code_of(text)
    while text != (text := BRACKETS.sub(emptied, text)):
        pass
    look(text, 1)
    return sorted(found)


def mark_of(path, text):
    """How a comment begins in this file; None: it is none of the sources."""
    if path.suffix in CPP | {'.js'}:
        return '//'
    if path.suffix in {'.py', '.cmake'} or path.name == 'CMakeLists.txt' or text[:2] == '#!':
        return '#'
    return None


def sources(root):
    """Path and text of each."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob('*')):
            if path.is_file() and path.suffix in CPP | {'', '.js', '.py', '.cmake', '.txt'}:
                text = path.read_text(errors='replace')
                if mark_of(path, text):
                    yield path, text


def problems(root):
    for path, text in sources(root):
        name, mark, before = path.relative_to(root).as_posix(), mark_of(path, text), ''
        is_cpp = path.suffix in CPP
        if is_cpp:
            for number in joined_statements(text):
                yield f'{name}:{number} joins two statements with a comma'
        if is_cpp:
            text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: lines_of(raw[0]), text, flags=re.S)
        for number, line in enumerate(text.splitlines(), 1):
            where = f'{name}:{number}'
            if len(line) > 100 and not PRINTED.match(line):
                yield f'{where} has {len(line)} columns'
            follows = before.lstrip().startswith(mark) and 'SPDX' not in before
            if re.match(rf' *{mark} (?:{NOT_NOUNS})\b', line) and not follows:
                yield f'{where} does not begin with what the thing is or does'
            code = re.sub(r'"(\\.|[^"\\])*"|//.*', '', line)
            several = name.startswith('include/') and re.search(r';\s*\w', code)
            if several and not re.search(r'\b(for|if|while|struct|case|default)\b', code):
                yield f'{where} has two statements'
            before = line
