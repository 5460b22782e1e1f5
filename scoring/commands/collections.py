"""`find`: documents of large collections, by docno, into a bundle."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from scoring.commands.problems import Problems
from scoring.commands.shell import BadInput, WrongCall, print_rows, read_file
from scoring.formats.doc_records import check_docno
from scoring.reading import excerpt_of, records_of
from scoring.records import Issue

NEEDS = "`find` needs more packages: pip install 'assay[collections]'"


def run_find(options: argparse.Namespace, problems: Problems) -> int:
    """Read the two files, search, and print what each shard held. The exit status."""
    try:
        from scoring.collections.collection_file import BadCollection, read_collection
        from scoring.collections.finding import OtherSearch, Wish, find_documents
        from scoring.collections.running import NoScheduler

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
            wish=Wish(docnos=docnos, pages=options.pages, signatures=options.signatures),
            out=Path(options.out),
            workers=options.workers or os.cpu_count() or 1,
            scheduler=options.scheduler,
            report_progress=_tell,
        )
    except (OtherSearch, NoScheduler) as error:
        raise WrongCall(str(error)) from error
    except ModuleNotFoundError as error:
        raise WrongCall(f"there is no {error.name} on a worker. {NEEDS} there, too") from error
    for file, issue in found.issues:
        problems.add(file, issue)
    print_rows(options.format, ("shard", "read", "found"), ((row.shard, row.read, row.found) for row in found.shards))
    if found.missing:
        listed = ", ".join(found.missing[:5]) + (", …" if len(found.missing) > 5 else "")
        message = f"{len(found.missing):,} of {len(docnos):,} docnos were not found: {listed} All are in missing.txt."
        problems.add(options.docnos, Issue(where="", code="not-found", message=message, severity="warning"))
    if problems.bad_files:
        raise BadInput(", ".join(problems.bad_files), f"{found.documents:,} documents are in {options.out}")
    return 0


def import_packages(options: argparse.Namespace) -> None:
    """Raise ModuleNotFoundError now for what this call will need."""
    import pyarrow.parquet  # noqa: F401

    if options.scheduler or (options.workers or os.cpu_count() or 1) > 1:
        import distributed  # noqa: F401
    if options.signatures:
        import rensa  # noqa: F401
    if options.pages:
        import bleach  # noqa: F401
        import html5lib  # noqa: F401


def read_wanted(file: BinaryIO) -> Iterator[str | Issue]:
    """Docnos, one a line; of lines with two columns or the four that `pool` prints, the second."""
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


def _tell(shard: str, done: int, total: int) -> None:
    """How far the search is, for whoever waits."""
    if sys.stderr.isatty():
        print(f"{done:,} of {total:,} shards: {shard}", file=sys.stderr)
