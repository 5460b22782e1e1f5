"""Every explanation's arithmetic gives the value that it explains, over every track's folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import DjangoDbBlocker

from assess.domain.scores import explain_score, score_campaign
from scoring.arithmetic import compute
from tests.tracks.conftest import Judged

pytestmark = pytest.mark.xdist_group("conformance")

NOT_SPELLED_OUT = ("Bpref", "infAP")
"""Measures whose formula would be too long to be read."""


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds."""
    with django_db_blocker.unblock():
        yield


def test_the_arithmetic_of_every_value_gives_the_value(judged: Judged) -> None:
    found = score_campaign(judged.campaign)
    official = {column.key for column in judged.track.scoring.measures if column.official}
    seen: set[str] = set()
    for run in {found.runs[0], found.runs[-1]}:
        for score in (score for score in found.scores if score.run == run and score.value is not None):
            explanation = explain_score(judged.campaign, run, score.topic, score.measure)
            if not explanation.arithmetic:
                assert score.measure.startswith(NOT_SPELLED_OUT), score
                assert score.topic != "all"
                continue
            assert float(compute(explanation.arithmetic)) == pytest.approx(score.value, rel=0, abs=1e-12), explanation
            seen.add(score.measure)
    assert official & {score.measure for score in found.scores} <= seen != set()
