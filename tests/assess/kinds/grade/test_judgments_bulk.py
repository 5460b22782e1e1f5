"""Many judgments at once: the same rules as one by one, and no more queries for many than for few."""

from __future__ import annotations

from uuid import UUID, uuid5

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assess.assignments.domain.held_work import hold
from assess.base.errors import Invalid, Refused
from assess.judging.queries.stage_items import unpooled_items
from assess.kinds.grade.record import JudgmentInput, add_judgments, record_judgment
from assess.models import How, Item, Judgment, PoolItem
from tests.benches import ABSTRACT, Benches

pytestmark = pytest.mark.django_db
KEY = UUID("00000000-0000-4000-8000-000000000001")


def said(item: Item, criterion: str, value: int, quote: str = "") -> JudgmentInput:
    """A judgment with a key of its own, and a snippet where there is a quote."""
    return JudgmentInput(
        item=item,
        criterion=criterion,
        value=value,
        client_key=uuid5(KEY, f"{item.pk} {criterion}"),
        how=How.IMPORT,
        evidence=[{"quote": quote, "value": None}] if quote else None,
    )


def record(benches: Benches, stage: str, judgments: list[JudgmentInput]) -> list[Judgment | Refused]:
    """The judgments, recorded by the assessor of the stage."""
    with hold(benches.work[stage]) as held:
        unpooled = unpooled_items(held.assignment, held.stage.item_kind)
        return add_judgments(actor=benches.assessor, held=held, judgments=judgments, unpooled=unpooled)


def test_snippets_are_found_in_their_documents_once_for_all(benches: Benches) -> None:
    first = benches.items("citation")[0]
    pool = PoolItem.objects.filter(item=first).get().pool
    costs = []
    for start, number in ((0, 2), (2, 40)):
        items = [
            Item.objects.create(
                topic=benches.topic, kind="citation", key=f"more {start + each}", docno="PMID1", document=first.document
            )
            for each in range(number)
        ]
        PoolItem.objects.bulk_create(PoolItem(pool=pool, item=item) for item in items)
        with CaptureQueriesContext(connection) as queries:
            made = record(benches, "citations", [said(item, "support", 1, "Muscle pain") for item in items])
        assert [row.item for row in made if isinstance(row, Judgment)] == items
        costs.append(len(queries))
    assert costs[0] == costs[1]
    assert {(row.evidence or [{}])[0].get("start") for row in Judgment.objects.all()} == {ABSTRACT.index("Muscle pain")}


def test_nothing_is_added_when_the_same_comes_again(benches: Benches) -> None:
    judgments = [said(item, "support", 2, "Muscle pain") for item in benches.items("citation")]
    assert (
        record(benches, "citations", judgments) == record(benches, "citations", judgments[:1] * 2 + judgments[1:])[1:]
    )
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize(
    ("stage", "kind", "criterion"),
    [("passages", "passage", "relevance"), ("responses", "response", "content"), ("sentences", "sentence", "need")],
)
def test_what_runs_returned_and_nobody_pooled_is_refused_either_way(
    benches: Benches, stage: str, kind: str, criterion: str
) -> None:
    item = benches.items(kind)[0]
    PoolItem.objects.filter(item=item).delete()
    work, judgment = benches.work[stage], said(item, criterion, 1)
    with pytest.raises(Invalid, match="not in the pool"):
        record_judgment(actor=benches.assessor, assignment=work, judgment=judgment)
    (refused,) = record(benches, stage, [judgment])
    assert isinstance(refused, Invalid)
    assert not Judgment.objects.exists()
