# SPDX-License-Identifier: Apache-2.0
"""Random numbers that are drawn in the arguments of one call, in an order that compilers choose.

A draw is the call of a generator of <random>, of a function of the same file that draws, or of
another one that gets the generator. Each is drawn before the call instead, or in braces.
"""
import re

from cpp_text import code_of

GENERATOR = re.compile(r'\bstd::(?:mt19937(?:_64)?|minstd_rand)&? (\w+)')
FUNCTION = re.compile(r'(?:\bauto (\w+) = \[[^]]*\](?: *\([^()]*\))?(?: *-> *[\w:<>]+)? *|'
                      r'[\w>&*] (\w+)\([^(){};]*\)(?: const)? *)\{')


def calls_of(names):
    return re.compile(rf'(?<!::)\b(?:{"|".join(sorted(names))})\(')


def body(code, at):
    """What stands in braces, of which the first is before `at`."""
    depth, end = 1, at
    while depth and end < len(code):
        depth += (code[end] == '{') - (code[end] == '}')
        end += 1
    return code[at:end]


def draw_of(code, generators):
    """Matches a draw."""
    given = re.compile(rf'[(,] *(?:{"|".join(sorted(generators))}) *[,)]')
    functions = [(m[1] or m[2], body(code, m.end())) for m in FUNCTION.finditer(code)]
    drawing = set(generators)
    while True:
        calls = calls_of(drawing)
        more = {name for name, text in functions if calls.search(text) or given.search(text)}
        if more <= drawing:
            return re.compile(f'{calls.pattern}|{given.pattern}')
        drawing |= more


def unordered_draws(text):
    """The numbers of lines with the arguments of a call of which several draw."""
    code = code_of(text)
    generators = set(GENERATOR.findall(code))
    if not generators:
        return
    draw, opened = draw_of(code, generators), []
    for end, character in enumerate(code):
        if character in '([{':
            opened.append([end])
        elif character == ',' and opened:
            opened[-1].append(end)
        elif character in ')]}' and opened:
            cuts = [*opened.pop(), end]
            begin = cuts[0]
            arguments = [code[a + 1:b] for a, b in zip(cuts, cuts[1:])]
            is_call = character == ')' and re.match(r'[\w>]', code[begin - 1])
            if is_call and sum(bool(draw.search(a)) for a in arguments) > 1:
                yield code.count('\n', 0, begin) + 1


def problems(root):
    for folder in ('tests', 'tools/judge'):
        for path in sorted((root / folder).rglob('*.[ch]pp')):
            for number in unordered_draws(path.read_text()):
                yield (f'{path.relative_to(root)}:{number} draws several random numbers in the '
                       'arguments of one call, whose order compilers choose')
