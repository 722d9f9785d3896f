# SPDX-License-Identifier: Apache-2.0
"""The text of C++ without what is said in it."""
import re

LITERALS = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|'
                      r'//[^\n]*|/\*.*?\*/', re.S)


def lines_of(part):
    """As many ends of lines as it has."""
    return '\n' * part.count('\n')


def code_of(text):
    """Its code: the same lines without comments and directives, 0 for each literal."""
    text = LITERALS.sub(lambda m: ('' if m[0][0] == '/' else '0') + lines_of(m[0]), text)
    return re.sub(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', lambda m: lines_of(m[0]), text, flags=re.M)
