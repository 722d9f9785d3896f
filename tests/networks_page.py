#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/networks.md is what tools/survey makes of its results: networks_page.py ROOT"""
import importlib.machinery
import importlib.util
import pathlib
import sys

root = pathlib.Path(sys.argv[1])
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader('survey', f'{root / "tools/survey"}')
survey = importlib.util.module_from_spec(importlib.util.spec_from_loader('survey', loader))
loader.exec_module(survey)

path = root / 'docs/networks.md'
page = survey.Page(path, survey.TARGETS)
if page.text() != path.read_text():
    sys.exit(f'{path} is not as tools/survey writes it')
