# SPDX-License-Identifier: Apache-2.0
"""What needs packages that few have."""
import pytest


def test_frames(product, digits):
    pytest.importorskip('pandas')
    frame = product.frame()
    assert len(frame) == len(product.layers) and 'cycles.done' in frame
    assert len(product.verify(digits['pictures']).frame()) == len(digits['pictures'])


def test_figures(product, digits, tmp_path):
    matplotlib = pytest.importorskip('matplotlib')
    matplotlib.use('Agg')
    from nvdlac import figures
    found = product.verify(digits['pictures'])
    for draw, of in ((figures.timeline, product), (figures.roofline, product),
                     (figures.errors, found)):
        axes = draw(of)
        assert axes.get_title().startswith('digits')
        axes.figure.savefig(tmp_path / f'{draw.__name__}.png')
        assert (tmp_path / f'{draw.__name__}.png').stat().st_size > 5000
