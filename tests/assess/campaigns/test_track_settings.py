"""Settings of every type that a track may have, lists of words among them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest
from django import forms
from django.http import QueryDict

from assess.base.track_settings import SettingsError, TrackSettings
from assess.campaigns.queries import track_of
from assess.models import Campaign
from assess.web.forms import SettingsForm

pytestmark = pytest.mark.django_db


@dataclass(frozen=True, kw_only=True, slots=True)
class Listed(TrackSettings):
    topics: tuple[str, ...] = field(default=(), metadata={"label": "Topics"})
    depths: tuple[int, ...] = (5, 10)


@pytest.mark.parametrize(
    ("given", "topics"),
    [
        ("9-1_3, 9-1_4", ("9-1_3", "9-1_4")),
        ("1 2\n3", ("1", "2", "3")),
        ("", ()),
        (["9-1_3", "10"], ("9-1_3", "10")),
        ([], ()),
    ],
)
def test_a_list_of_words_is_read(given: object, topics: tuple[str, ...]) -> None:
    settings = Listed.from_mapping({"topics": given})
    assert settings == Listed(topics=topics)
    assert Listed.from_mapping(settings.as_mapping()) == settings


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("topics", [1, 2], "[1, 2] is not a list of words, such as 1.1,1.2."),
        ("topics", 7, "7 is not a list of words, such as 1.1,1.2."),
        ("topics", None, "None is not a list of words, such as 1.1,1.2."),
        ("topics", [["a"]], "[['a']] is not a list of words, such as 1.1,1.2."),
        ("depths", "5,x", "'5,x' is not a list of whole numbers, such as 1,2."),
        ("depths", [True], "[True] is not a list of whole numbers, such as 1,2."),
    ],
)
def test_other_values_are_refused_in_words_that_fit(name: str, given: object, problem: str) -> None:
    with pytest.raises(SettingsError) as error:
        Listed.from_mapping({name: given})
    assert error.value.problems == {name: problem}


def test_the_form_shows_lists_and_takes_an_empty_one(campaign: Campaign) -> None:
    track = replace(track_of(campaign), settings=Listed)
    campaign.settings = {"topics": ["9-1_3", "10"]}
    form = SettingsForm(track=track, campaign=campaign)
    own = {name: field.initial for name, field in form.fields.items() if name != "made_from"}
    assert own == {"topics": "9-1_3, 10", "depths": "5, 10"}
    assert isinstance(form.fields["topics"], forms.CharField)
    numbers = ",".join(f"{number}-1_{turn}" for number in range(40) for turn in range(30))
    filled = SettingsForm(QueryDict(f"topics={numbers}&depths="), track=track, campaign=campaign)
    assert filled.is_valid(), filled.errors
    assert len(Listed.from_mapping(filled.values()).topics) == 1200
