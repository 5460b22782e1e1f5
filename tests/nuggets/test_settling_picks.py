"""Settling picks as wholes: whose list stands side by side, what taking one makes official."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.contrib.auth.models import User

from assess.adjudication.queries.disagreements import criteria_of
from assess.assignments.domain.assignments import return_assignment
from assess.base.errors import Conflict
from assess.campaigns.queries import stage_of
from assess.judging.queries.current import official_judgments
from assess.judging.queries.judges import judges_of, values_of
from assess.judging.queries.picked import official_pickers
from assess.judging.snapshots import Snapshot
from assess.kinds.picks.bench import picked_items
from assess.kinds.picks.record import record_picks
from assess.models import Assignment
from assess.work.domain import hand_over
from tests import factories
from tests.benches import Benches
from tests.nuggets.settled import row_of, take, value_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def picked(benches: Benches) -> dict[str, Assignment]:
    """The author picks two figures; the other assessor says that none fits."""
    other = factories.member(benches.campaign, "other", "assessor")
    works = {
        "author": benches.work["figures"],
        "other": factories.assignment(benches.topic, "figures", other, role="second"),
    }
    one, two, *_ = benches.items("figure")
    record_picks(actor=benches.assessor, assignment=works["author"], items=[two, one], client_key=uuid4())
    record_picks(actor=other, assignment=works["other"], items=[], none=True, client_key=uuid4())
    return works


def test_the_picks_taken_count_be_they_a_list_or_none(benches: Benches, picked: dict[str, Assignment]) -> None:
    campaign, topic = benches.campaign, benches.topic
    settler = factories.member(campaign, "settler", "adjudicator")
    stage = stage_of(campaign, "figures")[1]
    (criterion,) = criteria_of(campaign, stage)

    def official() -> tuple[int, list[int]]:
        person = official_pickers(Snapshot(campaign), criterion.key)[topic.number]
        return person, [item for item, _ in picked_items(topic, stage, person)]

    one, two, *_ = (item.pk for item in benches.items("figure"))
    assert official() == (benches.assessor.pk, [two, one])
    for who, items in (("author", [two, one]), ("other", []), ("author", [two, one]), ("other", [])):
        value = value_of(campaign, "figures", picked[who].assessor)
        take(settler, campaign, "figures", value)
        row = row_of(campaign, "figures")
        assert row is not None and row.decided == value
        assert official() == (settler.pk, items)
    take(settler, campaign, "figures", None)
    assert official() == (benches.assessor.pk, [two, one])
    row = row_of(campaign, "figures")
    assert row is not None and row.decided is None


def test_an_official_list_is_one_persons_whole_list_place_by_place(
    benches: Benches, picked: dict[str, Assignment], organiser: User
) -> None:
    """*Agreement* and what stands behind a score go place by place; no place comes from a list that does not count."""
    campaign, topic, stage = benches.campaign, benches.topic, stage_of(benches.campaign, "figures")[1]
    one, two, three, *_ = benches.items("figure")

    def places(judge: str) -> dict[int, int]:
        keys = {f"figure:{item.key}": item.pk for item in benches.items("figure")}
        return {keys[name]: value for (_, name), value in values_of(Snapshot(campaign), judge, "place").items()}

    settlers = [
        factories.assignment(topic, "figures", factories.member(campaign, name, "adjudicator"), role="adjudicator")
        for name in ("first", "last")
    ]
    said = ((0, []), (0, [three, two]), (1, [two]), (0, [one, two]))
    for whose, items in said:
        work = settlers[whose]
        record_picks(
            actor=work.assessor, assignment=work, items=items, client_key=uuid4(), none=None if items else True
        )
        assert places("official") == places("adjudicated") == {item.pk: at for at, item in enumerate(items, start=1)}
        rows = official_judgments(Snapshot(campaign)).filter(criterion="place")
        assert {row.assessor_id for row in rows} <= {work.assessor_id}
    assert places("primary") == {two.pk: 1, one.pk: 2}
    return_assignment(actor=organiser, assignment=picked["author"])
    new = factories.assignment(topic, "figures", factories.member(campaign, "new", "assessor"))
    record_picks(actor=new.assessor, assignment=new, items=[three], client_key=uuid4())
    assert places("primary") == {three.pk: 1}
    assert [item for item, _ in picked_items(topic, stage, new.assessor)] == [three.pk]


def test_of_two_adjudicators_the_one_who_spoke_last_decided_be_it_for_none(
    benches: Benches, picked: dict[str, Assignment]
) -> None:
    (criterion,) = criteria_of(benches.campaign, stage_of(benches.campaign, "figures")[1])
    for name, who in (("first", "author"), ("last", "other")):
        settler = factories.member(benches.campaign, name, "adjudicator")
        value = value_of(benches.campaign, "figures", picked[who].assessor)
        take(settler, benches.campaign, "figures", value)
        row = row_of(benches.campaign, "figures")
        assert row is not None and row.decided == value
        assert official_pickers(Snapshot(benches.campaign), criterion.key)[benches.topic.number] == settler.pk


def test_picks_that_were_handed_over_are_the_side_until_the_new_assessor_picks(
    benches: Benches, picked: dict[str, Assignment], organiser: User
) -> None:
    campaign, topic = benches.campaign, benches.topic
    settler, new = factories.member(campaign, "settler", "adjudicator"), factories.member(campaign, "new", "assessor")
    other, stage = picked["other"], stage_of(campaign, "figures")[1]
    one, two, *_ = benches.items("figure")
    record_picks(actor=other.assessor, assignment=other, items=[one], client_key=uuid4())
    before = row_of(campaign, "figures")
    work = hand_over(actor=organiser, assignment=other, to=new)
    assert row_of(campaign, "figures") == before
    take(settler, campaign, "figures", value_of(campaign, "figures", other.assessor))
    assert picked_items(topic, stage, settler) == [(one.pk, 1)]
    Assignment.objects.filter(pk=work.pk).update(state="started")
    work.refresh_from_db()
    record_picks(actor=new, assignment=work, items=[two], client_key=uuid4())
    row = row_of(campaign, "figures")
    assert row is not None and {side.assessor_id for side in row.sides} == {benches.assessor.pk, new.pk}
    take(settler, campaign, "figures", value_of(campaign, "figures", new))
    assert picked_items(topic, stage, settler) == [(two.pk, 1)]


def test_alike_picks_that_were_handed_over_stay_alike(benches: Benches, organiser: User) -> None:
    other, new = (factories.member(benches.campaign, name, "assessor") for name in ("other", "new"))
    work = factories.assignment(benches.topic, "figures", other, role="second")
    for each in (benches.work["figures"], work):
        record_picks(actor=each.assessor, assignment=each, items=benches.items("figure")[:2], client_key=uuid4())
    hand_over(actor=organiser, assignment=work, to=new)
    assert row_of(benches.campaign, "figures") is None


def test_a_list_that_the_adjudicator_partly_picked_as_a_second_assessor_counts_whole(
    benches: Benches, picked: dict[str, Assignment], organiser: User
) -> None:
    campaign, topic = benches.campaign, benches.topic
    settler = factories.member(campaign, "settler", "adjudicator")
    one, two, three, *_ = benches.items("figure")
    before = factories.assignment(topic, "figures", settler, role="second")
    record_picks(actor=settler, assignment=before, items=[two, three], client_key=uuid4())
    return_assignment(actor=organiser, assignment=before)
    take(settler, campaign, "figures", value_of(campaign, "figures", benches.assessor))
    official = official_judgments(Snapshot(campaign)).filter(item__in=[one, two, three])
    assert {each.item_id: (each.value, each.assignment.role) for each in official} == {
        two.pk: (1, "adjudicator"),
        one.pk: (2, "adjudicator"),
    }
    (judge,) = (each.key for each in judges_of(campaign) if each.user_id == settler.pk)
    for key, value in (("second", {two: 1, three: 2}), ("adjudicated", {two: 1, one: 2}), (judge, {two: 1, three: 2})):
        said = values_of(Snapshot(campaign), key, "place")
        assert said == {(topic.number, f"figure:{item.key}"): place for item, place in value.items()}
    with pytest.raises(Conflict, match="already decided"):
        take(settler, campaign, "figures", value_of(campaign, "figures", benches.assessor))
    decided = campaign.assignments.get(assessor=settler, role="adjudicator")
    Assignment.objects.filter(pk=decided.pk).update(state="started")
    decided.refresh_from_db()
    record_picks(actor=settler, assignment=decided, items=[], none=True, client_key=uuid4())
    as_second = {(topic.number, f"figure:{two.key}"): 1, (topic.number, f"figure:{three.key}"): 2}
    assert values_of(Snapshot(campaign), "second", "place") == as_second
    assert values_of(Snapshot(campaign), "adjudicated", "place") == {}
