"""Read the files of the definition pilot as records: questions, definitions, runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from assess.protocol import BundledRun, CheckContext, DraftContent, ItemRecord, RunForm, SegmentRecord, TopicRecord
from scoring.folding import fold_answer
from scoring.formats.definition_runs import (
    check_definition_run,
    docno_column,
    parse_definition_run,
    read_bundle,
)
from scoring.formats.definition_topics import (
    AuthorSummary,
    DefinitionQuestion,
    read_author_summaries,
    read_definition_questions,
    write_author_summaries,
    write_definition_questions,
)
from scoring.formats.pool_tables import topic_order
from scoring.formats.tac_columns import RunLine
from scoring.own_items import own_key
from scoring.reading.opening import CannotOpen, first_record, open_input
from scoring.reading.unpacking import is_leftover
from scoring.records import Issue, ResponseItem
from tracks.plain_topics import segments_of_lines

TASK = "definition"
STRING = "string"
RESPONSE = "response"
SUMMARY = "author_summary"
BETWEEN = "between"
BUNDLES = ("Q.*",)


def read_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the questions in the order of the file, and an issue for each line that can't be read."""
    ordinal = 0
    for record in read_definition_questions(file):
        if isinstance(record, Issue):
            yield record
        else:
            ordinal += 1
            fields = {} if record.between == "\t" else {BETWEEN: record.between}
            yield TopicRecord(
                number=record.number, task=TASK, text=record.text, ordinal=ordinal, fields=fields, line=record.line
            )


def write_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of the question file for these topics, in order."""
    ordered = sorted(records, key=lambda topic: (topic.ordinal, topic_order(topic.number)))
    return write_definition_questions(
        DefinitionQuestion(number=each.number, text=each.text, between=each.fields.get(BETWEEN, "\t"))
        for each in ordered
    )


def read_summaries(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield the authors' definitions, and an issue for each that can't be read. A definition is a topic record that
    adds a field to its question.
    """
    for record in read_author_summaries(file):
        if isinstance(record, Issue):
            yield record
        else:
            yield TopicRecord(number=record.topic, task=TASK, text="", fields={SUMMARY: record.text}, line=record.line)


def write_summaries(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of the file of definitions, for those topics that have a definition."""
    return write_author_summaries(
        AuthorSummary(topic=each.number, text=each.fields[SUMMARY]) for each in records if each.fields.get(SUMMARY)
    )


def topics_of_draft(content: DraftContent, number: str, ordinal: int) -> Iterator[TopicRecord]:
    """Yield the question that an assessor drafted, with their own definition of its target."""
    fields = {SUMMARY: content.definition} if content.definition else {}
    yield TopicRecord(number=number, task=TASK, text=content.text, ordinal=ordinal, fields=fields)


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each rule that the run file breaks."""
    expected = context.form.tag or None if context.form is not None else None
    yield from check_definition_run(
        file,
        questions=[topic.number for topic in context.topics],
        tag=expected,
        unknown_docnos=context.unknown_docnos,
    )


def read_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the strings of a run, numbered within each question. Unreadable lines are skipped."""
    return segments_of_lines(run_lines(file), STRING, each=context.settings.judge_each)


def read_responses(file: BinaryIO, context: CheckContext) -> Iterator[ItemRecord]:
    """Yield the whole response to each question, in the order of the questions in the file. Unreadable lines are
    skipped.
    """
    lines: dict[str, list[RunLine]] = {}
    for line in run_lines(file):
        lines.setdefault(line.topic, []).append(line)
    for topic, given in lines.items():
        key = response_key([line.text for line in given])
        yield ItemRecord(
            topic=topic,
            kind=RESPONSE,
            key=own_key(key, given[0].run) if context.settings.judge_each else key,
            text="\n".join(line.text for line in given),
            fields={"parts": [{"text": line.text, "docno": line.docno} for line in given]},
        )


def response_key(strings: Sequence[str]) -> str:
    """Return the key of a whole response. Responses with the same strings in the same order have the same key; white
    space does not count.

    >>> response_key(["a  b", "c"]) == response_key(["a b", "c"]) != response_key(["c", "a b"])
    True
    """
    return hashlib.sha256("\0".join(map(fold_answer, strings)).encode(errors="surrogatepass")).hexdigest()[:32]


def run_lines(file: BinaryIO) -> Iterator[RunLine]:
    """Yield the lines of a run that can be read."""
    return (line for line in parse_definition_run(file) if isinstance(line, RunLine))


def read_tag(file: BinaryIO) -> str | None:
    """Return the run tag of the first readable line, or None."""
    line = first_record(parse_definition_run(file))
    return line.run if line is not None else None


def read_form(file: BinaryIO) -> RunForm | None:
    """Return the form that can be made from the run, or None if no line is readable. The run tag is also taken as the
    team.
    """
    tag = read_tag(file)
    return None if tag is None else RunForm(tag=tag, team=tag)


def split_bundles(paths: Sequence[Path]) -> Iterator[BundledRun | Issue]:
    """Yield the runs in the files Q.<n>, each as a run file of its own with its questions in order. Issues of the files
    come first. If there is a file Q.all, only that file is read.
    """
    lines: dict[str, list[str]] = {}
    for path in sorted(joined_or_all(paths), key=lambda path: topic_order(path.name)):
        for record in read_file(path, read_bundle):
            if isinstance(record, Issue):
                yield record
            else:
                text = f"{record.topic} {record.run} {docno_column(record.docno, record.no_docno)} {record.text}\n"
                lines.setdefault(record.run, []).append(text)
    for run, content in sorted(lines.items()):
        yield BundledRun(form=RunForm(tag=run, team=run), file_name=f"{run}.txt", content="".join(content).encode())


def read_file(path: Path, read: Any) -> Iterator[Any]:
    """Yield the records of a file, and its issues with the file's name and the line as their place."""
    try:
        with open_input(path) as stream:
            for record in read(stream):
                yield placed(path, record) if isinstance(record, Issue) else record
    except CannotOpen as error:
        yield Issue(where=path.name, code="cannot-open", message=f"{error}. Make it readable and load again.")


def placed(path: Path, issue: Issue) -> Issue:
    """Return the issue with "file:line" as its place, since several files are read as one."""
    return replace(issue, where=f"{path.name}:{issue.where}" if issue.where != "" else path.name)


def joined_or_all(paths: Sequence[Path]) -> list[Path]:
    """Return only the file that holds all questions, if there is one, since it repeats the files of single questions.
    Otherwise return all files.
    """
    joined = [path for path in paths if path.name.split(".")[1:2] == ["all"]]
    return joined or list(paths)


def strings_beside(folder: Path) -> Iterator[ResponseItem | Issue]:
    """Yield the strings of the runs in a folder, and the issues of these files. Judgment files refer to strings by
    their numbers in the runs.

    The runs are read from the files Q.<n> or, if there are none, from run files in `runs/good/` or `runs/`.
    """
    bundles = joined_or_all(sorted(path for path in folder.glob(BUNDLES[0]) if path.is_file()))
    for path in bundles:
        yield from read_file(path, read_bundle)
    if bundles:
        return
    runs = folder / "runs"
    place = runs / "good" if (runs / "good").is_dir() else runs
    for path in sorted(place.iterdir()) if place.is_dir() else ():
        if path.is_file() and path.name != "forms.json" and not is_leftover(path):
            yield from read_file(path, read_bundle)
