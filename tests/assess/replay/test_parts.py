"""A question of very many judgments is replayed in parts: the same comes of it as in one transaction."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from assess.assignments.models import Assignment
from assess.base.errors import BadFile
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import track_of
from assess.judging.models import Judgment
from assess.replay import replaying
from assess.replay.parts import can_be_parted, parts_of
from assess.replay.replaying import import_judgments
from assess.replay.session import Group, ReplayLine
from nuggets.models import ItemReview, Nugget, NuggetList, NuggetMatch, NuggetVote
from scoring.formats.judgments_jsonl import write_judgments
from scoring.release.recorded_acts import Judged, Matched, NuggetWritten, Voted
from tests import factories
from tests.tracks import track_folder
from tracks.tac2008_qa import TRACK as TAC2008_QA

pytestmark = pytest.mark.django_db
COUNT = 7
SAID = ("assignment__assessor", "assignment__role", "item__text", "criterion", "value", "client_key")
WORK = ("stage", "role", "assessor", "state")


@pytest.fixture
def acts(campaign: Campaign) -> list[Judged]:
    """What a first and a second assessor say of each item of a question, but for the last, which the second leaves."""
    topic = factories.topic(campaign, "7.1", "What is there?", task="rigid", ordinal=9)
    items = factories.pooled(topic, [f"string {number}" for number in range(COUNT)])
    said = [
        Judged(by=by, topic="7.1", docno=item.docno, answer=item.text, criterion="correctness", value=1, role=role)
        for by, role in (("assessor-1", ""), ("assessor-2", "second"))
        for item in items
    ]
    return said[:-1]


@pytest.fixture
def people(assessor: User, second_assessor: User, campaign: Campaign) -> dict[str, User]:
    return {"assessor-1": assessor, "assessor-2": second_assessor}


def replayed(campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged]) -> int:
    stream = io.BytesIO("".join(f"{line}\n" for line in write_judgments(acts)).encode())
    return import_judgments(actor=organiser, campaign=campaign, stream=stream, people=people).added


def imports(campaign: Campaign) -> list[int]:
    said = Activity.objects.filter(campaign=campaign, action="judgments.import").order_by("id")
    return [each.data["lines"] for each in said]


def test_parts_say_what_the_whole_says(
    campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying, "PART", 3)
    monkeypatch.setattr(replaying, "HELD", 0)
    replayed(campaign, organiser, people, acts)
    assert imports(campaign) == [3, 3, 3, 3, 1]
    works = Assignment.objects.filter(topic__number="7.1").order_by("role")
    assert [(work.role, work.assessor, work.state) for work in works] == [
        ("primary", people["assessor-1"], "done"),
        ("second", people["assessor-2"], "started"),
    ]
    rows = Judgment.objects.filter(assignment__in=works).values_list("assignment__role", "item__text", "value")
    texts = [f"string {number}" for number in range(COUNT)]
    expected = [("primary", text, 1) for text in texts] + [("second", text, 1) for text in texts[:-1]]
    assert sorted(rows) == expected
    assert replayed(campaign, organiser, people, acts) == 0


def test_a_part_that_completes_the_work_shuts_out_no_later_one(
    campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the first item were judged before; the file has the first, and other grades of the rest."""
    own = acts[:COUNT]
    replayed(campaign, organiser, people, own[1:])
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying, "PART", 3)
    replayed(campaign, organiser, people, [replace(each, value=3) for each in own])
    assert Judgment.objects.count() == 2 * COUNT - 1
    assert Assignment.objects.get(topic__number="7.1", role="primary").state == "done"


def test_a_fast_site_takes_more_lines_of_the_next_topic_at_once(
    campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged], monkeypatch: pytest.MonkeyPatch
) -> None:
    topic = factories.topic(campaign, "7.2", "What else is there?", task="rigid", ordinal=10)
    factories.pooled(topic, [f"string {number}" for number in range(COUNT)])
    more = [replace(each, topic="7.2") for each in acts[: COUNT - 1]]
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying, "PART", 3)
    monkeypatch.setattr(replaying, "HELD", 1_000_000)
    replayed(campaign, organiser, people, [*acts, *more])
    assert imports(campaign) == [3, 3, 3, 3, 1, COUNT - 1]


@pytest.mark.parametrize(("held", "sizes"), [(0, [3, 3, 3, 3, 1, 3, 3]), (1_000_000, [3, 3, 3, 3, 1, COUNT - 1])])
def test_a_slow_trial_holds_others_up_no_longer_than_a_replay(
    campaign: Campaign,
    organiser: User,
    people: dict[str, User],
    acts: list[Judged],
    monkeypatch: pytest.MonkeyPatch,
    held: int,
    sizes: list[int],
) -> None:
    """All lines of the second question are refused, one by one."""
    factories.topic(campaign, "7.2", "What else is there?", task="rigid", ordinal=10)
    unknown = [replace(each, topic="7.2") for each in acts[: COUNT - 1]]
    for name, value in {"AT_ONCE": 2, "PART": 3, "HELD": held}.items():
        monkeypatch.setattr(replaying, name, value)
    tried, attempt = [], replaying._Replay.attempt

    def told(replay: Any, numbers: list[str], part: Any, *, is_trial: bool = False) -> int:
        tried.append(len(part.lines) if part else len(unknown))
        assert is_trial
        return attempt(replay, numbers, part, is_trial=is_trial)

    monkeypatch.setattr(replaying._Replay, "attempt", told)
    with pytest.raises(BadFile) as refused:
        replayed(campaign, organiser, people, [*acts, *unknown])
    assert (tried, refused.value.total) == (sizes, len(unknown))


def test_nothing_is_stored_where_the_last_part_is_refused(
    campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "PART", 3)
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    acts[-1] = replace(acts[-1], answer="nobody said this")
    with pytest.raises(BadFile) as refused:
        replayed(campaign, organiser, people, acts)
    assert [issue.code for issue in refused.value.issues] == ["invalid"]
    assert not Judgment.objects.exists()
    assert not Assignment.objects.exists()


def test_work_is_handed_over_between_two_parts(
    campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both speak in one role, so the work goes from one to the other, wherever a part ends."""
    handed = [replace(act, role="") for act in acts]
    with transaction.atomic():
        replayed(campaign, organiser, people, handed)
        expected = sorted(Judgment.objects.values_list(*SAID)), sorted(Assignment.objects.values_list(*WORK))
        transaction.set_rollback(True)
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    monkeypatch.setattr(replaying, "HELD", 0)
    for size, parts in ((3, [3, 3, 3, 3, 1]), (COUNT, [COUNT, COUNT - 1])):
        monkeypatch.setattr(replaying, "PART", size)
        with transaction.atomic():
            replayed(campaign, organiser, people, handed)
            found = sorted(Judgment.objects.values_list(*SAID)), sorted(Assignment.objects.values_list(*WORK))
            assert (imports(campaign), found) == (parts, expected)
            assert replayed(campaign, organiser, people, handed) == 0
            transaction.set_rollback(True)


def test_who_speaks_in_two_roles_or_settles_is_not_parted(campaign: Campaign) -> None:
    track = track_of(campaign)
    task = track.task("rigid")
    assert task is not None
    stages = list(task.stages)
    act = Judged(by="a", topic="1", docno="d", answer="s", criterion="correctness", value=1)
    line, taken_back = ReplayLine(1, act), ReplayLine(2, replace(act, value=None))
    assert can_be_parted({("instances", "", "a"): [line], ("instances", "second", "b"): [line]}, stages)
    assert not can_be_parted({("instances", "", "a"): [line], ("instances", "second", "a"): [line]}, stages)
    assert not can_be_parted({("instances", "", "a"): [line], ("instances", "adjudicator", "b"): [line]}, stages)
    assert not can_be_parted({("instances", "", "a"): [line, taken_back]}, stages)


def test_a_trial_has_what_its_lines_wait_for_and_what_belongs_together_is_never_cut(campaign: Campaign) -> None:
    task = track_of(campaign).task("squishy")
    assert task is not None
    written = [
        ReplayLine(number, NuggetWritten(by="a", topic="1", number=number, importance="vital", text="a text"))
        for number in range(1, 4)
    ]
    marks = [
        ReplayLine(number, Matched(by="a", topic="1", docno="d", answer=f"s{number}", number=1))
        for number in range(4, 12)
    ]
    votes = [ReplayLine(number, Voted(by="b", topic="1", number=number, importance="okay")) for number in range(12, 15)]
    grouped = {("nuggets", "", "a"): written, ("matches", "", "a"): marks, ("votes", "second", "b"): votes}

    def numbers(at_most: int, *, is_trial: bool) -> list[tuple[list[int | str], list[int | str], list[Group]]] | None:
        parts = parts_of(grouped, list(task.stages), at_most=at_most, is_trial=is_trial)
        if parts is None:
            return None
        return [([line.number for line in each.lines], sorted(each.besides), sorted(each.goes_on)) for each in parts]

    goes_on = [("matches", "", "a")]
    assert numbers(5, is_trial=False) == [
        ([1, 2, 3, 4, 5], [], goes_on),
        ([6, 7, 8, 9, 10], [], goes_on),
        ([11, 12, 13, 14], [], []),
    ]
    assert numbers(5, is_trial=True) == [
        ([1, 2, 3, 4, 5], [], goes_on),
        ([1, 2, 3, 6, 7, 8, 9, 10], [1, 2, 3], goes_on),
        ([1, 2, 3, 11, 12, 13, 14], [1, 2, 3], []),
    ]
    assert numbers(2, is_trial=True) is None
    assert next(found for found, *_ in numbers(2, is_trial=False) or []) == [1, 2, 3]


def everything(campaign: Campaign) -> dict[str, list[tuple[object, ...]]]:
    """All that was said, under which work, without ids and times."""
    work = ("assignment__topic", "assignment__stage", "assignment__assessor", "assignment__role")
    # The key of a judgment by a class holds its item's number, and PostgreSQL's sequences take no number back.
    said = [each for each in SAID if each != "client_key" or connection.vendor == "sqlite"]
    return {
        "works": sorted(campaign.assignments.values_list("topic", *WORK)),
        "marks": sorted(
            NuggetMatch.objects.values_list(*work, "client_key", "item", "nugget__number", "part", "value", "quote")
        ),
        "reviews": sorted(ItemReview.objects.values_list(*work, "client_key", "item", "is_reviewed")),
        "votes": sorted(NuggetVote.objects.values_list(*work, "client_key", "nugget__number", "importance")),
        "nuggets": sorted(Nugget.objects.values_list("nugget_list__topic", "number", "text")),
        "frozen": sorted(NuggetList.objects.exclude(frozen_at=None).values_list("topic", "owner")),
        "judgments": sorted(Judgment.objects.values_list(*said)),
    }


def test_nuggets_marks_and_votes_in_parts_are_as_in_one_transaction(
    organiser: User, settings: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With parts that cut judgments, marks and votes, and grades before classes, which are tried as a whole."""
    settings.DATA_DIR = tmp_path / "var"  # type: ignore[attr-defined]
    campaign = track_folder.load(TAC2008_QA, organiser=organiser, slug="demo")
    few = (b'"topic": "1.2"', b'"topic": "2.3"', b'"topic": "5.1"')
    lines = [line for line in track_folder.recorded(TAC2008_QA).splitlines() if any(topic in line for topic in few)]
    content = b"\n".join(lines)
    people = track_folder.judges(campaign, organiser=organiser, content=content)

    def import_it(content: bytes) -> None:
        import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)

    with transaction.atomic():
        import_it(content)
        expected = everything(campaign)
        transaction.set_rollback(True)
    monkeypatch.setattr(replaying, "AT_ONCE", 9)
    monkeypatch.setattr(replaying, "PART", 9)
    monkeypatch.setattr(replaying, "HELD", 0)
    monkeypatch.setattr(replaying, "AT_MOST", 12)
    marks = [line for line in lines if b'"do": "match"' in line]
    bad = content + b"\n" + marks[-1].replace(b'"nugget": "', b'"nugget": "9')
    with pytest.raises(BadFile):
        import_it(bad)
    assert not campaign.assignments.exists()
    assert not Nugget.objects.exists()
    import_it(content)
    assert everything(campaign) == expected
    assert all(expected.values())
    import_it(content)
    assert everything(campaign) == expected
