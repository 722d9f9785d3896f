# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration of the documentation's site, whose pages are the repository's *.md.

The order of the site is that of docs/README.md: under each of its headings, the pages that it
lists. What a page links beside pages, such as a source, comes along as a file.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
INDEX = 'docs/README'
HEADERS = '../include/nvdlac/nvdlac.hpp'  # of the index: the headers, which Doxygen's pages show

version_of = (ROOT / 'include/nvdlac/base/version.hpp').read_text()
release = '.'.join(re.findall(r'define NVDLAC_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)', version_of))
project = 'nvdlac'
author = 'the authors of nvdlac'
copyright = author
html_title = f'nvdlac {release}'

extensions = ['myst_parser']
root_doc = INDEX
include_patterns = ['*.md', 'docs/*.md', 'docs/**/*.md', 'examples/**/*.md']
myst_heading_anchors = 4
html_theme = 'furo'
html_copy_source = False
html_show_sphinx = False
highlight_language = 'none'  # of blocks that name no language


def contents(text):
    """Lists of the pages that each part of the index names, for the site's sidebar."""
    folder = (ROOT / INDEX).parent
    lists = []
    for title, part in re.findall(r'^#+ (.*)\n((?:(?!## ).*\n)*)', text, re.M):
        pages = [(folder / link).resolve().relative_to(ROOT).with_suffix('')
                 for link in re.findall(r'\]\(([^):#]*\.md)\)', part)]
        lists.append(f'```{{toctree}}\n:hidden:\n:caption: {title}\n\n' +
                     '\n'.join(f'/{page}' for page in dict.fromkeys(pages)) + '\n```\n')
    return '\n'.join(lists)


def read(app, page, source):
    if page == INDEX:
        text = re.sub(r'\[([^]]*)\]\(' + re.escape(HEADERS) + r'\)',
                      r'<a href="../api/files.html">\1</a>', source[0])
        source[0] = text + '\n' + contents(source[0])


def plain(app, env, node, content):
    """A link to a folder, which a site does not show, is its text."""
    page = pathlib.Path(env.doc2path(node.get('refdoc', INDEX)))
    return content if (page.parent / node['reftarget']).is_dir() else None


def setup(app):
    app.connect('missing-reference', plain)
    app.connect('source-read', read)
