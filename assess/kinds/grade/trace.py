"""All judgments of one item: the ledger rows behind a row of an explained score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from typing import Any

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.campaigns.designs import design_versions, version_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.campaigns.track_texts import in_language
from assess.documents.models import DocumentBody
from assess.items.models import Item
from assess.judging.models import Judgment
from assess.judging.queries.current import official_judgments, opinions
from assess.judging.queries.stage_items import item_about
from assess.judging.snapshots import Snapshot
from assess.kinds.trace import JudgmentTrace, Quote, TracedAct, TracedOpinion, acts_in_order
from assess.ledger.models import How
from assess.protocol import MEAN, Criterion, given_words
from assess.rendering.spans import text_digest
from assess.runs.models import Run
from assess.topics.models import Topic
from scoring.release.explained import About

AROUND = 240
"""The number of characters of a document shown on each side of a quote."""


PLAIN_ROLES = dict(Assignment.Role.choices)


HOWS = dict(How.choices)


def returned_items(run: Run | None, topic: Topic) -> set[int]:
    """Return the ids of the items that a run returned for a topic as segments; empty if ``run`` is None.

    Items that it only cites are left out.
    """
    if run is None:
        return set()
    segments = Item.objects.filter(segments__response__run=run, segments__response__topic=topic)
    return set(segments.values_list("pk", flat=True))


def find_item(snapshot: Snapshot, about: About, run: Run | None) -> JudgmentTrace | None:
    """Return the item with the judgments of everybody who judged it, or None if there is no such item.

    Four queries, and a few more if the campaign has a design of its own or averages grades.
    """
    item = item_about(snapshot.campaign, about, run)
    if item is None:
        return None
    return JudgmentTrace(title=item.kind, text=item.text, docno=item.docno, said=_judged(snapshot, item))


def _judged(snapshot: Snapshot, item: Item) -> tuple[TracedOpinion, ...]:
    rows = Judgment.objects.filter(item=item)
    if snapshot.as_of is not None:
        rows = rows.filter(id__lte=snapshot.as_of)
    official = official_judgments(snapshot, topics=[item.topic_id]).filter(item=item)
    counting = set(official.values_list("pk", flat=True))
    stages = [stage for task in track_of(snapshot.campaign).tasks for stage in task.stages if stage.counts == MEAN]
    if averaged := [criterion.key for stage in stages for criterion in stage.criteria]:
        counting |= set(opinions(rows.filter(criterion__in=averaged), at=snapshot).values_list("pk", flat=True))
    asked = _CriteriaThen(snapshot)
    text = DocumentBody.objects.filter(document=item.document_id).values_list("text", flat=True).first()
    said: dict[tuple[str, int], list[Judgment]] = {}
    for row in rows.select_related("assignment", "assessor", "guideline").order_by("id"):
        said.setdefault((row.criterion, row.assessor_id), []).append(row)
    found = [_opinion_of(given, asked, item, text, counting) for given in said.values()]
    return tuple(sorted(found, key=lambda each: (each.question, not each.counts, each.acts[0].number)))


class _CriteriaThen:
    """The criteria as they were when each row was written, if the campaign's design has several versions.

    Two queries if the campaign has a design of its own.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.campaign = snapshot.campaign
        versions = design_versions(self.campaign)
        self.points = [each.point for each in versions[1:] if snapshot.as_of is None or each.point <= snapshot.as_of]
        self.designs = [each.design for each in versions[: len(self.points) + 1]]
        self.known: dict[int, dict[tuple[str, str], Criterion]] = {}

    def criterion(self, row: Judgment) -> Criterion | None:
        """Return the criterion that a row answers, with the grades that it had when the row was written; None if it is
        unknown.
        """
        version = version_of(self.points, row.pk, row.design_version)
        if version not in self.known:
            then = copy(self.campaign)
            then.design = self.designs[version - 1] if self.designs else ""
            self.known[version] = _criteria(then)
        return self.known[version].get((row.assignment.stage, row.criterion))

    def version(self, row: Judgment) -> str:
        """Return words for the design version of a row, or "" for the version in force."""
        version = version_of(self.points, row.pk, row.design_version)
        text = gettext(" (version %(version)s of the design)") if version <= len(self.points) else ""
        return text and text % {"version": version}


def _criteria(campaign: Campaign) -> dict[tuple[str, str], Criterion]:
    """Return (stage, key) -> criterion; if several share a key, the one that the campaign's settings ask for."""
    stages = [stage for task in track_of(campaign).tasks for stage in task.stages]
    return {
        (stage.key, each.key): each
        for stage in stages
        for each in (*stage.criteria, *stage_of(campaign, stage.key)[1].criteria)
    }


def _opinion_of(
    rows: list[Judgment], asked: _CriteriaThen, item: Item, text: str | None, counting: set[int]
) -> TracedOpinion:
    newest = rows[-1]
    criterion = asked.criterion(newest)
    first = next((place for place, row in enumerate(rows) if row.value is not None or row.given is not None), len(rows))
    said = {row.pk for row in rows[first:]}  # what comes before is a note alone
    return TracedOpinion(
        question=in_language(criterion.question) if criterion is not None else newest.criterion,
        role=str(PLAIN_ROLES[newest.assignment.role]),
        role_key=newest.assignment.role,
        assessor=newest.assessor.username,
        counts=newest.pk in counting,
        acts=acts_in_order(
            [
                TracedAct(
                    number=row.pk,
                    value=(_answer(row, asked.criterion(row)) if row.pk in said else gettext("no grade yet"))
                    + asked.version(row),
                    at=row.created_at,
                    how=str(HOWS[row.how]),
                    seconds=row.seconds,
                    guideline=row.guideline.version if row.guideline is not None else None,
                    note=row.note,
                    quotes=tuple(_quotes(row.evidence or (), item.docno, text, asked.criterion(row))),
                )
                for row in rows
            ]
        ),
    )


def _answer(row: Judgment, criterion: Criterion | None) -> str:
    if row.value is None and row.given is not None:
        return given_words(criterion, row.given)
    return _value(row.value, criterion)


def _value(value: int | None, criterion: Criterion | None) -> str:
    if value is None:
        return gettext("undone")
    grade = criterion.grade(value) if criterion is not None else None
    if grade is not None:
        return grade.name if grade.name == str(value) else f"{in_language(grade.name)} ({value})"
    return gettext("place %(place)s") % {"place": value} if criterion is not None and criterion.ranks else str(value)


def _quotes(
    evidence: Iterable[Mapping[str, Any]], docno: str, text: str | None, criterion: Criterion | None
) -> Iterable[Quote]:
    """Yield the snippets, with more text around them if the document's text is still the one that was marked."""
    for snippet in evidence:
        before, after = snippet.get("prefix", ""), snippet.get("suffix", "")
        start, end = snippet.get("start", -1), snippet.get("end", -1)
        if text is not None and start >= 0 and snippet.get("digest") == text_digest(text):
            before, after = text[max(0, start - AROUND) : start], text[end : end + AROUND]
        value = snippet.get("value")
        yield Quote(
            quote=snippet["quote"],
            docno=docno,
            before=before,
            after=after,
            value="" if value is None else _value(value, criterion),
        )
