"""The records of exports that fit any track: every value that counts, by topic and key, and what runs returned."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from django.contrib.auth.models import User

from assess.exports.queries import grades, returned
from assess.exports.writing import collect_records
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Citation, Item, Judgment, Topic
from assess.protocol import Export
from scoring.records import ItemGrade, ReturnedSegment
from tests import factories
from tests.remembered import remembered

pytestmark = pytest.mark.django_db

DOCNO = "BLOG06-20060101-000-0000000001"


def judge(assignment: Assignment, item: Item, value: int | None, note: str = "") -> Judgment:
    return Judgment.objects.create(
        item=item,
        criterion="correctness",
        value=value,
        note=note,
        evidence=[{"quote": "blue", "start": 2, "value": None}] if note else None,
        assessor=assignment.assessor,
        assignment=assignment,
        client_key=UUID(int=Judgment.objects.count() + 1),
        how="key",
    )


def grade_of(item: Item, value: int | None, **said: object) -> ItemGrade:
    known = {"by": "assessor-1"} if value is not None else {}
    return ItemGrade(
        topic="1.1",
        kind="instance",
        key=item.key,
        criterion="correctness",
        value=value,
        docno=DOCNO,
        text=item.text,
        **{**known, **said},  # type: ignore[arg-type]
    )


@pytest.fixture
@remembered
def judged(grading: Assignment, rigid_items: list[Item], rigid: Topic, second_assessor: User) -> list[Item]:
    """The author judged blue and red, a second assessor red otherwise, nobody green; by key."""
    blue, green, red = rigid_items
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    judge(grading, red, 2)
    judge(grading, blue, 1, "says so")
    judge(second, red, -1)
    return sorted([blue, green, red], key=lambda item: item.key)


EVIDENCE = ({"quote": "blue", "start": 2, "value": None},)


def test_official_grades_come_by_key_with_note_and_evidence(campaign: Campaign, judged: list[Item]) -> None:
    said = {"blue bicycle": (1, {"note": "says so", "evidence": EVIDENCE}), "red bicycle": (2, {})}
    expected = [grade_of(item, said[item.text][0], **said[item.text][1]) for item in judged if item.text in said]
    assert list(grades(Snapshot(campaign), kind="instance")) == expected
    assert list(grades(Snapshot(campaign), kind="sentence")) == []
    assert list(grades(Snapshot(campaign), kind="instance", criteria=["vitality"])) == []


def test_pooled_items_that_nobody_judged_come_where_asked_for(campaign: Campaign, judged: list[Item]) -> None:
    found = list(grades(Snapshot(campaign), kind="instance", unjudged=True))
    green = next(item for item in judged if item.text == "green bicycle")
    assert [grade.text for grade in found] == [item.text for item in judged]
    assert [grade for grade in found if grade.value is None] == [grade_of(green, None)]
    factories.item(green.topic, "an item that is not pooled")
    assert list(grades(Snapshot(campaign), kind="instance", unjudged=True)) == found


def test_second_assessors_and_everybody(campaign: Campaign, judged: list[Item]) -> None:
    red = next(item for item in judged if item.text == "red bicycle")
    second = grade_of(red, -1, by="assessor-2", role="second")
    assert list(grades(Snapshot(campaign), kind="instance", role="second")) == [second]
    everybody = [grade for grade in grades(Snapshot(campaign), kind="instance", role="all") if grade.key == red.key]
    assert everybody == [grade_of(red, 2), second]


def test_an_earlier_point_gives_what_was_said_then(
    campaign: Campaign, grading: Assignment, rigid_items: list[Item]
) -> None:
    first = judge(grading, rigid_items[0], 1)
    judge(grading, rigid_items[0], 3)
    assert [grade.value for grade in grades(Snapshot(campaign, first.pk), kind="instance")] == [1]
    assert [grade.value for grade in grades(Snapshot(campaign), kind="instance")] == [3]
    judge(grading, rigid_items[0], None)
    assert list(grades(Snapshot(campaign), kind="instance")) == []


def test_segments_come_by_run_and_place_with_what_they_cite(
    campaign: Campaign, organiser: User, rigid: Topic, squishy: Topic
) -> None:
    blue, light = factories.item(rigid, "blue"), factories.item(squishy, "light")
    cited = Item.objects.create(topic=squishy, kind="citation", key="light-D1", docno="D1")
    whole = Item.objects.create(topic=squishy, kind="answer", key="whole")
    second, first = (factories.run(campaign, tag, organiser) for tag in ("B1", "A1"))
    factories.response(second, rigid, [blue])
    response = factories.response(first, squishy, [light, light])
    response.item = whole
    response.save()
    segment = response.segments.get(ordinal=2)
    Citation.objects.create(segment=segment, ordinal=2, docno="D2")
    Citation.objects.create(segment=segment, ordinal=1, docno="D1", item=cited)
    factories.response(first, rigid, [blue])
    withdrawn = factories.run(campaign, "C1", organiser)
    factories.response(withdrawn, rigid, [blue])
    withdrawn.state = "withdrawn"
    withdrawn.save()
    of_blue = ReturnedSegment(run="A1", topic="1.1", ordinal=1, text="blue", docno=DOCNO, kind="instance", key=blue.key)
    of_light = ReturnedSegment(
        run="A1",
        topic="1.2",
        ordinal=1,
        text="light",
        docno=DOCNO,
        kind="instance",
        key=light.key,
        response_key="whole",
    )
    cites = replace(of_light, ordinal=2, citations=(("D1", "citation", "light-D1"), ("D2", "", "")))
    assert list(returned(Snapshot(campaign))) == [of_blue, of_light, cites, replace(of_blue, run="B1")]
    segment.item = None
    segment.save()
    assert [row.ordinal for row in returned(Snapshot(campaign), kind="instance")] == [1, 1, 1]


def test_queries_do_not_grow_with_the_items(campaign: Campaign, judged: list[Item], django_assert_num_queries) -> None:
    with django_assert_num_queries(7):
        list(grades(Snapshot(campaign), kind="instance", unjudged=True))
    factories.pooled(judged[0].topic, [f"colour {number}" for number in range(20)])
    with django_assert_num_queries(7):
        list(grades(Snapshot(campaign), kind="instance", unjudged=True))


def test_an_export_hands_its_options_to_the_collector(campaign: Campaign, judged: list[Item]) -> None:
    export = Export(
        name="second.txt",
        label="What second assessors said",
        collect="grades",
        write=lambda records: iter(()),
        read=lambda stream: iter(()),
        options={"kind": "instance", "role": "second"},
    )
    assert [grade.value for grade in collect_records(Snapshot(campaign), export)] == [-1]
