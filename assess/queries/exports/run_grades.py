"""What was said of the whole responses of runs, run by run, for tracks whose files name runs and not items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.models import Campaign, Response
from assess.queries.exports.grades import CHUNK, grades
from assess.queries.runs.listing import accepted_runs
from scoring.records import RunGrade


def run_grades(
    campaign: Campaign, as_of: int | None = None, *, kind: str, criteria: Sequence[str]
) -> Iterator[RunGrade]:
    """The official value (role "") and the second assessors' values of every accepted run's response to each topic.

    ``kind`` is that of the items of whole responses. Identical responses were judged once: each run has the value.
    By topic, criterion and run; of several second assessors, in the order of their pseudonyms.
    """
    runs: dict[tuple[str, str], list[str]] = {}
    responses = Response.objects.filter(run__in=accepted_runs(campaign), item__kind=kind).order_by("run__tag")
    for topic, key, tag in responses.values_list("topic__number", "item__key", "run__tag").iterator(CHUNK):
        runs.setdefault((topic, key), []).append(tag)
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
