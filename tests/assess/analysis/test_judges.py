"""Who judged, as sets of values that can be compared."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.utils.translation import override

from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.sentences import told
from assess.base.wording import letters
from assess.judging.queries.judges import JudgeSet, judges_of, values_of
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item, Judgment, Membership, Topic
from tests import factories
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


def say(item: Item, work: Assignment, value: int | None, **fields: object) -> Judgment:
    row = Judgment(
        item=item,
        criterion="correctness",
        value=value,
        assessor=work.assessor,
        assignment=work,
        client_key=uuid4(),
        how="key",
        **fields,
    )
    row.save()
    return row


@pytest.fixture
@remembered
def judged(
    campaign: Campaign, assessor: User, second_assessor: User, adjudicator: User
) -> tuple[list[Item], dict[str, Assignment]]:
    """Two items judged by everybody: author, other assessor, machine; the adjudicator settled the second."""
    topic = Topic.objects.get(number="1.1")
    items = factories.pooled(topic, ["red", "blue"])
    robot = factories.member(campaign, "robot", "assessor")
    Membership.objects.filter(user=robot).update(is_machine=True)
    who = {"machine": robot, "primary": assessor, "second": second_assessor, "adjudicator": adjudicator}
    works = {role: factories.assignment(topic, "judge-rigid", person, role=role) for role, person in who.items()}
    for role, values in {"machine": (0, 0), "primary": (3, 3), "second": (3, 1)}.items():
        for item, value in zip(items, values, strict=True):
            say(item, works[role], value)
    say(items[1], works["adjudicator"], 1)
    return items, works


def key(item: Item) -> tuple[str, str]:
    return ("1.1", f"instance:{item.key}")


def test_the_sets_are_roles_then_people_then_machines(campaign: Campaign, judged: Any) -> None:
    _, works = judged
    people = {role: work.assessor for role, work in works.items()}

    assert judges_of(campaign) == (
        JudgeSet(key="official", label="official", kind="official"),
        JudgeSet(key="primary", label="primary assessor", kind="role"),
        JudgeSet(key="second", label="second assessor", kind="role"),
        JudgeSet(key="adjudicated", label="adjudicator", kind="role"),
        JudgeSet(
            key="assessor-1",
            label=f"{people['primary'].username} (assessor-1)",
            kind="assessor",
            user_id=people["primary"].pk,
        ),
        JudgeSet(
            key="assessor-2",
            label=f"{people['second'].username} (assessor-2)",
            kind="assessor",
            user_id=people["second"].pk,
        ),
        JudgeSet(key="machine-A", label="machine judge A (robot)", kind="machine", user_id=people["machine"].pk),
    )
    with override("de"):
        assert told(judges_of(campaign)[-1].label) == "maschinelle Bewertung A (robot)"


def test_who_is_called_like_their_pseudonym_is_named_once(campaign: Campaign, judged: Any) -> None:
    _, works = judged
    User.objects.filter(pk=works["primary"].assessor.pk).update(username="assessor-1")
    assert next(judge.label for judge in judges_of(campaign) if judge.key == "assessor-1") == "assessor-1"


def test_a_campaign_without_work_has_only_the_official_values(campaign: Campaign) -> None:
    assert [judge.key for judge in judges_of(campaign)] == ["official"]


def test_every_set_says_its_own_values(campaign: Campaign, judged: Any) -> None:
    red, blue = map(key, judged[0])

    said = {judge.key: values_of(Snapshot(campaign), judge.key, "correctness") for judge in judges_of(campaign)}

    assert said == {
        "official": {red: 3, blue: 1},
        "primary": {red: 3, blue: 3},
        "second": {red: 3, blue: 1},
        "adjudicated": {blue: 1},
        "assessor-1": {red: 3, blue: 3},
        "assessor-2": {red: 3, blue: 1},
        "machine-A": {red: 0, blue: 0},
    }
    assert values_of(Snapshot(campaign), "nobody", "correctness") == {}
    assert values_of(Snapshot(campaign), "official", "another criterion") == {}


def test_of_two_second_assessors_who_got_the_work_last_is_compared(campaign: Campaign, judged: Any) -> None:
    (first, second), works = judged
    third = factories.member(campaign, "third", "assessor")
    later = factories.assignment(first.topic, "judge-rigid", third, role="second")
    say(first, later, 0)
    say(first, works["second"], 2)
    assert values_of(Snapshot(campaign), "second", "correctness") == {key(first): 0, key(second): 1}


def test_what_was_taken_back_and_what_came_later_is_not_in_the_past(campaign: Campaign, judged: Any) -> None:
    (first, second), works = judged
    point = say(first, works["primary"], 1).pk
    say(second, works["primary"], None)

    assert values_of(Snapshot(campaign), "primary", "correctness") == {key(first): 1}
    assert values_of(Snapshot(campaign, point), "primary", "correctness") == {key(first): 1, key(second): 3}
    assert values_of(Snapshot(campaign), "primary", "correctness", topics=[]) == {}


def test_repeats_are_left_out_and_what_saw_a_draft_on_request(campaign: Campaign, judged: Any) -> None:
    (first, second), works = judged
    copy = Item.objects.create(topic=first.topic, kind="instance", key="copy", text=first.text, repeats=first)
    say(copy, works["primary"], 0)
    say(first, works["primary"], 1, draft="after")

    assert values_of(Snapshot(campaign), "assessor-1", "correctness") == {key(first): 1, key(second): 3}
    assert values_of(Snapshot(campaign), "assessor-1", "correctness", drafted=False) == {key(second): 3}


def test_a_machine_moves_nobodys_number(campaign: Campaign, judged: Any) -> None:
    _, works = judged

    assert pseudonyms(campaign) == {
        works["primary"].assessor_id: "assessor-1",
        works["second"].assessor_id: "assessor-2",
        works["adjudicator"].assessor_id: "assessor-3",
        works["machine"].assessor_id: "machine-A",
    }
    assert [letters(number) for number in (1, 26, 27, 28)] == ["A", "Z", "AA", "AB"]
