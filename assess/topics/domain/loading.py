"""Load topics. A file is stored completely or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO

from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid
from assess.base.file_issues import Collector, Report
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.protocol import TopicFile, TopicRecord, Track
from assess.protocol.files import fitting_kinds, topic_kind
from assess.protocol.records import read_topic_lines
from assess.topics.models import Topic
from assess.topics.queries import all_topics, wordings_among
from scoring.reading.opening import copied, excerpt_of, split_issues
from scoring.reading.plain_names import KnownNames, plain_name
from scoring.reading.unpacking import damage_errors, damage_issue
from scoring.records import Issue

NUMBER_LIMIT, ORDINAL_LIMIT = 100, 2**31 - 1


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedTopics:
    """The result of loading a topic file. ``kept`` counts topics of the campaign that the file does not name."""

    added: int
    changed: int
    unchanged: int
    kept: int
    report: Report


MOST_TOPICS = 20_000
"""The most topics of one file: a campaign judges some hundred, and storing more would take seconds."""


def load_topics(
    *, actor: User, campaign: Campaign, stream: BinaryIO, name: str, file_key: str = "", task: str = ""
) -> LoadedTopics:
    """Load a topic file of the campaign's track. ``name`` is the file's name as the person knows it.

    Without ``file_key``, the file's content decides its kind; if several kinds fit, the task decides, and then the
    name. New topics are added, and topics that the file does not name stay. The same file again changes nothing.

    All issues are collected first: any error raises `BadFile`, and nothing is stored. Refuses an unknown kind or task,
    a closed campaign, a new text or type for a topic whose judging has begun, and a new type for one that runs answer.
    """
    require_changeable(campaign)
    track = track_of(campaign)
    collector = Collector()
    with _opened_topic_file(track, stream, name=name, file_key=file_key, task=task) as (found, file):
        records = _checked(split_issues(found.read(file), collector), track=track, found=found, collector=collector)
        records = _with_known_fields(campaign, found, records, collector)
        if not records and not collector.errors:
            message = "There are no topics in the file. Check the file chosen."
            collector(Issue(where="", code="no-topics", message=message))
        _warn_of_alike(campaign, records, collector)
        is_named = bool(file_key) or found.supplements  # otherwise its content decided the kind
        hint = _other_kinds(track, found, file) if collector.errors and is_named else ""
    report = collector.refuse_errors(name=name, hint=hint)
    with transaction.atomic():
        lock_open(campaign)
        loaded = _store(campaign=campaign, records=records, report=report)
        if loaded.added or loaded.changed:
            data = {"file": name, "added": loaded.added, "changed": loaded.changed}
            record_activity(actor=actor, action="topics.load", campaign=campaign, data=data)
    return loaded


def add_topics(*, actor: User, campaign: Campaign, records: Iterable[TopicRecord | Issue], name: str) -> None:
    """Store topics with everything that a site knows about them, in the order given, as in a release. Call it in a
    transaction.

    They are checked like those of a topic file: any error raises `BadFile`, and what `load_topics` refuses is refused.
    """
    require_changeable(campaign)
    collector = Collector()
    track = track_of(campaign)
    whole = TopicFile(key="release", label=name, help="", file_names=(), read=read_topic_lines)
    found = _checked(split_issues(iter(records), collector), track=track, found=whole, collector=collector)
    report = collector.refuse_errors(name=name)
    loaded = _store(campaign=campaign, records=found, report=report)
    data = {"file": name, "added": loaded.added, "changed": loaded.changed}
    record_activity(actor=actor, action="topics.load", campaign=campaign, data=data)


@contextmanager
def _opened_topic_file(
    track: Track, stream: BinaryIO, *, name: str, file_key: str, task: str
) -> Iterator[tuple[TopicFile, BinaryIO]]:
    """Yield the kind of a topic file and the opened file, read from its beginning.

    The kind is the chosen one or, if none was chosen, the one that the content suggests. Refuse an unknown kind or
    task; raise `BadFile` for a damaged file.
    """
    if task and track.task(task) is None:
        known = ", ".join(each.key for each in track.tasks)
        raise Invalid(
            gettext("%(track)s has no task “%(task)s”. Use one of: %(known)s.")
            % {"track": track.label, "task": task[:60], "known": known},
            field="task",
        )
    given = _topic_file(track, file_key) if file_key else None
    with ExitStack() as opened:
        try:
            file = opened.enter_context(copied(stream))
        except damage_errors() as error:
            damaged = Collector()
            damaged(damage_issue(error))
            damaged.refuse_errors(name=name)
        if given is None and len(track.topic_files) > 1:
            given = topic_kind(file, name=name, kinds=track.topic_files, task=task)
        yield given or track.topic_files[0], file


def _other_kinds(track: Track, found: TopicFile, file: BinaryIO) -> str:
    """Return a sentence that names the kinds that the file would fit instead of ``found``; "" if there are none."""
    others = [kind for kind in track.topic_files if kind.key != found.key]
    fitting = fitting_kinds(file, others) if others else []
    kinds = " or ".join(f"“{kind.key}” ({kind.label})" for kind in fitting)
    return f"It was read as “{found.key}” ({found.label}), but fits the kind {kinds}: choose that." if kinds else ""


def _topic_file(track: Track, key: str) -> TopicFile:
    found = next((topic_file for topic_file in track.topic_files if topic_file.key == key), None)
    if found is None:
        known = ", ".join(topic_file.key for topic_file in track.topic_files)
        raise Invalid(
            gettext("%(track)s has no topic file “%(key)s”. Use one of: %(known)s.")
            % {"track": track.label, "key": key, "known": known}
        )
    return found


def _checked(
    stream: Iterable[TopicRecord], *, track: Track, found: TopicFile, collector: Collector
) -> dict[str, TopicRecord]:
    """Return the records by number. A repeated, missing or overlong number, a place out of range, an unknown task or
    parent, and too many topics are issues.

    In a file that supplements, only number and place are checked.
    """
    records: dict[str, TopicRecord] = {}
    tasks = {"", *(task.key for task in track.tasks)}
    for record in stream:
        where = record.line or ""
        if len(records) == MOST_TOPICS:
            message = f"A topic file may have {MOST_TOPICS:,} topics, and this has more. Leave those that are judged."
            collector(Issue(where=where, code="too-many-topics", message=message))
            break
        if record.number in records:
            collector(Issue(where=where, code="duplicate-topic", message=f"Topic {record.number} comes twice."))
        elif not record.number or len(record.number) > NUMBER_LIMIT or not 0 <= record.ordinal <= ORDINAL_LIMIT:
            message = (
                f"A topic's number has 1 to {NUMBER_LIMIT} characters, and its place is from 0 to {ORDINAL_LIMIT:,}."
            )
            collector(Issue(where=where, code="topic-number", message=message, excerpt=excerpt_of(record.number)))
        elif found.supplements:
            records[record.number] = record
        elif record.task not in tasks:
            collector(Issue(where=where, code="unknown-task", message=f"{record.task} is no task of {track.label}."))
        elif record.parent is not None and record.parent not in records:
            message = f"Topic {record.number} belongs to {record.parent}, which does not come before it."
            collector(Issue(where=where, code="unknown-parent", message=message))
        else:
            records[record.number] = record
    return records


def _with_known_fields(
    campaign: Campaign, found: TopicFile, records: dict[str, TopicRecord], collector: Collector
) -> dict[str, TopicRecord]:
    """Return the records with the fields that another file of the track gave the same topics.

    A file that supplements adds fields to existing topics and changes nothing else; an unknown number is an issue. If
    the topics' own file is loaded again, added fields are kept.
    """
    if not any(kind.supplements for kind in track_of(campaign).topic_files):
        return records
    topics = {topic.number: topic for topic in all_topics(campaign).select_related("parent")}
    merged: dict[str, TopicRecord] = {}
    for number, record in records.items():
        topic = topics.get(number)
        if topic is None and found.supplements:
            message = KnownNames(topics).lacks("topic", number, "Nothing can be added to it; load the topics first.")
            collector(Issue(where=record.line or "", code="unknown-topic", message=message))
        elif topic is None:
            merged[number] = record
        else:
            fields = {**topic.fields, **record.fields}
            said = _record_of(topic) if found.supplements else record
            merged[number] = replace(said, fields=fields)
    return merged


def _warn_of_alike(campaign: Campaign, records: dict[str, TopicRecord], collector: Collector) -> None:
    """Warn of new topics whose numbers read like those of others, such as 1 beside 01: each is a topic of its own."""
    known = dict.fromkeys(all_topics(campaign).values_list("number", flat=True))
    new = [number for number in records if number not in known]
    plain: dict[str, str] = {}
    first = {number: plain.setdefault(plain_name(number), number) for number in (*known, *new)}
    alike = [number for number in new if first[number] != number]
    if alike:
        more = f" (and {len(alike) - 1:,} more like it)" if len(alike) > 1 else ""
        message = (
            f"Topic {excerpt_of(alike[0], length=40)} is a topic beside {excerpt_of(first[alike[0]], length=40)}, "
            f"which reads alike{more}. If they are one, keep the one that runs name, and remove the other."
        )
        where = records[alike[0]].line or ""
        collector(Issue(where=where, code="alike", message=message, severity="warning"))


def _record_of(topic: Topic) -> TopicRecord:
    parent = topic.parent.number if topic.parent is not None else None
    return TopicRecord(
        number=topic.number, task=topic.task, text=topic.text, parent=parent, ordinal=topic.ordinal, fields=topic.fields
    )


def _store(*, campaign: Campaign, records: dict[str, TopicRecord], report: Report) -> LoadedTopics:
    topics = {topic.number: topic for topic in all_topics(campaign).select_related("parent")}
    kept = len(topics.keys() - records.keys())
    unchanged = 0
    changed: list[tuple[Topic, TopicRecord]] = []
    added: list[Topic] = []  # parents are stored before what they group
    waiting: list[Topic] = []
    for record in records.values():
        topic = topics.get(record.number)
        if topic is None:
            if record.parent is not None and topics[record.parent].pk is None:
                added += Topic.objects.bulk_create(waiting)
                waiting = []
            topics[record.number] = Topic(campaign=campaign, **_values(record, topics))
            waiting.append(topics[record.number])
        elif _is_same(topic, record):
            unchanged += 1
        else:
            changed.append((topic, record))
    added += Topic.objects.bulk_create(waiting)
    _refuse_changes(campaign, changed)
    for topic, record in changed:
        for field, value in _values(record, topics).items():
            setattr(topic, field, value)
    fields = ("number", "task", "text", "parent", "ordinal", "fields")
    Topic.with_dropped.bulk_update([topic for topic, _ in changed], fields, batch_size=200)
    return LoadedTopics(added=len(added), changed=len(changed), unchanged=unchanged, kept=kept, report=report)


def _values(record: TopicRecord, topics: dict[str, Topic]) -> dict[str, object]:
    return {
        "number": record.number,
        "task": record.task,
        "text": record.text,
        "parent": topics[record.parent] if record.parent is not None else None,
        "ordinal": record.ordinal,
        "fields": dict(record.fields),
    }


def _is_same(topic: Topic, record: TopicRecord) -> bool:
    parent = topic.parent.number if topic.parent is not None else None
    mine = (topic.task, topic.text, parent, topic.ordinal, topic.fields)
    return mine == (record.task, record.text, record.parent, record.ordinal, dict(record.fields))


def _refuse_changes(campaign: Campaign, changed: list[tuple[Topic, TopicRecord]]) -> None:
    """Refuse to change what people have judged, or the type of topics that runs have answered."""
    reworded = [
        topic for topic, record in changed if topic.task != record.task or _is_reworded(campaign, topic, record)
    ]
    begun = _begun(reworded)
    if begun:
        numbers = ", ".join(topic.number for topic in begun[:10])
        raise Conflict(
            gettext(
                "The judging of %(numbers)s has begun, so text and type can't change by a file any more; nothing was "
                "stored. Put the old wording back in the file, and amend the topic on its page, with a reason."
            )
            % {"numbers": numbers}
        )
    retyped = [topic for topic, record in changed if topic.task != record.task]
    answered = set(_of(retyped).filter(responses__isnull=False).values_list("number", flat=True))
    if answered:
        raise Conflict(
            gettext(
                "Runs have answered %(answered)s, so the type can't change; nothing was stored. Withdraw the runs "
                "first, or give the new question a new number."
            )
            % {"answered": ", ".join(sorted(answered)[:10])}
        )


def _is_reworded(campaign: Campaign, topic: Topic, record: TopicRecord) -> bool:
    """Return whether a text that people read changed. A text that did not exist before counts as added, not as
    changed.
    """
    before, after = (
        {each.key: each.text for each in wordings_among(campaign, said, (said,))}
        for said in (_record_of(topic), record)
    )
    return any(after.get(key) != text for key, text in before.items())


def _begun(topics: list[Topic]) -> list[Topic]:
    """Return the topics that were judged or whose work was opened. Both are read through the topics' relations, since
    the modules of judgments and assignments are in higher layers.
    """
    judged = set(_of(topics).filter(items__judgments__isnull=False).values_list("pk", flat=True))
    states = apps.get_model("assess.Assignment").State
    opened = _of(topics).filter(assignments__state__in=[states.STARTED, states.DONE, states.STOPPED])
    judged |= set(opened.values_list("pk", flat=True))
    return [topic for topic in topics if topic.pk in judged]


def _of(topics: list[Topic]) -> QuerySet[Topic]:
    return Topic.with_dropped.filter(pk__in=[topic.pk for topic in topics]).order_by()
