"""The commands of `python -m tracks`. Each function returns the exit status."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, cast

from assess.protocol import CheckContext, RunContent, Submission, Track
from scoring.commands.command_line import (
    BadInput,
    Problems,
    WrongCall,
    close_output,
    print_scores,
    standard_input_once,
)
from scoring.file_kinds import recognise_path
from scoring.formats.docno_lists import no_docnos
from scoring.formats.document_files import text_documents
from scoring.reading.grouped_issues import together
from scoring.reading.opening import open_input, until_too_many
from scoring.reading.repairs import NotRepairable, write_repaired
from scoring.records import Issue, Score
from scoring.release.explained import Explanation
from scoring.run_tags import stem
from tracks import TRACKS
from tracks.calls import form_of, print_explanations, print_rows, settings_of, submissions_of, track_of
from tracks.input_files import gold_files, kind_of, opened_copy, read_topics, unknown_in_file

# `python -m tracks check --repair`: the repaired run in a file of its own.


def write_repair(submission: Submission, file: BinaryIO, target: Path, context: CheckContext) -> None:
    """Write the repaired run to ``target``, if anything in it can be repaired. On standard error, say what was repaired
    and how many problems remain. Raises WrongCall if ``target`` exists, or if runs of this kind are never repaired.
    """
    if submission.repair is None:
        raise WrongCall("The track repairs nothing in runs of this kind; leave --repair out.")
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
            print("There is nothing that can be repaired safely.", file=sys.stderr)
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


# The commands `list`, `check`, `convert` and `segment` of `python -m tracks`; each returns the exit status.


def run_list(options: argparse.Namespace, problems: Problems) -> int:
    """Print a line for each track: key, label, tasks, source."""
    del problems
    rows = [(track.key, track.label, ",".join(task.key for task in track.tasks), track.source) for track in TRACKS]
    print_rows(options.format, ("key", "label", "tasks", "source"), rows)
    return 0


def run_check(options: argparse.Namespace, problems: Problems) -> int:
    """Print a line for each issue; the status is 1 if any is an error. If the call asks for it, write the repaired run,
    too.
    """
    track, settings = track_of(options), settings_of(options)
    standard_input_once([*options.topics, options.run])
    submission = kind_of(options.run, submissions_of(options))
    context = CheckContext(
        topics=read_topics(track, options.topics, problems, options.task),
        settings=settings,
        unknown_docnos=_unknown_docnos(options.docnos, problems),
        form=form_of(options.form, submission) if options.form else None,
        document_text=text_documents(map(Path, options.documents)).get if options.documents else None,
    )
    failed = False

    def rows() -> Iterator[tuple[str, ...]]:
        nonlocal failed
        issues = submission.issues(file, context)
        for issue in issues if options.format == "json" else together(issues):
            failed = failed or issue.severity == "error"
            yield issue.as_row()

    with opened_copy(options.run, problems) if options.repair else open_input(options.run) as file:
        try:
            print_rows(options.format, ("where", "severity", "code", "message"), rows())
        except BrokenPipeError:  # a reader of only the first lines still gets the right status
            close_output()
            return int(failed)
        for issue in _left_out(submission, context):
            problems.add(options.run, issue)
        if options.repair:
            write_repair(submission, file, Path(options.repair), context)
    return int(failed)


def _unknown_docnos(path: str | None, problems: Problems) -> Callable[[Iterable[str]], set[str]] | None:
    """Return a function that returns the docnos that are not in the list of docnos at ``path``, or None if no path is
    given. Raises BadInput if the file is not a list of docnos.
    """
    if not path:
        return None
    if (issue := no_docnos(recognise_path(path))) is not None:
        problems.add(path, issue)
        raise BadInput(path)
    return partial(unknown_in_file, Path(path))


def _left_out(submission: Submission, context: CheckContext) -> Iterator[Issue]:
    """Yield a note for each check that could not be made, because the list that it needs was not given."""
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
    """Print the track's official conversion of a run file. Raises BadInput if any line of the file can't be read."""
    track, settings = track_of(options), settings_of(options)
    standard_input_once([*options.topics, options.run])
    submission = kind_of(options.run, submissions_of(options))
    if submission.convert is None:
        raise WrongCall(f"{track.key} has no official conversion of its runs.")
    topics = read_topics(track, options.topics, problems, options.task)
    with opened_copy(options.run, problems) as file:
        for issue in submission.unreadable(file):
            problems.add(options.run, issue)
        if problems.errors(options.run):
            raise BadInput(options.run)
        file.seek(0)
        lines = list(submission.convert(file, CheckContext(topics=topics, settings=settings)))
    if options.format == "json":
        print_rows("json", ("line",), ((line,) for line in lines))
    else:
        for line in lines:  # unchanged, since a tab is part of its line
            print(line)
    return 0


def run_segment(options: argparse.Namespace, problems: Problems) -> int:
    """Print the parts into which the track cuts a file: those of its own way of cutting or, if it has none, the strings
    of a run with their documents and item keys. Raises BadInput, and prints nothing, if a part can't be read.
    """
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
            for issue in submission.unreadable(file):
                problems.add(options.run, issue)
            file.seek(0)
            rows += ((s.topic, str(s.ordinal), s.docno, s.item_key, s.text) for s in submission.read(file, context))
    if problems.errors(options.run):
        raise BadInput(options.run)
    print_rows(options.format, header, rows)
    return 0


# `python -m tracks score`: the values of runs, from files that could be read as a whole.
#
# A run is first checked as by `check`. With errors it is not scored and nothing of it is printed, unless the call says
# ``--in-spite-of-errors``: then each row gives the number of errors in its run. With errors in the gold, nothing is
# scored.


@dataclass(frozen=True, kw_only=True, slots=True)
class _Call:
    """What the options of one call say. Runs are read with ``context`` and checked with ``checked_with``."""

    options: argparse.Namespace
    problems: Problems
    track: Track
    settings: Any
    gold: Any
    context: CheckContext
    checked_with: CheckContext


@dataclass(slots=True)
class Results:
    """What is to be printed: scores or explanations, and for each run, by its tag, the number of errors in all its
    files.
    """

    scores: list[Score] = field(default_factory=list)
    explained: list[Explanation] = field(default_factory=list)
    errors: dict[str, int] = field(default_factory=dict)


def run_score(options: argparse.Namespace, problems: Problems) -> int:
    """Print run, topic, measure and value for each run, or explain one value of each. Raises BadInput at the end if any
    run has errors.
    """
    standard_input_once([*options.topics, *options.run])
    results = score_runs(options, problems)
    marks = results.errors if options.in_spite_of_errors else None
    if options.explain:
        print_explanations(options.format, results.explained, marks)
    else:
        print_scores(options.format, results.scores, marks)
    if bad := problems.bad_files:
        scored = "scored in spite of their errors" if options.in_spite_of_errors else "runs with errors are not scored"
        raise BadInput(", ".join(bad), what=scored)
    return 0


def score_runs(options: argparse.Namespace, problems: Problems) -> Results:
    """Return the scores of the runs that can be scored, and the explanations that are asked for. The errors of the
    other runs are added to ``problems``.

    Raises BadInput if the gold or the topics have errors, and WrongCall if the call is wrong.
    """
    call = _read_call(options, problems)
    results = Results()
    for name in options.run:
        _add_run(call, name, results)
    for tag in () if options.run else _runs_of(call.track, call.gold):
        _add(call, tag, None, list(call.track.scoring.score(call.gold, tag, None, call.settings)), results)
    return results


def _read_call(options: argparse.Namespace, problems: Problems) -> _Call:
    track, settings = track_of(options), settings_of(options)
    gold = _load_gold(track, options, settings, problems)
    topics = read_topics(track, options.topics, problems, options.task)
    context = CheckContext(topics=topics, settings=settings, any_tag=True)  # published runs can be scored, too
    if options.run and not topics and any(each.needs_topics for each in submissions_of(options)):
        raise WrongCall(
            "Which topic a row is of is told by the topics alone: give the file of items, or topics.jsonl of a "
            "release, with --topics."
        )
    known = topics if topics or track.scoring.topics is None else tuple(track.scoring.topics(gold))
    unknown_docnos = _unknown_docnos(options.docnos, problems)
    return _Call(
        options=options,
        problems=problems,
        track=track,
        settings=settings,
        gold=gold,
        context=context,
        checked_with=replace(context, topics=known, unknown_docnos=unknown_docnos),
    )


def _load_gold(track: Track, options: argparse.Namespace, settings: Any, problems: Problems) -> Any:
    """Return the gold. Its problems are reported under the path of the file that their message names. Raises BadInput
    if any of them is an error.
    """
    files = gold_files(options.gold, track)
    before = problems.bad_files

    def report(issue: Issue) -> None:
        name, _, message = issue.message.partition(": ")
        if name in files:
            problems.add(str(files[name]), replace(issue, message=message))
        else:
            problems.add("--gold", issue)

    gold = track.scoring.load(files, settings, report)
    if bad := [path for path in problems.bad_files if path not in before]:
        raise BadInput(", ".join(bad))
    return gold


def _add_run(call: _Call, name: str, results: Results) -> None:
    """Add the scores of one run file to the results. If the file can't be scored, only report why."""
    submission = kind_of(name, submissions_of(call.options))
    try:
        with _content(call, submission, name) as (tag, content):
            if call.problems.errors(name) and not call.options.in_spite_of_errors:
                return
            scores = list(call.track.scoring.score(call.gold, tag, content, call.settings))
            if why := _nothing_scored(content, scores):
                call.problems.add(name, Issue(where="", code="no-common-topic", message=why))
                return
            for issue in call.track.scoring.doubts(call.gold, content, "this run") if call.track.scoring.doubts else ():
                call.problems.add(name, issue)
            results.errors[tag] = results.errors.get(tag, 0) + call.problems.errors(name)
            _add(call, tag, content, scores, results)
    except BadInput:  # the file is damaged, as the problems say; other runs are still scored
        return


@contextmanager
def _content(call: _Call, submission: Submission, name: str) -> Iterator[tuple[str, RunContent]]:
    """Check a run file, and yield the run's tag and what the run returned. A run without a tag is called by its file's
    name, without the suffixes. Raises BadInput if the file is damaged.
    """
    with opened_copy(name, call.problems) as file:
        left_out = frozenset() if call.checked_with.topics else submission.topic_codes
        found = (issue for issue in submission.check(file, call.checked_with) if issue.code not in left_out)
        for issue in until_too_many(found):
            call.problems.add(name, issue)
        file.seek(0)
        tag = submission.tag(file) if submission.tag is not None else None

        @contextmanager
        def opened() -> Iterator[Any]:
            file.seek(0)
            yield file

        run = tag or stem(name)
        yield run, RunContent(submission=submission, open=opened, context=call.context, run=run)


def _add(call: _Call, tag: str, content: RunContent | None, scores: list[Score], results: Results) -> None:
    """Add the scores of one run, and the explanation if one is asked for. Raises WrongCall if the run has no such
    value.
    """
    if call.options.explain:
        topic, measure = call.options.explain
        explanation = call.track.scoring.explain(call.gold, tag, content, call.settings)(topic, measure)
        if explanation is None:
            raise WrongCall(f'There is no value of "{measure}" for "{topic}"; leave --explain out to see all.')
        results.explained.append(explanation)
    results.scores += scores


def _nothing_scored(content: RunContent, scores: list[Score]) -> str:
    """Return a sentence that says why the run's scores mean nothing, or "" if they do mean something."""
    if not scores:
        return "The gold has nothing by which a run of this kind could be scored. Give the gold of its task."
    kinds = [ranking.kind for ranking in content.submission.rankings]
    scored = {score.topic for score in scores}
    answered = chain(
        (each.topic for each in content.segments()),
        (each.topic for each in content.responses()),
        *(content.ranked_topics(kind) for kind in kinds),
    )
    is_empty = True
    for topic in answered:
        if topic in scored:
            return ""
        is_empty = False
    return "" if is_empty else "No topic of the run is in the gold. Check that the two belong together."


def _runs_of(track: Track, gold: Any) -> list[str]:
    """Return the runs that can be scored from the gold alone. Raises WrongCall if there are none."""
    found = list(track.scoring.runs(gold)) if track.scoring.runs is not None else []
    if not found:
        raise WrongCall("Give run files with --run; these judgments name no run that they could score by themselves.")
    return found
