"""The collector of cycles is off inside a block, and works again after it, whatever happened there."""

from __future__ import annotations

import gc

import pytest

from scoring.uncollected import uncollected


def test_the_collector_is_off_inside_and_works_again_afterwards() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(LookupError), uncollected():
        raise LookupError
    assert gc.isenabled()
