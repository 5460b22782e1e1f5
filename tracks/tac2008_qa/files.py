"""Read the files of TAC 2008 QA as records: questions and runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import BinaryIO

from assess.protocol import CheckContext, DraftContent, FormField, RunForm, SegmentRecord, TopicRecord
from scoring.formats.tac_columns import RunLine
from scoring.formats.tac_questions import TYPE_NAMES, SeriesQuestion, Target, read_questions, write_questions
from scoring.formats.tac_run_rules import split_tag
from scoring.formats.tac_runs import check_run, parse_run
from scoring.records import Issue
from tracks.plain_topics import segments_of_lines
from tracks.tac2008_qa.settings import Tac2008QaSettings

ITEM_KIND = "instance"
PRIORITIES = (1, 2, 3)
DOCUMENTS_SEARCHED = FormField(
    key="documents",
    label="Which documents were searched?",
    choices=(
        ("collection", "The whole document collection, for each target"),
        ("top50", "Only the text of the top 50 documents distributed for each target"),
    ),
    help="The guidelines ask for this with every run.",
)


def read_topics(file: BinaryIO) -> Iterator[TopicRecord | Issue]:
    """Yield targets (task "") and their questions (task "rigid" or "squishy", with the target as parent), and an issue
    for everything that can't be read.
    """
    for record in read_questions(file):
        if isinstance(record, Target):
            yield TopicRecord(number=record.number, task="", text=record.text, ordinal=record.ordinal, line=record.line)
        elif isinstance(record, SeriesQuestion):
            yield TopicRecord(
                number=record.number,
                task=record.kind,
                text=record.text,
                parent=record.target,
                ordinal=record.ordinal,
                fields={"type": TYPE_NAMES[record.kind]},
                line=record.line,
            )
        else:
            yield record


def write_topics(records: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield the lines of a question file. Targets are in the order of their ordinals, and so are the questions of a
    target.
    """
    topics = list(records)
    series: dict[str | None, list[TopicRecord]] = {}
    for topic in topics:
        series.setdefault(topic.parent, []).append(topic)
    ordered: list[Target | SeriesQuestion] = []
    for target in sorted(series.get(None, []), key=_by_ordinal):
        ordered.append(Target(number=target.number, text=target.text, ordinal=target.ordinal))
        for topic in sorted(series.get(target.number, []), key=_by_ordinal):
            ordered.append(
                SeriesQuestion(
                    number=topic.number,
                    target=target.number,
                    kind=topic.task,
                    text=topic.text,
                    ordinal=topic.ordinal,
                )
            )
    return write_questions(ordered)


def topics_of_draft(content: DraftContent, number: str, ordinal: int) -> Iterator[TopicRecord]:
    """Yield the target that an assessor drafted, and its questions, numbered in order under it."""
    yield TopicRecord(number=number, task="", text=content.text, ordinal=ordinal)
    for place, part in enumerate(content.parts, start=1):
        yield TopicRecord(
            number=f"{number}.{place}",
            task=part.task,
            text=part.text,
            parent=number,
            ordinal=place,
            fields={"type": TYPE_NAMES[part.task]},
        )


def check(file: BinaryIO, context: CheckContext) -> Iterator[Issue]:
    """Yield an issue for each rule that is broken: first the rules for the form, then those for the run file."""
    settings: Tac2008QaSettings = context.settings
    expected = None
    if context.form is not None:
        yield from check_form(context.form)
        expected = context.form.tag or _tag_of_form(context.form)
    yield from check_run(
        file,
        questions=[topic.number for topic in context.topics if topic.task],
        length_limit=settings.length_limit,
        tag=expected,
        unknown_docnos=context.unknown_docnos,
    )


def check_form(form: RunForm) -> Iterator[Issue]:
    """Yield an issue for each rule that the submission form breaks.

    Codes: priority-range, priority-manual, manual-description, run-tag-mismatch, form-field.
    """
    if form.priority is not None and form.priority not in PRIORITIES:
        yield _form_issue("priority-range", f"The priority is {form.priority}; a team's runs have priority 1, 2 or 3.")
    priority = form.priority if form.priority is not None else (split_tag(form.tag) or ("", 0))[1]
    if priority == 1 and not form.automatic:
        message = "The first-priority run must be completely automatic. Give a manual run priority 2 or 3."
        yield _form_issue("priority-manual", message)
    if not form.automatic and not form.description.strip():
        message = "The run is manual, so its manual processing must be described. Fill in the description."
        yield _form_issue("manual-description", message)
    of_form = _tag_of_form(form)
    if form.tag and of_form and form.tag != of_form:
        message = f'The run tag is "{form.tag}", but team and priority make "{of_form}". Change one of them.'
        yield _form_issue("run-tag-mismatch", message)
    searched = form.fields.get(DOCUMENTS_SEARCHED.key)
    choices = [key for key, _ in DOCUMENTS_SEARCHED.choices]
    if searched not in choices:
        message = f"Say which documents were searched ({DOCUMENTS_SEARCHED.key}): {' or '.join(choices)}."
        yield _form_issue("form-field", message)


def read_segments(file: BinaryIO, context: CheckContext) -> Iterator[SegmentRecord]:
    """Yield the instances of a run, numbered within each question. Unreadable lines are skipped."""
    del context
    return segments_of_lines((line for line in parse_run(file) if isinstance(line, RunLine)), ITEM_KIND)


def _by_ordinal(topic: TopicRecord) -> tuple[int, str]:
    return (topic.ordinal, topic.number)


def _tag_of_form(form: RunForm) -> str | None:
    return f"{form.team}{form.priority}" if form.team and form.priority is not None else None


def _form_issue(code: str, message: str) -> Issue:
    return Issue(where="", code=code, message=message)
