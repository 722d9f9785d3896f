# SPDX-License-Identifier: Apache-2.0
"""Large test material, which is not part of the repository, for tests in Python; see shared.hpp."""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get('NVDLAC_SHARED', ROOT.parent / 'shared'))


def is_demanded():
    """Whether nothing may be missing: NVDLAC_DEMAND_MATERIAL says so, and there is material."""
    return 'NVDLAC_DEMAND_MATERIAL' in os.environ and SHARED.is_dir() and any(SHARED.iterdir())


def leave(*absent):
    """Ends a test for want of material: 77, which ctest reports as skipped, or 1 if demanded."""
    for path in absent:
        print(f'absent: {path}')
    sys.exit(1 if is_demanded() else 77)
