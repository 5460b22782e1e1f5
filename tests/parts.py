"""Of many like cases `make test` takes a part; `make test-all`, which sets ASSAY_WHOLE_FOLDERS, takes all of them."""

from __future__ import annotations

import os

import pytest

from tracks import TRACKS

WHOLE = "ASSAY_WHOLE_FOLDERS" in os.environ


def judged_of(*keys: str) -> pytest.MarkDecorator:
    """Some tracks' campaigns alone for a test of `judged`, where what it tries is the same code in the others."""
    chosen = [track for track in TRACKS if WHOLE or track.key in keys]
    return pytest.mark.parametrize("judged", chosen, ids=lambda track: track.key, indirect=True)
