"""What each command of `python -m tracks` does; every function returns the exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from assess.protocol import CheckContext, RunContent, RunForm, Submission, Track
from assess.track_settings import TRUE_WORDS, TrackSettings
from scoring.docnos import unknown_in_file
from scoring.formats.document_files import text_documents
from scoring.reading import open_input, split_issues
from scoring.records import Explanation, Issue, Score
from tracks import TRACKS, find_track
from tracks.input_files import WrongCall, gold_files, is_empty, kind_of, read_topics, run_content, seekable
from tracks.printing import print_explanations, print_rows, print_scores
from tracks.repairing import write_repair

SHOWN_ISSUES = 25


# ---------------------------------------------------------------- commands


def run_list(options: argparse.Namespace) -> int:
    """One line a track: key, label, tasks, source."""
    rows = [(track.key, track.label, ",".join(task.key for task in track.tasks), track.source) for track in TRACKS]
    print_rows(options.format, ("key", "label", "tasks", "source"), rows)
    return 0


def run_check(options: argparse.Namespace) -> int:
    """One line an issue; status 1 where any is an error."""
    track, settings = _track(options), _settings(options)
    submission = kind_of(options.run, _submissions(options))
    reporter = _Reporter()
    context = CheckContext(
        topics=read_topics(track, options.topics, reporter),
        settings=settings,
        unknown_docnos=partial(unknown_in_file, Path(options.docnos)) if options.docnos else None,
        form=_form(options.form) if options.form else None,
        document_text=text_documents(map(Path, options.documents)).get if options.documents else None,
    )
    if reporter.errors:
        return 1
    failed = False

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal failed
        for issue in submission.check(file, context):
            failed = failed or issue.severity == "error"
            yield issue.as_row()

    with seekable(options.run) if options.repair else open_input(options.run) as file:
        print_rows(options.format, ("where", "severity", "code", "message"), rows())
        if options.repair:
            write_repair(submission, file, Path(options.repair), context)
    return int(failed)


def run_convert(options: argparse.Namespace) -> int:
    """The track's official conversion."""
    track, settings = _track(options), _settings(options)
    submission = kind_of(options.run, _submissions(options))
    if submission.convert is None:
        raise WrongCall(f"{track.key} has no official conversion of its runs.")
    reporter = _Reporter()
    topics = read_topics(track, options.topics, reporter)
    with seekable(options.run) as file:
        for issue in submission.unreadable(file) if submission.unreadable is not None else ():
            reporter(issue)
        file.seek(0)
        lines = submission.convert(file, CheckContext(topics=topics, settings=settings))
        if options.format == "json":
            print_rows("json", ("line",), ((line,) for line in lines))
        else:
            for line in lines:  # as they are: a tab in a line is part of it
                print(line)
    return int(reporter.errors > 0)


def run_segment(options: argparse.Namespace) -> int:
    """What the track cuts a file into: its own way, else the strings of a run with their documents and item keys."""
    track, settings = _track(options), _settings(options)
    submission = kind_of(options.run, _submissions(options))
    reporter = _Reporter()
    context = CheckContext(topics=read_topics(track, options.topics, reporter), settings=settings)
    with open_input(options.run) as file:
        if submission.segment is not None:
            rows = split_issues(submission.segment(file, context), reporter)
            print_rows(options.format, submission.segment_header, rows)
        else:
            header = ("topic", "ordinal", "document", "item", "text")
            cut = ((s.topic, str(s.ordinal), s.docno, s.item_key, s.text) for s in submission.read(file, context))
            print_rows(options.format, header, cut)
    return int(reporter.errors > 0)


def run_score(options: argparse.Namespace) -> int:
    """Print run, topic, measure and value for each run, or how one value came about."""
    track, settings = _track(options), _settings(options)
    reporter = _Reporter()
    gold = track.scoring.load(gold_files(options.gold), settings, reporter)
    if reporter.errors:
        return 1
    context = CheckContext(topics=read_topics(track, options.topics, reporter), settings=settings)
    rows: list[Score] = []
    explained: list[Explanation] = []

    def add(tag: str, content: RunContent | None) -> None:
        if options.explain:
            topic, measure = options.explain
            explanation = track.scoring.explain(gold, tag, content, settings, topic, measure)
            if explanation is None:
                raise WrongCall(f'There is no value of "{measure}" for "{topic}"; leave --explain out to see all.')
            explained.append(explanation)
        else:
            rows.extend(track.scoring.score(gold, tag, content, settings))

    for name in options.run:
        before = reporter.errors
        with run_content(kind_of(name, _submissions(options)), context, name, reporter) as (tag, content):
            if reporter.errors > before and is_empty(content):
                print(f"{name}: nothing in it can be read, so it is not scored.", file=sys.stderr)
            else:
                add(tag, content)
    if not options.run:
        for tag in _runs_of(track, gold):
            add(tag, None)
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


def _track(options: argparse.Namespace) -> Track:
    """The track that the call names, with the task where it names one."""
    track = find_track(options.track)
    if track is None:
        raise WrongCall(f'There is no track "{options.track}". There are: {", ".join(t.key for t in TRACKS)}.')
    if options.task and track.task(options.task) is None:
        tasks = ", ".join(task.key for task in track.tasks)
        raise WrongCall(f'{track.key} has no task "{options.task}". It has: {tasks}.')
    return track


def _submissions(options: argparse.Namespace) -> list[Submission]:
    """The kinds of run files of the track, or of the task that the call names."""
    return [each for each in _track(options).submissions if not options.task or options.task in each.tasks]


def _settings(options: argparse.Namespace) -> Any:
    settings: type[TrackSettings] = _track(options).settings
    return settings.from_mapping(_pairs(options.set, "--set"))


def _runs_of(track: Track, gold: Any) -> list[str]:
    """The runs that the gold alone can score."""
    found = list(track.scoring.runs(gold)) if track.scoring.runs is not None else []
    if not found:
        raise WrongCall("Give run files with --run; these judgments name no run that they could score by themselves.")
    return found


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
