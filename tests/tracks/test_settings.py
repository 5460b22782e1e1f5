from __future__ import annotations

import json
from dataclasses import fields

import pytest

from assess.base.track_settings import SettingsError
from tracks.tac2008_qa.settings import Tac2008QaSettings


def test_defaults_are_those_of_the_guidelines() -> None:
    settings = Tac2008QaSettings()
    assert (settings.beta, settings.allowance, settings.length_limit) == (3.0, 100, 7000)
    assert (settings.judged_priorities, settings.single_assessor, settings.remote_resources) == ((1, 2), False, True)
    assert settings.problems() == {}


@pytest.mark.parametrize(
    ("name", "given", "value"),
    [
        ("beta", "5", 5.0),
        ("beta", 2, 2.0),
        ("beta", " 0.5 ", 0.5),
        ("allowance", "125", 125),
        ("judged_priorities", "1,2,3", (1, 2, 3)),
        ("judged_priorities", "1 2", (1, 2)),
        ("judged_priorities", [3], (3,)),
        ("judged_priorities", ["1", "2"], (1, 2)),
        ("single_assessor", "yes", True),
        ("single_assessor", "on", True),
        ("remote_resources", "False", False),
        ("remote_resources", False, False),
    ],
)
def test_values_are_converted(name: str, given: object, value: object) -> None:
    assert getattr(Tac2008QaSettings.from_mapping({name: given}), name) == value


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("gamma", 1, "There is no such setting. The settings are: allowance, beta"),
        ("beta", "big", "'big' is not a number."),
        ("beta", True, "True is not a number."),
        ("beta", None, "None is not a number."),
        ("beta", "nan", "from 0 to 1,000"),
        ("beta", "inf", "from 0 to 1,000"),
        ("beta", -1, "from 0 to 1,000"),
        ("allowance", "1.5", "'1.5' is not a whole number."),
        ("allowance", 1.5, "1.5 is not a whole number."),
        ("allowance", 0, "from 1 to 1,000,000"),
        ("length_limit", "-7000", "from 1 to 1,000,000"),
        ("single_assessor", "maybe", "'maybe' is not yes or no"),
        ("single_assessor", 1, "1 is not yes or no"),
        ("judged_priorities", "", "one or more of 1, 2 and 3"),
        ("judged_priorities", "1,1", "each once"),
        ("judged_priorities", "4", "1, 2 and 3"),
        ("judged_priorities", "one", "is not a list of whole numbers"),
        ("judged_priorities", 1, "is not a list of whole numbers"),
        ("judged_priorities", {"1": 2}, "is not a list of whole numbers"),
    ],
)
def test_values_that_cannot_be_used_are_refused(name: str, given: object, words: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Tac2008QaSettings.from_mapping({name: given})
    assert list(caught.value.problems) == [name]
    assert words in caught.value.problems[name]


def test_all_problems_are_told_at_once() -> None:
    with pytest.raises(SettingsError) as caught:
        Tac2008QaSettings.from_mapping({"beta": "x", "allowance": 0, "gamma": 1})
    assert set(caught.value.problems) == {"beta", "allowance", "gamma"}


def test_settings_come_back_from_json() -> None:
    settings = Tac2008QaSettings(beta=5.0, judged_priorities=(1, 2, 3), single_assessor=True)
    assert Tac2008QaSettings.from_mapping(json.loads(json.dumps(settings.as_mapping()))) == settings


def test_every_setting_has_a_label_and_help_for_forms() -> None:
    assert all(field.metadata["label"] and field.metadata["help"] for field in fields(Tac2008QaSettings))
