"""`formats`, `measures` and `convert`: what is known, and turning one format into another."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Iterable
from typing import Any

from scoring.commands.problems import Problems
from scoring.commands.shell import WrongCall, print_rows, read_file, refuse_empty
from scoring.formats import FORMATS, find_format
from scoring.formats.nuggetizer import matches_of, nuggets_of, response_of
from scoring.formats.spec import Format
from scoring.formats.value_tables import written
from scoring.measures import MEASURES
from scoring.records import Issue, ItemValue, Nugget, NuggetizerLine, Qrel, ResponseItem, RunMatch


def run_formats(options: argparse.Namespace, problems: Problems) -> int:
    """Every format: name, label, layout, source."""
    del problems
    rows = [(each.name, each.label, each.layout, each.source) for each in FORMATS]
    print_rows(options.format, ("name", "label", "layout", "source"), rows)
    return 0


def run_measures(options: argparse.Namespace, problems: Problems) -> int:
    """Every measure: name with its parameters and their defaults, family, label, source."""
    del problems
    rows = []
    for each in MEASURES:
        parameters = ",".join(f"{one.name}={_default(one.default)}" for one in each.parameters)
        name = each.name + (f"({parameters})" if parameters else "")
        name += {"no": "", "may": "[@k]", "must": "@k", "recall": "@x"}[each.cutoff]
        rows.append((name, each.family, each.label, each.source))
    print_rows(options.format, ("name", "family", "label", "source"), rows)
    return 0


def run_convert(options: argparse.Namespace, problems: Problems) -> int:
    """The records of one format written in another that speaks of the same things."""
    source, target = _format(options.source), _format(options.target)
    if source.read is None or target.write is None:
        raise WrongCall(f"{source.name} cannot be converted to {target.name}")
    convert = _converter(source, target)
    records = list(read_file(options.file, source.read, problems))
    if not records:
        refuse_empty(options.file, "record", problems)
    lines = list(target.write(convert(records)))  # all of them are made before the first is printed
    _refuse_unreadable(target, lines)
    for line in lines:
        print(line)
    return 0


def _refuse_unreadable(target: Format, lines: list[str]) -> None:
    """Stop where what would be written is nothing, or is refused by the format's own reader."""
    if not lines:
        raise WrongCall(f"the file holds nothing that can be written as {target.name}")
    if target.read is not None:
        written = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
        for each in target.read(written):
            if isinstance(each, Issue) and each.severity == "error":
                told = f"line {each.where} would be refused ({each.code}): {each.message}"
                raise WrongCall(f"the file can't be written as {target.name}: {told}")


def _default(value: float) -> str:
    return str(value).lower() if isinstance(value, bool) else written(value)


def _format(name: str) -> Format:
    known = find_format(name)
    if known is None:
        raise WrongCall(f"no format is called “{name}”; `python -m scoring formats` lists them")
    return known


def _converter(source: Format, target: Format) -> Callable[[list[Any]], Iterable[Any]]:
    if source.name == target.name or (source.record is target.record and source.record is not object):
        return lambda records: records
    found = _BETWEEN.get((source.record, target.record))
    if found is None:
        raise WrongCall(f"{source.name} holds other things than {target.name}: there is nothing to convert")
    return found


def _to_qrels(records: list[ItemValue]) -> Iterable[Qrel]:
    for record in records:
        if record.value != int(record.value):
            raise WrongCall(f"item {record.item} of topic {record.topic} has the value {record.value}; qrels are whole")
        yield Qrel(topic=record.topic, docno=record.item, grade=int(record.value))


def _first_lists(records: list[NuggetizerLine]) -> Iterable[Nugget]:
    """One list a topic: that of its first line (an assign file repeats it for every run)."""
    seen: set[str] = set()
    for record in records:
        if record.topic not in seen:
            seen.add(record.topic)
            yield from nuggets_of(record)


_BETWEEN: dict[tuple[type, type], Callable[[list[Any]], Iterable[Any]]] = {
    (Qrel, ItemValue): lambda records: (
        ItemValue(topic=each.topic, item=each.docno, value=float(each.grade)) for each in records
    ),
    (ItemValue, Qrel): _to_qrels,
    (NuggetizerLine, Nugget): _first_lists,
    (NuggetizerLine, RunMatch): lambda records: (match for each in records if each.run for match in matches_of(each)),
    (NuggetizerLine, ResponseItem): lambda records: (response_of(each) for each in records if each.run),
}
