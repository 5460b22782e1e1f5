"""What several people graded: the opinions in disagreements on items, with notes and snippets. No join of runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import Chain, chains_of
from assess.campaigns.models import Campaign
from assess.judging.models import Judgment
from assess.judging.queries.bench import label_of
from assess.judging.queries.current import ADJUDICATOR, PRIMARY
from assess.judging.queries.items import items_of
from assess.kinds.opinions import Disagreement, Label, Narrow, Side, Thing, Told, Words, firsts
from assess.ledger.newest import newest_rows
from assess.protocol import Criterion, Stage

SECOND = Assignment.Role.SECOND


SIDES = (PRIMARY, SECOND)


CHUNK = 5_000


_Row = tuple[int, int | None, int, int, str]
"""(id, value, person, assignment, note) of a judgment."""


def criteria(campaign: Campaign, stage: Stage) -> Sequence[Criterion]:
    """What is asked of each item."""
    del campaign
    return stage.criteria


def said(
    campaign: Campaign, stage: Stage, criterion: Criterion, things: Narrow, topics: Collection[int]
) -> dict[Thing, Words]:
    """What was said of every item that was ever disputed. Two queries.

    Read is all that was ever said of items that not only authors judged, item by item: no other can be disputed.
    """
    works = campaign.assignments.filter(stage=stage.key, topic__in=list(topics), role__in=(*SIDES, ADJUDICATOR))
    held = {each.pk: each for each in works.only("campaign", "role", "state", "assessor", "chain_start").order_by("pk")}
    chains = chains_of(held.values())
    others = [pk for pk, each in held.items() if each.role != PRIMARY]
    not_alone = Judgment.objects.filter(assignment__in=others, criterion=criterion.key).order_by().values("item_id")
    rows = Judgment.objects.filter(
        item__in=not_alone, criterion=criterion.key, item__kind=stage.item_kind, item__repeats__isnull=True
    )
    if things is not None:
        rows = rows.filter(item__in=firsts(things))
    fields = ("item__topic_id", "item_id", "id", "value", "assessor_id", "assignment_id", "note")
    ordered = rows.order_by("item_id", "id").values_list(*fields).iterator(CHUNK)
    found = {}
    for (topic, item), of_item in groupby(ordered, key=itemgetter(0, 1)):
        words = _words([row[2:] for row in of_item], held, chains)
        if words is not None:
            found[Thing(topic_id=topic, item_id=item)] = words
    return found


def _words(rows: list[_Row], held: Mapping[int, Assignment], chains: Mapping[int, Chain]) -> Words | None:
    """What is current of one item's rows in order; None if never disputed.

    Of all who had the same work one after the other, who said something last is heard.
    """
    sides = {value for _, value, _, work, _ in rows if value is not None and work in held and held[work].role in SIDES}
    if len(sides) < 2:
        return None
    newest = sorted({row[2]: row for row in rows}.values())
    said = [row for row in newest if row[1] is not None and row[3] in held]
    opinions = {(held[row[3]].role, chains[row[3]].begun_by): row for row in said}
    words = Words()
    for pk, value, person, work, note in sorted(opinions.values()):
        side = Side(row=pk, value=value or 0, assessor_id=person)
        words.hear(held[work].role, side, is_live=chains[work].is_live, note=note)
    return words


def spoken(campaign: Campaign, stage: Stage, limit: int) -> int:
    """How many judgments second assessors made in a stage, counted up to a limit. One query."""
    rows = Judgment.objects.filter(assignment__campaign=campaign, assignment__stage=stage.key)
    return len(rows.filter(assignment__role=SECOND).order_by().values_list("pk")[:limit])


def labels(campaign: Campaign, stage: Stage, rows: Sequence[Disagreement]) -> dict[str, Label]:
    """The items of these rows, as a list calls them. One query."""
    del campaign, stage
    items = items_of(rows)
    found = {}
    for row in rows:
        item = items[row.thing.item_id or 0]
        found[row.name] = Label(label=label_of(item), docno=item.docno)
    return found


def told(campaign: Campaign, stage: Stage, criterion: Criterion, row: Disagreement) -> Mapping[int, Told]:
    """The notes of each side, on any criterion of the stage, and its snippets. One query."""
    del campaign
    people = [side.assessor_id for side in row.sides]
    judged = Judgment.objects.filter(item=row.thing.item_id, assessor__in=people)
    current = newest_rows(judged, "item_id", "criterion", "assessor_id").filter(value__isnull=False)
    by_person: dict[int, list[Judgment]] = {person: [] for person in people}
    for judgment in current.filter(criterion__in=[each.key for each in stage.criteria]).order_by("id"):
        by_person[judgment.assessor_id].append(judgment)
    found = {}
    for person, judgments in by_person.items():
        own = next((each for each in judgments if each.criterion == criterion.key), None)
        found[person] = Told(
            notes=list(dict.fromkeys(each.note for each in judgments if each.note.strip())),
            quotes=[snippet["quote"] for snippet in (own.evidence or ())] if own is not None else [],
        )
    return found
