"""A question of very many judgments is replayed in parts: the same comes of it as in one transaction."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.base.errors import BadFile
from assess.campaigns.models import Activity, Campaign
from assess.judging.models import Judgment
from assess.replay import replaying
from assess.replay.replaying import import_judgments
from scoring.formats.judgments_jsonl import write_judgments
from scoring.release.recorded_acts import Judged
from tests import factories

pytestmark = pytest.mark.django_db
COUNT = 7


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


def test_work_that_is_handed_over_is_replayed_whole(
    campaign: Campaign, organiser: User, people: dict[str, User], acts: list[Judged], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "PART", 3)
    monkeypatch.setattr(replaying, "AT_ONCE", 2)
    handed = [replace(act, role="") for act in acts]  # both in one role: the work goes from one to the other
    replayed(campaign, organiser, people, handed)
    assert imports(campaign) == [len(acts)]
