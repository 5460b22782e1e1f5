"""Recording judgments: idempotent, refused where they may not be made, the newest row counts."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.contrib.auth.models import User

from assess.base.errors import Conflict, Invalid, NotAllowed, Refused
from assess.judging.queries.current import current_judgments, current_judgments_of, official_judgments
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import NOTE_LIMIT, JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item, Judgment, Topic
from tests import factories

pytestmark = pytest.mark.django_db
KEY = UUID("00000000-0000-4000-8000-000000000001")


def judge(assignment: Assignment, item: Item, value: int | None, key: UUID | None = None, **more: object) -> Judgment:
    judgment = JudgmentInput(item=item, criterion="correctness", value=value, client_key=key or uuid4(), **more)  # type: ignore[arg-type]
    return record_judgment(actor=assignment.assessor, assignment=assignment, judgment=judgment)


def values(campaign: Campaign, as_of: int | None = None) -> dict[str, int | None]:
    return {row.item.text: row.value for row in current_judgments(Snapshot(campaign, as_of)).select_related("item")}


def test_a_judgment_keeps_who_what_and_under_which_guidelines(grading: Assignment, rigid_items: list[Item]) -> None:
    row = judge(grading, rigid_items[0], 1, KEY, note="stated in the second comment", seconds=12.5)
    kept = Judgment.objects.get()
    assert (kept.pk, kept.item, kept.value, kept.note) == (row.pk, rigid_items[0], 1, "stated in the second comment")
    assert (kept.assessor, kept.assignment, kept.client_key, kept.how) == (grading.assessor, grading, KEY, "key")
    assert (kept.guideline.version, kept.seconds) == (1, 12.5)  # type: ignore[union-attr]


def test_the_same_key_with_the_same_content_is_the_same_row(grading: Assignment, rigid_items: list[Item]) -> None:
    assert judge(grading, rigid_items[0], 1, KEY).pk == judge(grading, rigid_items[0], 1, KEY).pk
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize("change", ["value", "item", "note"])
def test_the_same_key_with_other_content_is_refused(grading: Assignment, rigid_items: list[Item], change: str) -> None:
    judge(grading, rigid_items[0], 1, KEY)
    item = rigid_items[1] if change == "item" else rigid_items[0]
    value = 2 if change == "value" else 1
    note = "another" if change == "note" else ""
    with pytest.raises(Conflict, match="said something else then"):
        judge(grading, item, value, KEY, note=note)
    assert values(grading.campaign) == {"blue bicycle": 1}


def test_a_repeated_click_is_answered_even_when_the_work_is_done(grading: Assignment, rigid_items: list[Item]) -> None:
    row = judge(grading, rigid_items[0], 1, KEY)
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    assert judge(grading, rigid_items[0], 1, KEY).pk == row.pk


def test_the_newest_row_counts_and_null_withdraws(grading: Assignment, rigid_items: list[Item]) -> None:
    first = judge(grading, rigid_items[0], 1)
    second = judge(grading, rigid_items[0], -1)
    judge(grading, rigid_items[0], None)
    assert values(grading.campaign) == {}
    assert values(grading.campaign, as_of=second.pk) == {"blue bicycle": -1}
    assert values(grading.campaign, as_of=first.pk) == {"blue bicycle": 1}
    assert values(grading.campaign, as_of=first.pk - 1) == {}


def test_a_value_off_the_scale_is_refused(grading: Assignment, rigid_items: list[Item]) -> None:
    with pytest.raises(Invalid, match="not on the scale"):
        judge(grading, rigid_items[0], 7)
    assert Judgment.objects.count() == 0


def test_nothing_is_given_with_like_ones_where_the_campaign_does_not_want_it(
    grading: Assignment, rigid_items: list[Item]
) -> None:
    with pytest.raises(Invalid, match="Answers that are alike are judged one by one here"):
        judge(grading, rigid_items[0], 1, how="like")


def test_a_criterion_of_another_stage_is_refused(grading: Assignment, rigid_items: list[Item]) -> None:
    judgment = JudgmentInput(item=rigid_items[0], criterion="usefulness", value=1, client_key=KEY)
    with pytest.raises(Invalid, match="is not asked here"):
        record_judgment(actor=grading.assessor, assignment=grading, judgment=judgment)


def test_an_item_of_another_topic_is_refused(grading: Assignment, squishy_items: list[Item]) -> None:
    with pytest.raises(Invalid, match="does not belong"):
        judge(grading, squishy_items[0], 1)


def test_an_item_that_is_not_pooled_is_refused(grading: Assignment, rigid: Topic, organiser: User) -> None:
    outside = factories.item(rigid, "yellow bicycle")
    factories.response(factories.run(grading.campaign, "Harbor3", organiser, priority=3), rigid, [outside])
    with pytest.raises(Invalid, match="not in the pool"):
        judge(grading, outside, 1)


def test_a_note_of_any_length_is_not_taken(grading: Assignment, rigid_items: list[Item]) -> None:
    with pytest.raises(Invalid, match="Shorten it"):
        judge(grading, rigid_items[0], 1, note="x" * (NOTE_LIMIT + 1))


def test_somebody_else_can_not_judge_in_it(grading: Assignment, rigid_items: list[Item], second_assessor: User) -> None:
    judgment = JudgmentInput(item=rigid_items[0], criterion="correctness", value=1, client_key=KEY)
    with pytest.raises(NotAllowed):
        record_judgment(actor=second_assessor, assignment=grading, judgment=judgment)


@pytest.mark.parametrize("state", ["open", "done", "returned"])
def test_work_that_is_not_open_takes_no_judgments(grading: Assignment, rigid_items: list[Item], state: str) -> None:
    Assignment.objects.filter(pk=grading.pk).update(state=state)
    with pytest.raises(Conflict):
        judge(grading, rigid_items[0], 1)


@pytest.mark.parametrize("state", ["setup", "frozen", "released"])
def test_a_campaign_that_is_not_judging_takes_no_judgments(
    grading: Assignment, rigid_items: list[Item], state: str
) -> None:
    grading.campaign.state = state
    grading.campaign.save()
    with pytest.raises(Refused, match="The campaign"):
        judge(grading, rigid_items[0], 1)


def test_a_second_assessor_never_slips_into_the_official_values(
    grading: Assignment, rigid: Topic, rigid_items: list[Item], second_assessor: User, adjudicator: User
) -> None:
    second = factories.assignment(rigid, "instances", second_assessor, role="second")
    judge(grading, rigid_items[0], 1)
    judge(second, rigid_items[0], -1)
    judge(second, rigid_items[1], 1)
    official = official_judgments(Snapshot(grading.campaign))
    assert {(row.item.text, row.value) for row in official} == {("blue bicycle", 1)}
    settling = factories.assignment(rigid, "instances", adjudicator, role="adjudicator")
    judge(settling, rigid_items[0], 3)
    assert {(row.item.text, row.value) for row in official_judgments(Snapshot(grading.campaign))} == {
        ("blue bicycle", 3)
    }
    assert current_judgments_of(rigid, assessor=second_assessor).count() == 2
