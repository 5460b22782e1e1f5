"""The list of the kinds of work: found by a setting, in its order, each key once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.exceptions import ImproperlyConfigured

from assay_site.kinds import KINDS
from assess.kinds.base import kinds, work_kind

TWICE = (KINDS[0], KINDS[1], KINDS[0])


@pytest.fixture
def listed_anew() -> Iterator[None]:
    """The list of kinds is read again within the test, and after it."""
    kinds.cache_clear()
    yield
    kinds.cache_clear()


def test_the_site_knows_the_kinds_of_its_setting_in_their_order() -> None:
    assert list(kinds()) == ["grade", "picks", "nuggets", "votes", "matches", "classes"]
    assert tuple(kinds().values()) == KINDS
    assert work_kind("picks") is KINDS[1]


def test_a_kind_that_no_list_names_is_a_bug() -> None:
    with pytest.raises(KeyError):
        work_kind("pairs")


@pytest.mark.usefixtures("listed_anew")
def test_the_same_key_twice_is_refused(settings) -> None:  # type: ignore[no-untyped-def]
    settings.ASSAY_KINDS = f"{__name__}.TWICE"
    with pytest.raises(ImproperlyConfigured, match="two kinds of work with the same key"):
        kinds()
