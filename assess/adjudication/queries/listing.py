"""The disagreements of a campaign as one list, and the numbers by which adjudicators know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.utils.translation import gettext

from assess.adjudication.queries.disagreements import (
    adjudicated_stages,
    counted_disagreements,
    criteria_of,
    disagreements,
    kind_of,
)
from assess.adjudication.queries.windows import Rows, TopicRows, WholeRows, counted_in_order, numbers_in_order
from assess.campaigns.models import Campaign
from assess.items.handles import handle_in, item_in, settling_scope
from assess.kinds.opinions import AdjudicableItem, Disagreement, Label, parse_name
from assess.protocol import Criterion, Stage


@dataclass(frozen=True, kw_only=True, slots=True)
class DisagreementFilter:
    """A filter of disagreements by stage, criterion, topic, least size and decision; "" and None match all."""

    stage: str = ""
    criterion: str = ""
    topic: str = ""
    size: int = 0
    decided: bool | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedDisagreement:
    """One disagreement, with its stage and criterion. On a page of them, ``label`` is what the list shows of the thing,
    and ``nugget`` the text of the disputed nugget.
    """

    stage: Stage
    criterion: Criterion
    row: Disagreement
    label: Label | None = None
    nugget: str | None = None


def settled_questions(campaign: Campaign, wanted: DisagreementFilter | None = None) -> list[tuple[Stage, Criterion]]:
    """Return the (stage, criterion) pairs on which disagreements are settled and that the filter ``wanted`` matches."""
    wanted = wanted or DisagreementFilter()
    return [
        (stage, criterion)
        for _, stage in adjudicated_stages(campaign)
        for criterion in criteria_of(campaign, stage)
        if wanted.stage in ("", stage.key) and wanted.criterion in ("", criterion.key)
    ]


def known_questions(campaign: Campaign) -> str:
    """Return the stage and criterion keys of all settled questions, as text for a message."""
    found = (f"{stage.key} {criterion.key}" for stage, criterion in settled_questions(campaign))
    return ", ".join(found) or gettext("nothing is settled here")


def listed_disagreements(
    campaign: Campaign, wanted: DisagreementFilter, *, person: User | None = None
) -> list[ListedDisagreement]:
    """Return the disagreements that match; for a ``person``, only those that they may settle.

    It makes the queries of `disagreements` for each criterion.
    """
    return [
        ListedDisagreement(stage=stage, criterion=criterion, row=row)
        for stage, criterion in settled_questions(campaign, wanted)
        for row in disagreements(campaign, stage, criterion, person=person)
        if _fits(row, wanted)
    ]


@dataclass(frozen=True, slots=True)
class ListedRows:
    """The rows of `listed_disagreements`, a page at a time: only the rows on the page are read."""

    campaign: Campaign
    questions: Sequence[tuple[Stage, Criterion, Rows]]

    def __len__(self) -> int:
        return sum(len(rows) for _, _, rows in self.questions)

    def __getitem__(self, place: slice) -> list[ListedDisagreement]:
        first, last, _ = place.indices(len(self))
        found, before = [], 0
        for stage, criterion, rows in self.questions:
            some = rows[max(first - before, 0) : max(last - before, 0)]
            found += self._labelled(stage, criterion, some)
            before += len(rows)
        return found

    def _labelled(self, stage: Stage, criterion: Criterion, rows: Sequence[Disagreement]) -> list[ListedDisagreement]:
        if not rows:
            return []
        kind = kind_of(stage)
        labels, about = kind.labels(self.campaign, stage, rows), kind.about(rows)
        return [
            ListedDisagreement(
                stage=stage,
                criterion=criterion,
                row=row,
                label=labels[row.name],
                nugget=about[row.name].text if row.name in about else None,
            )
            for row in rows
        ]


def paged_disagreements(campaign: Campaign, wanted: DisagreementFilter, person: User) -> ListedRows:
    """Return the disagreements that match and that the ``person`` may settle, read page by page.

    It makes the queries of `disputed_questions`, and one more for each criterion.
    """
    questions = settled_questions(campaign, wanted)
    return ListedRows(campaign, [(*about, _rows(campaign, *about, wanted, person)) for about in questions])


def _rows(campaign: Campaign, stage: Stage, criterion: Criterion, wanted: DisagreementFilter, person: User) -> Rows:
    if kind_of(stage).counted is None:
        rows = disagreements(campaign, stage, criterion, person=person)
        return WholeRows([row for row in rows if _fits(row, wanted)])
    groups = counted_disagreements(campaign, stage, criterion, person=person)
    numbers = numbers_in_order(campaign, groups) if groups else {}
    topics = [topic for topic, number in numbers.items() if wanted.topic in ("", number)]
    total, done = counted_in_order(groups, topics, wanted.size, is_decided=wanted.decided)
    return TopicRows(
        campaign=campaign,
        stage=stage,
        criterion=criterion,
        person=person,
        size=wanted.size,
        is_decided=wanted.decided,
        total=total,
        done=done,
    )


def _fits(row: Disagreement, wanted: DisagreementFilter) -> bool:
    is_decided = wanted.decided is None or wanted.decided == (row.decided is not None)
    return is_decided and wanted.topic in ("", row.topic) and row.size >= wanted.size


# The names by which adjudicators know disagreements reveal nothing about runs.
#
# Inside, a thing is named by the id of its item or topic (`AdjudicableItem.name`). An adjudicator sees a handle
# instead of that id (`assess.items.handles`), on pages and in the API. The handles are the adjudicator's own: two know
# the same thing by two names.


def shown_name(campaign: Campaign, stage: Stage, thing: AdjudicableItem, person: User) -> str:
    """Return the thing's name for the person who settles it."""
    first, number = parse_name(thing.name) or (0, None)
    return _named(handle_in(settling_scope(campaign.pk, stage.key, person.pk), first), number)


def shown_item(campaign: Campaign, stage: Stage, thing: AdjudicableItem, person: User) -> int | None:
    """Return the number of the item that a thing is or belongs to, for this person; None if it belongs to a topic."""
    if thing.item_id is None:
        return None
    return handle_in(settling_scope(campaign.pk, stage.key, person.pk), thing.item_id)


def inner_name(campaign: Campaign, stage: Stage, shown: str, person: User) -> str:
    """Return the internal name of an adjudicable item, given the name ``shown`` by which this person knows it
    (`shown_name`).

    For a text that `shown_name` never returns, return a name that no item has.
    """
    parsed = parse_name(shown)
    if parsed is None:
        return ""
    first, number = parsed
    return _named(item_in(settling_scope(campaign.pk, stage.key, person.pk), first), number)


def _named(first: int, number: int | None) -> str:
    return str(first) if number is None else f"{first}-{number}"
