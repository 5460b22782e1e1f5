"""What each command of `python -m tracks` does; every function returns the exit status."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

from assess.protocol import CheckContext, RunContent, RunForm, Submission, TopicRecord, Track
from assess.track_settings import TRUE_WORDS, TrackSettings
from scoring.docnos import unknown_in_file
from scoring.reading import open_input
from scoring.records import Explanation, Issue, Score
from tracks import TRACKS, find_track
from tracks.printing import print_explanations, print_rows, print_scores

SHOWN_ISSUES = 25


class WrongCall(Exception):
    """The command line asks for something that does not exist. The message is for the person."""


# ---------------------------------------------------------------- commands


def run_list(options: argparse.Namespace) -> int:
    """One line a track: key, label, tasks, source."""
    rows = [(track.key, track.label, ",".join(task.key for task in track.tasks), track.source) for track in TRACKS]
    print_rows(options.format, ("key", "label", "tasks", "source"), rows)
    return 0


def run_check(options: argparse.Namespace) -> int:
    """One line an issue; status 1 where any is an error."""
    track, submission, settings = _chosen(options)
    reporter = _Reporter()
    context = CheckContext(
        topics=tuple(_read_topics(track, options.topics, reporter)),
        settings=settings,
        unknown_docnos=partial(unknown_in_file, Path(options.docnos)) if options.docnos else None,
        form=_form(options.form) if options.form else None,
    )
    if reporter.errors:
        return 1
    failed = False

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal failed
        for issue in submission.check(file, context):
            failed = failed or issue.severity == "error"
            yield issue.as_row()

    with open_input(options.run) as file:
        print_rows(options.format, ("where", "severity", "code", "message"), rows())
    return int(failed)


def run_convert(options: argparse.Namespace) -> int:
    """The track's official conversion."""
    track, submission, settings = _chosen(options)
    if submission.convert is None:
        raise WrongCall(f"{track.key} has no official conversion of its runs.")
    reporter = _Reporter()
    topics = tuple(_read_topics(track, options.topics, reporter)) if options.topics else ()
    with open_input(options.run) as file:
        for line in submission.convert(file, CheckContext(topics=topics, settings=settings)):
            print(line)
    return int(reporter.errors > 0)


def run_segment(options: argparse.Namespace) -> int:
    """The strings or sentences that the track cuts a run into, with their documents and item keys."""
    _, submission, settings = _chosen(options)
    header = ("topic", "ordinal", "document", "item", "text")
    with open_input(options.run) as file:
        segments = submission.read(file, CheckContext(topics=(), settings=settings))
        print_rows(options.format, header, ((s.topic, str(s.ordinal), s.docno, s.item_key, s.text) for s in segments))
    return 0


def run_score(options: argparse.Namespace) -> int:
    """Print run, topic, measure and value for each run, or how one value came about."""
    track, submission, settings = _chosen(options)
    reporter = _Reporter()
    gold = track.scoring.load(_gold_files(options.gold), settings, reporter)
    if reporter.errors:
        return 1
    topics = tuple(_read_topics(track, options.topics, reporter)) if options.topics else ()
    rows: list[Score] = []
    explained: list[Explanation] = []
    for name in options.run:
        with _run_content(submission, CheckContext(topics=topics, settings=settings), name, reporter) as (tag, content):
            if options.explain:
                topic, measure = options.explain
                explanation = track.scoring.explain(gold, tag, content, settings, topic, measure)
                if explanation is None:
                    raise WrongCall(f'There is no value of "{measure}" for "{topic}"; leave --explain out to see all.')
                explained.append(explanation)
            else:
                rows.extend(track.scoring.score(gold, tag, content, settings))
    if options.explain:
        print_explanations(options.format, explained)
    else:
        print_scores(options.format, rows)
    return int(reporter.errors > 0)


# ---------------------------------------------------------------- reading


class _Reporter:
    """Prints the first issues to standard error and counts all errors."""

    def __init__(self) -> None:
        self.errors = 0
        self.shown = 0

    def __call__(self, issue: Issue) -> None:
        self.errors += issue.severity == "error"
        self.shown += 1
        if self.shown <= SHOWN_ISSUES:
            print("\t".join(issue.as_row()), file=sys.stderr)
        elif self.shown == SHOWN_ISSUES + 1:
            print("More problems follow; they are not shown.", file=sys.stderr)


def _chosen(options: argparse.Namespace) -> tuple[Track, Submission, Any]:
    """The track, its kind of run file and its settings that the call names."""
    track = find_track(options.track)
    if track is None:
        raise WrongCall(f'There is no track "{options.track}". There are: {", ".join(t.key for t in TRACKS)}.')
    if options.task and track.task(options.task) is None:
        tasks = ", ".join(task.key for task in track.tasks)
        raise WrongCall(f'{track.key} has no task "{options.task}". It has: {tasks}.')
    kinds = [each for each in track.submissions if not options.task or options.task in each.tasks]
    settings: type[TrackSettings] = track.settings
    return track, kinds[0], settings.from_mapping(_pairs(options.set, "--set"))


def _pairs(given: Iterable[str], option: str) -> dict[str, str]:
    values = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals:
            raise WrongCall(f'{option} {pair}: write it as name=value, such as "beta=3".')
        values[name.strip()] = value
    return values


def _form(given: Iterable[str]) -> RunForm:
    """The submission form from --form name=value; names that are not the form's own are the track's."""
    values = _pairs(given, "--form")
    priority = values.pop("priority", "")
    if priority and not priority.isdecimal():
        raise WrongCall(f"--form priority={priority}: it must be a whole number.")
    return RunForm(
        tag=values.pop("tag", ""),
        team=values.pop("team", ""),
        priority=int(priority) if priority else None,
        automatic=values.pop("automatic", "yes").casefold() in TRUE_WORDS,
        description=values.pop("description", ""),
        fields=values,
    )


def _read_topics(track: Track, path: str, report: Callable[[Issue], None]) -> list[TopicRecord]:
    topics = []
    with open_input(path) as file:
        for record in track.topic_files[0].read(file):
            if isinstance(record, Issue):
                report(record)
            else:
                topics.append(record)
    return topics


def _gold_files(given: Iterable[str]) -> Mapping[str, Path]:
    """Name -> path of the gold files; a folder stands for the files in it."""
    files: dict[str, Path] = {}
    for path in map(Path, given):
        found = sorted(each for each in path.iterdir() if each.is_file()) if path.is_dir() else [path]
        for each in found:
            if each.name in files:
                raise WrongCall(f"--gold: there are two files named {each.name}; give one.")
            files[each.name] = each
    return files


@contextmanager
def _run_content(
    submission: Submission, context: CheckContext, name: str, report: Callable[[Issue], None]
) -> Iterator[tuple[str, RunContent]]:
    """The run's tag (else its file's name) and what it returned.

    Lines that cannot be read are reported, rules that the run breaks are not: that is `check`'s work, and a
    question that a run leaves out is scored, not refused.
    """
    with _seekable(name) as file:

        @contextmanager
        def opened() -> Iterator[BinaryIO]:
            file.seek(0)
            yield file

        tag = submission.tag(file) if submission.tag is not None else None
        file.seek(0)
        for issue in submission.unreadable(file) if submission.unreadable is not None else ():
            report(issue)
        yield tag or Path(name).name, RunContent(submission=submission, open=opened, context=context)


@contextmanager
def _seekable(name: str) -> Iterator[BinaryIO]:
    """The uncompressed bytes of a file or of standard input, to be read more than once."""
    with open_input(name) as stream, tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.seek(0)
        yield cast(BinaryIO, copy)
