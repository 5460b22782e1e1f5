"""What was said of the whole responses of runs, run by run, for tracks whose files name runs and not items.

Where what several runs returned alike is judged once, what was said of one response alone counts for it before that:
published judgments of identical responses may differ, and are kept on items of their own (`scoring.own_items`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.campaigns.models import Campaign
from assess.exports.queries.grades import CHUNK, grades
from assess.items.models import Item
from assess.runs.models import Response
from assess.runs.queries.listing import accepted_runs
from scoring.own_items import own_key, run_of_key
from scoring.records import RunGrade


def run_grades(
    campaign: Campaign, as_of: int | None = None, *, kind: str, criteria: Sequence[str]
) -> Iterator[RunGrade]:
    """The official value (role "") and the second assessors' values of every accepted run's response to each topic.

    ``kind`` is that of the items of whole responses. Identical responses that were judged once have the same values.
    Where a run returned nothing for a topic and was judged all the same, that is its value. By topic, criterion and
    run; of several second assessors, in the order of their pseudonyms.
    """
    runs = _runs_of_items(campaign, kind)
    for role in ("official", "second"):
        for grade in grades(campaign, as_of, kind=kind, criteria=criteria, role=role):
            for tag in runs.get((grade.topic, grade.key), ()):
                if grade.value is not None:
                    yield RunGrade(
                        topic=grade.topic,
                        run=tag,
                        criterion=grade.criterion,
                        value=grade.value,
                        role="second" if role == "second" else "",
                    )


def alone_items(campaign: Campaign, kind: str) -> dict[tuple[str, str], str]:
    """(topic number, key) -> text of the items of one response alone that no run brought. One query."""
    given = Item.objects.filter(topic__campaign=campaign, kind=kind, given=True, repeats=None).order_by()
    rows = given.filter(key__contains="@").values_list("topic__number", "key", "text")
    return {(topic, key): text for topic, key, text in rows.iterator(CHUNK) if run_of_key(key)}


def _runs_of_items(campaign: Campaign, kind: str) -> dict[tuple[str, str], list[str]]:
    """(topic number, key of an item) -> the runs whose response it is. Three queries."""
    alone = alone_items(campaign, kind)
    runs: dict[tuple[str, str], list[str]] = {}
    answered: set[tuple[str, str]] = set()
    responses = Response.objects.filter(run__in=accepted_runs(campaign), item__kind=kind).order_by("run__tag")
    for topic, key, tag in responses.values_list("topic__number", "item__key", "run__tag").iterator(CHUNK):
        own = own_key(key, tag)
        runs.setdefault((topic, own if (topic, own) in alone else key), []).append(tag)
        answered.add((topic, tag))
    accepted = set(accepted_runs(campaign).values_list("tag", flat=True))
    for (topic, key), text in alone.items():
        tag = run_of_key(key)
        if not text and tag in accepted and (topic, tag) not in answered:
            runs.setdefault((topic, key), []).append(tag)
    return runs
