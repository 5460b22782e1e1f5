"""What `list`, `check`, `convert` and `segment` of `python -m tracks` do; every function returns the exit status."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from assess.protocol import CheckContext, Submission
from scoring.commands.shell import BadInput, Problems, WrongCall, close_output, standard_input_once
from scoring.formats.document_files import text_documents
from scoring.reading import open_input
from scoring.records import Issue
from scoring.repairs import NotRepairable, write_repaired
from tracks import TRACKS
from tracks.calls import form_of, print_rows, settings_of, submissions_of, track_of
from tracks.input_files import kind_of, opened_copy, read_topics, unknown_in_file

# `python -m tracks check --repair`: the repaired run in a file of its own.


def write_repair(submission: Submission, file: BinaryIO, target: Path, context: CheckContext) -> None:
    """Write the repaired run where there is anything to repair; what was, and what is left, goes to standard error."""
    if submission.repair is None:
        raise WrongCall("The track mends nothing in runs of this kind; leave --repair out.")
    if target.exists():
        raise WrongCall(f"--repair {target}: the file is there already. Name a new one.")
    file.seek(0)
    with tempfile.TemporaryFile() as repaired:
        copy = cast(BinaryIO, repaired)
        try:
            repairs = write_repaired(submission.repair(file), copy)
        except NotRepairable:
            repairs = []
        if not repairs:
            print("There is nothing that can be mended safely.", file=sys.stderr)
            return
        copy.seek(0)
        with target.open("xb") as out:
            shutil.copyfileobj(copy, out)
        copy.seek(0)
        left = Counter(issue.severity for issue in submission.issues(copy, context))
    for each in repairs:
        print(f"{target}: {each.count:,} × {each.message}", file=sys.stderr)
    notes = f", notes {left['note']:,}" if left["note"] else ""
    print(f"{target}: errors {left['error']:,}, warnings {left['warning']:,}{notes}", file=sys.stderr)


# What `list`, `check`, `convert` and `segment` of `python -m tracks` do; every function returns the exit status.


def run_list(options: argparse.Namespace, problems: Problems) -> int:
    """One line a track: key, label, tasks, source."""
    del problems
    rows = [(track.key, track.label, ",".join(task.key for task in track.tasks), track.source) for track in TRACKS]
    print_rows(options.format, ("key", "label", "tasks", "source"), rows)
    return 0


def run_check(options: argparse.Namespace, problems: Problems) -> int:
    """One line an issue; status 1 where any is an error."""
    track, settings = track_of(options), settings_of(options)
    standard_input_once([*options.topics, options.run])
    submission = kind_of(options.run, submissions_of(options))
    context = CheckContext(
        topics=read_topics(track, options.topics, problems, options.task),
        settings=settings,
        unknown_docnos=partial(unknown_in_file, Path(options.docnos)) if options.docnos else None,
        form=form_of(options.form) if options.form else None,
        document_text=text_documents(map(Path, options.documents)).get if options.documents else None,
    )
    failed = False

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal failed
        for issue in submission.issues(file, context):
            failed = failed or issue.severity == "error"
            yield issue.as_row()

    with opened_copy(options.run, problems) if options.repair else open_input(options.run) as file:
        try:
            print_rows(options.format, ("where", "severity", "code", "message"), rows())
        except BrokenPipeError:  # who reads the first lines alone still learns of errors in them
            close_output()
            return int(failed)
        for issue in _left_out(submission, context):
            problems.add(options.run, issue)
        if options.repair:
            write_repair(submission, file, Path(options.repair), context)
    return int(failed)


def _left_out(submission: Submission, context: CheckContext) -> Iterator[Issue]:
    """A note for each check that was left out, since the list that it compares with was not given."""
    asked = {
        "docnos": (context.unknown_docnos, "whether the documents that it names exist", "valid docnos"),
        "documents": (context.document_text, "whether its quotes stand in their documents", "documents"),
    }
    for each in submission.lists:
        given, left_out, name = asked[each]
        if given is None:
            message = f"Not checked: {left_out}, since no {name} are given (--{each} F)."
            yield Issue(where="", code="not-checked", message=message, severity="note")


def run_convert(options: argparse.Namespace, problems: Problems) -> int:
    """The track's official conversion, of a file that can be read whole."""
    track, settings = track_of(options), settings_of(options)
    standard_input_once([*options.topics, options.run])
    submission = kind_of(options.run, submissions_of(options))
    if submission.convert is None:
        raise WrongCall(f"{track.key} has no official conversion of its runs.")
    topics = read_topics(track, options.topics, problems, options.task)
    with opened_copy(options.run, problems) as file:
        for issue in submission.unreadable(file) if submission.unreadable is not None else ():
            problems.add(options.run, issue)
        if problems.errors(options.run):
            raise BadInput(options.run)
        file.seek(0)
        lines = list(submission.convert(file, CheckContext(topics=topics, settings=settings)))
    if options.format == "json":
        print_rows("json", ("line",), ((line,) for line in lines))
    else:
        for line in lines:  # as they are: a tab in a line is part of it
            print(line)
    return 0


def run_segment(options: argparse.Namespace, problems: Problems) -> int:
    """What the track cuts a file into: its own way, else the strings of a run with their documents and item keys."""
    track, settings = track_of(options), settings_of(options)
    standard_input_once([*options.topics, options.run])
    submission = kind_of(options.run, submissions_of(options))
    context = CheckContext(topics=read_topics(track, options.topics, problems, options.task), settings=settings)
    rows: list[tuple[str, ...]] = []
    with opened_copy(options.run, problems) as file:
        if submission.segment is not None:
            header = submission.segment_header
            for each in submission.segment(file, context):
                if isinstance(each, Issue):
                    problems.add(options.run, each)
                else:
                    rows.append(each)
        else:
            header = ("topic", "ordinal", "document", "item", "text")
            for issue in submission.unreadable(file) if submission.unreadable is not None else ():
                problems.add(options.run, issue)
            file.seek(0)
            rows += ((s.topic, str(s.ordinal), s.docno, s.item_key, s.text) for s in submission.read(file, context))
    if problems.errors(options.run):
        raise BadInput(options.run)
    print_rows(options.format, header, rows)
    return 0
