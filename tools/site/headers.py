# SPDX-License-Identifier: Apache-2.0
"""Copies of the headers whose comments Doxygen takes: headers.py FROM TO

A comment before a declaration, or behind one in its line, becomes Doxygen's; the one that follows
#pragma once tells of the file. Comments inside of functions stay as they are.
"""
import pathlib
import re
import sys

SCOPE = re.compile(r'\b(namespace|struct|class|union|enum|extern "C")\b')
MEANT = re.compile(r'[\\@<>#%&*_|$]')  # what has a meaning for Doxygen outside of code

FOREIGN = re.compile(r'^template <.*>\n^struct (?:boost|std)::(?:.*\n)*?^};\n', re.M)


def prose(text):
    """A comment's text, of which Doxygen takes nothing for a command of its own."""
    return ''.join(part if part.startswith('`') else MEANT.sub(r'\\\g<0>', part)
                   for part in re.split(r'(`[^`]*`)', text))


def converted(lines):
    scopes, head = [], ''         # is each open brace one of declarations; the declaration so far
    begin, block = True, False    # no code came yet; the last line was a comment of Doxygen
    for line in lines:
        code, comment = split(line)
        if code.strip() == '' and comment is not None:
            if comment.startswith(' SPDX'):
                yield line
                continue
            if all(scopes):
                if begin and not block:
                    yield '/// @file'
                block = True
                yield f'{code}///{prose(comment)}'
                continue
            yield line
            continue
        block = False
        if code.strip() and not code.startswith('#pragma'):
            begin = False
        inside = all(scopes)
        head = follow(code, scopes, head)
        if comment is not None and inside and all(scopes) and re.search('[;,]\\s*$', code):
            line = f'{code}///<{prose(comment)}'
        yield line


def split(line):
    """Code and comment of a line: // in a string is none."""
    for match in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//', line):
        if match[0] == '//':
            return line[:match.start()], line[match.end():]
    return line, None


def follow(code, scopes, head):
    """Opens and closes the braces of a line; returns what of a declaration is not finished."""
    code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', '', code)
    for part in re.split('([{};])', code):
        if part == '{':
            scopes.append(bool(SCOPE.search(head)) and '(' not in SCOPE.split(head)[-1])
            head = ''
        elif part == '}':
            if scopes:
                scopes.pop()
            head = ''
        elif part == ';':
            head = ''
        else:
            head += part
    return head


if __name__ == '__main__':
    source, to = map(pathlib.Path, sys.argv[1:])
    for header in sorted(source.rglob('*.hpp')):
        copy = to / header.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        text = '\n'.join(converted(header.read_text().split('\n')))
        copy.write_text(FOREIGN.sub('/// @cond\n\\g<0>/// @endcond\n', text))  # not ours to tell of
