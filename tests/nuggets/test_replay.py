"""Recorded judgments that cannot be replayed. What comes of those that can is tested with all tracks."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from assess.base.errors import BadFile, Conflict
from assess.models import Activity, Assignment, Campaign, Item, Judgment
from assess.people.domain.members import add_member
from assess.replay import replaying
from assess.replay.importing import people_by_pseudonym
from assess.replay.kept_lines import HeldLines
from assess.replay.replaying import import_judgments, replay_lines
from assess.replay.session import ReplayLine
from nuggets.models import ClassAssignment
from scoring.formats.judgments_jsonl import read_judgments
from scoring.records import Issue
from tests import factories
from tests.tracks import track_folder
from tracks import ADHOC


@pytest.mark.parametrize("at_once", [replaying.AT_ONCE, 1])
def test_a_bad_line_stores_nothing_and_names_the_lines(
    organiser: User,
    settings: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
) -> None:
    monkeypatch.setattr(replaying, "AT_ONCE", at_once)
    settings.DATA_DIR = tmp_path / "var"  # type: ignore[attr-defined]
    campaign = track_folder.load(ADHOC, organiser=organiser, slug="demo")
    recorded = track_folder.recorded(ADHOC)
    judged = [line for line in map(json.loads, recorded.splitlines()) if line["do"] == "judge"]
    bad = [
        judged[0],
        judged[1] | {"docno": "NOWHERE-1", "key": "NOWHERE-1"},
        judged[2] | {"topic": "99.9"},
        judged[3] | {"value": 7},
        *(judged[4] | {"by": f"assessor-{number}"} for number in range(70, 90)),
    ]
    content = "\n".join(json.dumps(line) for line in bad).encode()
    people = track_folder.judges(campaign, organiser=organiser, content=recorded)
    before = Activity.objects.count()
    with pytest.raises(BadFile) as refused:
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)
    assert [issue.where for issue in refused.value.issues] == [2, 3, 4, 5]
    assert refused.value.issues[0].message == "No run returned NOWHERE-1 for this question."
    assert all(f"assessor-{number}" in refused.value.issues[-1].message for number in range(70, 90))
    assert not Judgment.objects.exists()
    assert not Assignment.objects.exists()
    assert Activity.objects.count() == before


def test_a_document_is_named_by_its_docno_alone(organiser: User, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "var"
    campaign = track_folder.load(ADHOC, organiser=organiser, slug="demo")
    recorded = track_folder.recorded(ADHOC)
    people = track_folder.judges(campaign, organiser=organiser, content=recorded)
    whole = next(line for line in map(json.loads, recorded.splitlines()) if line["do"] == "judge")
    line = {name: whole[name] for name in ("do", "by", "topic", "docno", "criterion", "value")}
    import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(json.dumps(line).encode()), people=people)
    said = Judgment.objects.get()
    assert (said.item.docno, said.value) == (whole["docno"], whole["value"])


@pytest.mark.parametrize("content", [b"", b"\n\n"])
def test_a_file_without_a_line_is_refused(organiser: User, content: bytes) -> None:
    campaign = Campaign.objects.create(slug="demo", title="Demo", track="adhoc", state=Campaign.State.JUDGING)
    with pytest.raises(BadFile) as refused:
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people={})
    assert [(issue.code, issue.message) for issue in refused.value.issues] == [
        ("empty-file", "The file is empty. Check that the right file was chosen.")
    ]


Rows = list[tuple[object, ...]]


def rows_of(campaign: Campaign) -> Rows:
    fields = ("assignment__stage", "assignment__state", "item__key", "criterion", "value", "assessor_id", "client_key")
    return list(Judgment.objects.filter(assignment__campaign=campaign).order_by("id").values_list(*fields))


@dataclass
class Interrupted(HeldLines):
    """Lines during whose replay somebody else acts, before the lines of the last topic are read for the second time."""

    lines: list[ReplayLine]
    act: Callable[[], object]

    def __post_init__(self) -> None:
        super().__init__(self.lines)
        self.read: list[str] = []

    def of_topic(self, number: str) -> list[ReplayLine]:
        self.read.append(number)
        if self.read.count(number) == 2 and number == list(self.topics)[-1]:
            self.act()
        return super().of_topic(number)


def test_a_long_file_is_replayed_topic_by_topic_and_its_rest_once_more_after_others_were_in_the_way(
    organiser: User, settings: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DATA_DIR = tmp_path / "var"  # type: ignore[attr-defined]
    campaign = track_folder.load(ADHOC, organiser=organiser, slug="demo")
    content = track_folder.recorded(ADHOC)
    people = track_folder.judges(campaign, organiser=organiser, content=content)
    with transaction.atomic():
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)
        expected = rows_of(campaign)
        transaction.set_rollback(True)
    assert rows_of(campaign) == []

    monkeypatch.setattr(replaying, "AT_ONCE", 1)
    acts = [act for act in read_judgments(io.BytesIO(content)) if not isinstance(act, Issue)]
    lines = [ReplayLine(number, act) for number, act in enumerate(acts, start=1)]
    members = campaign.memberships.filter(user__in=people.values())
    interrupted = Interrupted(lines, members.delete)
    with (
        pytest.raises(Conflict, match="Others changed something while It was replayed"),
        CaptureQueriesContext(connection) as sent,
    ):
        replay_lines(actor=organiser, campaign=campaign, lines=interrupted, people=people, name="It")
    taken_back = [each for each in sent if (each["sql"] or "").startswith("ROLLBACK TO SAVEPOINT")]
    assert len(taken_back) > len(interrupted.topics)
    stored = rows_of(campaign)
    assert stored == expected[: len(stored)] != []

    for person in people.values():
        add_member(actor=organiser, campaign=campaign, user=person, role="assessor")
    again = import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)
    assert rows_of(campaign) == expected
    assert again.lines == len(lines)
    told = Activity.objects.filter(action="judgments.import", campaign=campaign).values_list("data", flat=True)
    assert sum(each["lines"] for each in told) == len(lines)
    assert import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people).added == 0


def test_an_answer_that_one_found_is_grouped_by_others_too(
    grouping: Assignment, rigid_items: list[Item], organiser: User, second_assessor: User
) -> None:
    blue, green, _ = rigid_items
    factories.document(grouping.campaign, "D9")
    said = [
        {"by": "assessor-1", "do": "class", "class": "cold", "answer": blue.text, "docno": blue.docno},
        {"by": "assessor-1", "do": "class", "class": "cold", "answer": green.text, "docno": green.docno},
        {"by": "assessor-1", "do": "find_answer", "class": "warm", "answer": "pink one", "docno": "D9"},
        {"by": "assessor-2", "do": "class", "class": "all", "answer": "pink one", "docno": "D9", "role": "second"},
    ]
    content = "\n".join(json.dumps({"topic": grouping.topic.number, **line}) for line in said).encode()
    people = {"assessor-1": grouping.assessor, "assessor-2": second_assessor}
    import_judgments(actor=organiser, campaign=grouping.campaign, stream=io.BytesIO(content), people=people)
    found = ClassAssignment.objects.filter(item__text="pink one").order_by("id")
    assert [(row.assignment.assessor, row.is_found) for row in found] == [
        (grouping.assessor, True),
        (second_assessor, False),
    ]


def test_user_names_stand_for_their_people(organiser: User) -> None:
    campaign = track_folder.load(ADHOC, organiser=organiser, slug="demo")
    anna, ben = (User.objects.create_user(name, password=name) for name in ("anna", "ben"))
    for user in (ben, anna):
        add_member(actor=organiser, campaign=campaign, user=user, role="assessor")
    assert people_by_pseudonym(campaign) == {"anna": anna, "ben": ben, "assessor-1": ben, "assessor-2": anna}
