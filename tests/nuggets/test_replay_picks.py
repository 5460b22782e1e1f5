"""Picks go out with judgments.jsonl and come back: the list, what assessors added, and "none of them"."""

from __future__ import annotations

import io
from collections.abc import Callable
from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile, Conflict
from assess.campaigns.queries import ledger_point, stage_of
from assess.exports.writing import everything
from assess.judging.snapshots import Snapshot
from assess.kinds.picks.bench import picked_items
from assess.kinds.picks.record import add_label, record_picks
from assess.models import Activity, Assignment, Item, Judgment
from assess.protocol import Stage
from assess.replay import replaying
from assess.replay.given_items import add_given_items
from assess.replay.replaying import Replayed, import_judgments
from assess.replay.session import ReplayLine
from nuggets.writing.export import annotated_topics
from scoring.formats.judgments_jsonl import write_judgments
from scoring.records import ItemGrade
from scoring.release.recorded_acts import Judged, NonePicked
from tests import factories
from tests.benches import Benches

pytestmark = pytest.mark.django_db
KEY = UUID("00000000-0000-4000-8000-000000000001")
NONE = '{"by": "assessor-1", "criterion": "place", "do": "none", "topic": "7-1"}'
PICK = '{"answer": "%s", "by": "assessor-1", "criterion": "place", "do": "judge", "docno": "", "key": "%s", "topic": "7-1", "value": 1}'  # noqa: E501


@pytest.fixture
def work(benches: Benches) -> Assignment:
    return benches.work["figures"]


def pick_none(work: Assignment, *, key: UUID | None = None, none: bool = True) -> list[Judgment]:
    return record_picks(actor=work.assessor, assignment=work, items=[], client_key=key or uuid4(), none=none)


def pick(work: Assignment, *items: Item) -> list[Judgment]:
    return record_picks(actor=work.assessor, assignment=work, items=items, client_key=uuid4())


def figures(work: Assignment) -> Stage:
    return stage_of(work.campaign, work.stage)[1]


def written(benches: Benches, as_of: int | None = None) -> list[str]:
    return list(write_judgments(everything(Snapshot(benches.campaign, as_of))))


def placed(item: Item, place: int) -> str:
    """Return the line that gives a figure of topic 7-1 its place."""
    act = Judged(
        by="assessor-1", topic="7-1", docno=item.docno, answer=item.text, key=item.key, criterion="place", value=place
    )
    return "".join(write_judgments([act]))


def replay(benches: Benches, organiser: User, *lines: str) -> Replayed:
    stream = io.BytesIO("\n".join(lines).encode())
    people = {"assessor-1": benches.assessor}
    return import_judgments(actor=organiser, campaign=benches.campaign, stream=stream, people=people)


def test_none_of_them_is_written_while_it_is_the_newest_word(benches: Benches, work: Assignment) -> None:
    points = [ledger_point(benches.campaign)]
    changes: list[Callable[[], object]] = [
        lambda: pick_none(work),
        lambda: pick_none(work, none=False),
        lambda: pick_none(work),
        lambda: pick(work, benches.items("figure")[0]),
        lambda: pick(work),
        lambda: pick_none(work),
    ]
    for change in changes:
        change()
        points.append(ledger_point(benches.campaign))
    said = [[type(act) for act in everything(Snapshot(benches.campaign, point))] for point in points]
    assert said == [[], [NonePicked], [], [NonePicked], [Judged], [], [NonePicked]]
    assert written(benches) == [NONE]


def test_none_of_them_comes_back_and_finishes_the_work_once(
    benches: Benches, work: Assignment, organiser: User
) -> None:
    assert replay(benches, organiser, NONE).added
    work.refresh_from_db()
    assert work.state == "done"
    assert written(benches) == [NONE]
    assert replay(benches, organiser, NONE).added == 0


def test_none_and_picks_of_one_person_are_refused(benches: Benches, organiser: User) -> None:
    with pytest.raises(BadFile) as refused:
        replay(benches, organiser, PICK % ("FIG 1", "fig 1"), NONE)
    assert [issue.where for issue in refused.value.issues] == [2]
    assert not Judgment.objects.exists()


def test_a_place_is_given_once_by_a_file_too(benches: Benches, work: Assignment, organiser: User) -> None:
    """Whether the other item has it by the same file or by the assessor's own list; a list may be put in order anew."""
    first, second = (PICK % (text, text) for text in ("FIG 1", "FIG 2"))
    with pytest.raises(BadFile) as refused:
        replay(benches, organiser, first, second)
    assert {issue.where for issue in refused.value.issues} == {1, 2}
    pick(work, *Item.objects.filter(kind="figure", text__in=["FIG 1", "FIG 2"]).order_by("text"))
    with pytest.raises(BadFile) as refused:
        replay(benches, organiser, second)
    assert [issue.message[:20] for issue in refused.value.issues] == ["You gave place 1 to "]
    last = [each.replace('"value": 1', f'"value": {place}') for each, place in ((first, 2), (second, 1))]
    assert replay(benches, organiser, *last).added
    assert [Item.objects.get(pk=pk).text for pk, _ in picked_items(work.topic, figures(work), work.assessor)] == [
        "FIG 2",
        "FIG 1",
    ]


def test_picks_put_in_order_are_replayed_as_a_whole(
    benches: Benches, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "AT_ONCE", 1)
    monkeypatch.setattr(replaying, "PART", 1)
    before, items = Judgment.objects.count(), benches.items("figure")
    with pytest.raises(BadFile):
        replay(benches, organiser, placed(items[0], 1), placed(items[1], 1))
    assert Judgment.objects.count() == before
    replay(benches, organiser, *(placed(each, place) for place, each in enumerate(items[:3], start=1)))
    assert Judgment.objects.count() == before + 3


def test_none_by_a_criterion_that_no_stage_picks_by_is_refused(benches: Benches, organiser: User) -> None:
    for criterion in ("colour", "relevance"):
        with pytest.raises(BadFile) as refused:
            replay(benches, organiser, NONE.replace("place", criterion))
        assert [issue.code for issue in refused.value.issues] == ["no-stage"]


def test_a_label_that_an_assessor_added_comes_back(benches: Benches, work: Assignment, organiser: User) -> None:
    made = add_label(actor=work.assessor, assignment=work, label="fig 7b")
    pick(work, made)
    lines = written(benches)
    pick(work)
    assert replay(benches, organiser, *(line.replace("FIG 7B", "FIG 8") for line in lines)).added
    assert Item.objects.get(kind="figure", text="FIG 8").key == "FIG 8"


@pytest.mark.parametrize("label", ["x" * 300, "picture", "FIG " + "1" * 300, ""])
def test_a_label_that_is_none_is_refused(benches: Benches, organiser: User, label: str) -> None:
    before = Item.objects.count()
    with pytest.raises(BadFile):
        replay(benches, organiser, PICK % (label, label or "   "))
    assert Item.objects.count() == before


def test_none_that_is_sent_once_more_takes_no_later_pick_out(benches: Benches, work: Assignment) -> None:
    pick_none(work, key=KEY)
    pick(work, benches.items("figure")[0])
    assert pick_none(work, key=KEY) == []
    assert Judgment.objects.filter(value=None).count() == 0
    with pytest.raises(Conflict, match="with other picks"):
        record_picks(
            actor=work.assessor, assignment=work, items=[benches.items("figure")[1]], client_key=KEY, none=None
        )
    assert Activity.objects.filter(action="picks.none").count() == 1


def test_an_item_too_long_to_store_is_not_added(benches: Benches) -> None:
    acts = [
        Judged(by="nist", topic="7-1", answer="x", criterion="relevance", value=1, docno=docno, key=key)
        for docno, key in (("d" * 201, "k"), ("d", "k" * 201))
    ]
    assert add_given_items(benches.campaign, [ReplayLine(place, act) for place, act in enumerate(acts)]) == 0


def annotated(benches: Benches, as_of: int | None = None) -> list[str]:
    records = annotated_topics(Snapshot(benches.campaign, as_of), task="bench", kind="figure", criteria=("place",))
    return [f"{record.text} {record.value}" for record in records if isinstance(record, ItemGrade)]


def test_of_several_lists_one_counts_as_a_whole(benches: Benches, work: Assignment) -> None:
    one, two, three, *_ = benches.items("figure")
    pick(work, one, two)
    Assignment.objects.filter(pk=work.pk).update(state="returned")
    handed_on = factories.assignment(benches.topic, "figures", factories.member(benches.campaign, "next", "assessor"))
    assert annotated(benches) == [f"{one.text} 1", f"{two.text} 2"]
    pick(handed_on, three)
    before = ledger_point(benches.campaign)
    assert annotated(benches) == [f"{three.text} 1"]
    settler = factories.member(benches.campaign, "settler", "adjudicator")
    settling = factories.assignment(benches.topic, "figures", settler, role="adjudicator")
    pick_none(settling)
    assert annotated(benches) == []
    pick(settling, two)
    assert (annotated(benches), annotated(benches, before)) == ([f"{two.text} 1"], [f"{three.text} 1"])
    pick(settling)
    assert annotated(benches) == [f"{three.text} 1"]
