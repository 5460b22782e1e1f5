"""How `python -m tracks` prints its results: tab-separated lines, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence

from scoring.records import Explanation, Score

_BREAKS = re.compile(r"[\t\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")


def print_rows(form: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Rows of text columns, one a line (tabs and line breaks as spaces), or a list of objects named by the header."""
    if form == "json":
        print(json.dumps([dict(zip(header, row, strict=True)) for row in rows], ensure_ascii=False, indent=1))
        return
    for row in rows:
        print("\t".join(_BREAKS.sub(" ", column) for column in row))


def print_scores(form: str, scores: Iterable[Score], marks: Mapping[str, int] | None = None) -> None:
    """Lines of run, topic, measure, value; what is undefined prints as such.

    With ``marks`` (run -> errors of its file) every row has a last column errors:N, in JSON a member "errors".
    """
    if form == "json":
        names = ("run", "topic", "measure", "value", "topics")
        rows = [{name: getattr(score, name) for name in names} | _marked(score.run, marks) for score in scores]
        print(json.dumps(rows, ensure_ascii=False, indent=1))
        return
    for score in scores:
        value = "undefined" if score.value is None else f"{score.value:.6f}"
        print(f"{score.run}\t{score.topic}\t{score.measure}\t{value}{_mark(score.run, marks)}")


def _marked(run: str, marks: Mapping[str, int] | None) -> dict[str, int]:
    return {} if marks is None else {"errors": marks.get(run, 0)}


def _mark(run: str, marks: Mapping[str, int] | None) -> str:
    return "" if marks is None else f"\terrors:{marks.get(run, 0)}"


def print_explanations(form: str, explanations: Iterable[Explanation], marks: Mapping[str, int] | None = None) -> None:
    """The formula of each value, marked as scores are, and the rows behind it."""
    if form == "json":
        named = [
            {
                "run": each.run,
                "topic": each.topic,
                "measure": each.measure,
                "value": each.value,
                "formula": each.formula,
                "steps": [
                    {"label": step.label, "value": step.value, "header": step.header, "rows": step.rows}
                    for step in each.steps
                ],
            }
            | _marked(each.run, marks)
            for each in explanations
        ]
        print(json.dumps(named, ensure_ascii=False, indent=1))
        return
    for each in explanations:
        print(f"{each.run}\t{each.topic}\t{each.measure}\t{each.formula}{_mark(each.run, marks)}")
        for step in each.steps:
            print(f"{step.label}: {step.value}")
            for row in (step.header, *step.rows):
                print("\t" + "\t".join(column.replace("\t", " ") for column in row))
