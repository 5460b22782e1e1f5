"""Every setting of every track under runs and judgments: it may be changed, or is refused with what stands on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

from assess.base.errors import Conflict
from assess.base.track_settings import Change, SettingsError, TrackSettings
from assess.campaigns.queries import settings_of
from assess.models import Campaign
from assess.organising.domain import change_settings
from assess.organising.queries.scales import values_off_scale
from tests.tracks.conftest import Judged
from tests.tracks.track_folder import WORDS
from tracks import TRACKS

SETTLED = {
    "tac2008-qa": {"judge_each": Change.RUNS},
    "biogen2024": {"sentences": Change.RUNS, "citations_limit": Change.RUNS, "judge_each": Change.RUNS},
    "ikat2023": {
        "completeness": Change.JUDGMENTS,
        "groundedness": Change.JUDGMENTS,
        "naturalness": Change.JUDGMENTS,
        "judge_each": Change.RUNS,
    },
    "adhoc": {"highest_grade": Change.JUDGMENTS},
    "rag-nuggets": {
        "word_limit": Change.RUNS,
        "judged_citations": Change.RUNS,
        "vital_from": Change.JUDGMENTS,
        "judge_each": Change.RUNS,
    },
    "aquaint-definition": {"judge_each": Change.RUNS, "two_rounds": Change.JUDGMENTS},
    "context25": {"judge_each": Change.RUNS},
}
"""What gives meaning to what is recorded; all other settings may be changed at any time before freezing."""


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `judged` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_every_setting_says_until_when_it_may_be_changed(track: Any) -> None:
    said = {each.name: each.metadata["change"] for each in fields(track.settings)}
    assert {name: change for name, change in said.items() if change != Change.FREE} == SETTLED[track.key]


def another(settings: TrackSettings, name: str, value: Any, topic: str) -> Any:
    """Another value that the track takes for this setting."""
    if isinstance(value, bool):
        return not value
    numbers = [value + 1, value - 1, 1 - value] if isinstance(value, int | float) else []
    texts = [WORDS.get(name, "other")] if isinstance(value, str) else []
    lists = [(2,), (topic,)] if isinstance(value, tuple) else []
    for each in (*numbers, *texts, *lists):
        try:
            type(settings).from_mapping({**settings.as_mapping(), name: each})
        except SettingsError:
            continue
        return each
    raise LookupError(name)


@pytest.mark.usefixtures("scratch")
def test_each_setting_is_tried_under_judgments(judged: Judged) -> None:
    settled = SETTLED[judged.track.key]
    found: dict[str, str] = {}
    for each in fields(judged.track.settings):
        if each.metadata.get("own_page"):
            continue  # it holds choices for single topics, which have a rule of their own (`require_choosable`)
        campaign = Campaign.objects.get(pk=judged.campaign.pk)
        settings = settings_of(campaign)
        topic = campaign.topics.exclude(task="").order_by("pk")[0].number
        value = another(settings, each.name, getattr(settings, each.name), topic)
        with transaction.atomic():
            try:
                change_settings(actor=judged.organiser, campaign=campaign, values={each.name: value})
            except Conflict as refused:
                found[each.name] = refused.message
            assert not values_off_scale(campaign), each.name
            transaction.set_rollback(True)
    expected = {
        name
        for name, change in settled.items()
        if change == Change.RUNS or not judged.track.settings.criterion_of(name) or name == "highest_grade"
    }  # nothing in the folder of iKAT is judged for completeness and its like
    assert set(found) == expected
    for name, message in found.items():
        words = "runs are in" if settled[name] == Change.RUNS else " stand on it"
        assert words in message, message
