"""What measures gave to runs, in any of the forms in which our commands print and take it, told apart by content.

    run value                        two columns: one value a run
    run topic measure value          what `rank`, `nuggets` and `tracks score` print; topic "all" is the mean
    [{"run", "topic", "measure", "value"}]      the same with --format json

Only the means are read. A mean that is undefined is an issue: there is no order with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from scoring.formats.beginnings import first_columns
from scoring.formats.columns import short
from scoring.formats.json_members import TEXT, Codes, Kind, Member, Report, Shape
from scoring.formats.value_tables import read_run_values, read_scores
from scoring.json_reading import json_path, load_json
from scoring.records import Issue, Score

ALL = "all"


def read_means(file: BinaryIO) -> Iterator[Score | Issue]:
    """The mean of each run, its measure "" where the file does not say one; an issue where a run has none."""
    columns = first_columns(file)
    if columns and columns[0].startswith(("[", "{")):
        yield from _means(_read_json(file))
    elif len(columns) == 2:
        for each in read_run_values(file):
            yield each if isinstance(each, Issue) else Score(run=each[0], topic=ALL, measure="", value=each[1])
    else:
        yield from _means(read_scores(file))


def _means(scores: Iterator[Score | Issue]) -> Iterator[Score | Issue]:
    without: dict[tuple[str, str], None] = {}
    for each in scores:
        if isinstance(each, Issue):
            yield each
        elif each.topic != ALL:
            without.setdefault((each.run, each.measure))
        else:
            without.pop((each.run, each.measure), None)
            yield each if each.value is not None else _no_mean(each.run, each.measure, "is undefined")
    for run, measure in without:
        yield _no_mean(run, measure, "is missing")


def _no_mean(run: str, measure: str, state: str) -> Issue:
    message = f"The mean {short(measure)} of {short(run)} (topic all) {state}. Leave the run out, or score it anew."
    return Issue(where="", code="no-mean", message=message)


def _read_json(file: BinaryIO) -> Iterator[Score | Issue]:
    value = load_json(file)
    if isinstance(value, Issue):
        yield value
        return
    if not isinstance(value, list):
        yield Issue(where="$", code="shape", message="The file must be a list of scores, as --format json prints it.")
        return
    seen: set[tuple[str, str, str]] = set()
    for place, each in enumerate(value):
        report = Report(root=f"$[{place}]")
        _SCORE.take(each, report)
        if report.issues:
            yield report.issues[0]
        elif each.get("errors"):
            message = "The score was computed in spite of errors. Correct the run's file and score it anew."
            yield Issue(where=json_path((place,)), code="with-errors", message=message)
        elif (key := (each["run"], each["topic"], each["measure"])) in seen:
            yield Issue(where=json_path((place,)), code="duplicate", message="This score stands in the file already.")
        else:
            seen.add(key)
            number = None if each["value"] is None else float(each["value"])
            yield Score(run=each["run"], topic=each["topic"], measure=each["measure"], value=number)


_NUMBER = Kind(wanted="a number or null", types=(int, float, type(None)))
_SCORE = Shape(
    members=(*(Member(name, TEXT) for name in ("run", "topic", "measure")), Member("value", _NUMBER)),
    codes=Codes(missing="shape", type="shape"),
)
