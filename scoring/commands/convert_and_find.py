"""The commands `formats`, `measures`, `what`, `convert` and `find`: list formats and measures, recognise and convert
files, find documents.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from scoring.commands.command_line import BadInput, Problems, WrongCall, print_rows, read_file, refuse_empty
from scoring.file_kinds import belongs, recognise_path
from scoring.formats.doc_records import check_docno
from scoring.formats.known_formats import FORMATS, find_format
from scoring.formats.nuggetizer import matches_of, nuggets_of, other_list, response_of
from scoring.formats.spec import Format
from scoring.formats.value_tables import written
from scoring.formats.whole_runs import order_issues
from scoring.measures import MEASURES
from scoring.reading.opening import excerpt_of, records_of
from scoring.records import Issue, ItemValue, Nugget, NuggetizerLine, Qrel, RankedDoc, ResponseItem, RunMatch
from scoring.run_tags import stem
from scoring.wording import counted_of


def run_formats(options: argparse.Namespace, problems: Problems) -> int:
    """Print every format: name, label, layout, source."""
    del problems
    rows = [(each.name, each.label, each.layout, each.source) for each in FORMATS]
    print_rows(options.format, ("name", "label", "layout", "source"), rows)
    return 0


def run_measures(options: argparse.Namespace, problems: Problems) -> int:
    """Print every measure: name with its parameters and their defaults, family, label, source."""
    del problems
    rows = []
    for each in MEASURES:
        parameters = ",".join(f"{one.name}={_default(one.default)}" for one in each.parameters)
        name = each.name + (f"({parameters})" if parameters else "")
        name += {"no": "", "may": "[@k]", "must": "@k", "recall": "@x"}[each.cutoff]
        rows.append((name, each.family, each.label, each.source))
    print_rows(options.format, ("name", "family", "label", "source"), rows)
    return 0


WHAT = ("file", "packed", "form", "encoding", "columns", "kinds", "what", "belongs")


def run_what(options: argparse.Namespace, problems: Problems) -> int:
    """Print what each file is, and where it belongs."""
    del problems
    rows = []
    for path in options.file:
        found = recognise_path(path)
        shape = found.shape
        columns = " ".join(shape.header) if shape.header else str(shape.columns if found.form == "columns" else "")
        kinds = " ".join(found.kinds)
        rows.append((path, found.packed, found.form_name, shape.encoding, columns, kinds, found.what, belongs(found)))
    print_rows(options.format, WHAT, rows)
    return 0


def run_convert(options: argparse.Namespace, problems: Problems) -> int:
    """Write the records of one format in another format for the same kind of content. Raises WrongCall or BadInput."""
    source, target = _format(options.source), _format(options.target)
    if source.read is None or target.write is None:
        raise WrongCall(f"{source.name} cannot be converted to {target.name}")
    convert = _converter(source, target)
    records = [_named(each, options.file) for each in read_file(options.file, source.read, problems)]
    if not records:
        refuse_empty(options.file, "record", problems)
    for issue in order_issues(each for each in records if isinstance(each, RankedDoc)):
        problems.add(options.file, issue)
    lines = list(target.write(convert(records)))  # all lines are made before the first is printed
    _refuse_unreadable(target, lines)
    for line in lines:
        print(line)
    return 0


def _named(record: Any, path: str) -> Any:
    """Return the record, a line of a run that has no tag with the file's name as its tag."""
    if not isinstance(record, RankedDoc) or record.run or path == "-":
        return record
    return replace(record, run="_".join(stem(path).split()))


def _refuse_unreadable(target: Format, lines: list[str]) -> None:
    """Stop if the output would be empty, or if the format's own reader would refuse it. Raises WrongCall."""
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


def _equal_lists(records: list[NuggetizerLine]) -> list[NuggetizerLine]:
    """Return the lines. Raises WrongCall if two lines of a topic have different lists, since nuggets are numbered by
    place.
    """
    first: dict[str, NuggetizerLine] = {}
    for record in records:
        if message := other_list(first.setdefault(record.topic, record), record):
            raise WrongCall(message)
    return records


def _lists(records: list[NuggetizerLine]) -> Iterable[Nugget]:
    """Yield the nuggets of each topic once, since an assign file repeats the list for every run. Raises WrongCall."""
    for record in {each.topic: each for each in _equal_lists(records)}.values():
        yield from nuggets_of(record)


_BETWEEN: dict[tuple[type, type], Callable[[list[Any]], Iterable[Any]]] = {
    (Qrel, ItemValue): lambda records: (
        ItemValue(topic=each.topic, item=each.docno, value=float(each.grade)) for each in records
    ),
    (ItemValue, Qrel): _to_qrels,
    (NuggetizerLine, Nugget): _lists,
    (NuggetizerLine, RunMatch): lambda records: (
        match for each in _equal_lists(records) if each.run for match in matches_of(each)
    ),
    (NuggetizerLine, ResponseItem): lambda records: (response_of(each) for each in records if each.run),
}


# `find`: documents of large collections, by docno, into a bundle.

SAY_EVERY = 30.0
"""The seconds between two lines on how many shards are done, where standard error is no terminal."""
NEEDS = "`find` needs more packages: pip install '.[collections]' in Assay's source, or 'FILE.whl[collections]'"


def run_find(options: argparse.Namespace, problems: Problems) -> int:
    """Read the two files, search, print the result of each shard, and return the exit status. Raises WrongCall or
    BadInput.
    """
    try:
        from scoring.collections.collection_file import BadCollection, read_collection
        from scoring.collections.finding import FindRequest, OtherSearch, find_documents
        from scoring.collections.searching import NoScheduler

        import_packages(options)
    except ModuleNotFoundError as error:
        raise WrongCall(f"{NEEDS} (there is no {error.name})") from error
    try:
        collection = read_collection(Path(options.collection))
    except BadCollection as error:
        for issue in error.issues:
            problems.add(options.collection, issue)
        raise BadInput(options.collection, "nothing was searched") from error
    docnos = frozenset(read_file(options.docnos, read_wanted, problems))
    if not docnos:
        message = "There is no docno in the file. Name them one a line, or take what `pool` prints."
        problems.add(options.docnos, Issue(where="", code="empty-file", message=message))
        raise BadInput(options.docnos, "nothing was searched")
    try:
        found = find_documents(
            collection=collection,
            request=FindRequest(docnos=docnos, pages=options.pages, signatures=options.signatures),
            out=Path(options.out),
            workers=options.workers or os.cpu_count() or 1,
            scheduler=options.scheduler,
            report_progress=_progress(),
            say=lambda sentence: print(sentence, file=sys.stderr),
        )
    except (OtherSearch, NoScheduler) as error:
        raise WrongCall(str(error)) from error
    except ModuleNotFoundError as error:
        raise WrongCall(f"there is no {error.name} on a worker. {NEEDS} there, too") from error
    for file, issue in found.issues:
        problems.add(file, issue)
    print_rows(options.format, ("shard", "read", "found"), ((row.shard, row.read, row.found) for row in found.shards))
    if found.missing:
        listed = ", ".join(found.missing[:5]) + (", …" if len(found.missing) > 5 else ".")
        message = (
            f"{counted_of(len(found.missing), len(docnos), 'docno', 'was', 'were')} not found: {listed} All "
            "are in missing.txt."
        )
        problems.add(options.docnos, Issue(where="", code="not-found", message=message, severity="warning"))
    if problems.bad_files:
        raise BadInput(", ".join(problems.bad_files), f"{found.documents:,} documents are in {options.out}")
    return 0


def import_packages(options: argparse.Namespace) -> None:
    """Raise ModuleNotFoundError now if a package is missing that this call will need."""
    import pyarrow.parquet  # noqa: F401

    if options.scheduler or (options.workers or os.cpu_count() or 1) > 1:
        import distributed  # noqa: F401
    if options.signatures:
        import rensa  # noqa: F401
    if options.pages:
        import bleach  # noqa: F401
        import html5lib  # noqa: F401


def read_wanted(file: BinaryIO) -> Iterator[str | Issue]:
    """Yield the docno on each line, and an issue for each line without one. If a line has two columns, or the four that
    `pool` prints, the docno is in the second column.
    """
    return records_of(file, _wanted)


def _wanted(number: int, text: str) -> str | Issue:
    columns = text.split()
    if len(columns) not in (1, 2, 4):
        message = (
            f"A line holds a docno, or topic and docno, or what `pool` prints; this one has {len(columns)} columns."
        )
        return Issue(where=number, code="columns", message=message, excerpt=excerpt_of(text))
    docno = columns[0] if len(columns) == 1 else columns[1]
    return check_docno(docno, number) or docno


def _progress() -> Callable[[str, int, int], None]:
    """Return the function that prints how many shards are done: each on a terminal, else one every 30 seconds at most,
    so that the log of a job shows that it goes on.
    """
    said_at = time.monotonic()

    def tell(shard: str, done: int, total: int) -> None:
        nonlocal said_at
        if sys.stderr.isatty() or time.monotonic() - said_at >= SAY_EVERY:
            said_at = time.monotonic()
            print(f"{done:,} of {total:,} shards: {shard}", file=sys.stderr)

    return tell
