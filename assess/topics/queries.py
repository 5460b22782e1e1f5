"""Reads about a campaign's topics: their context, the documents that they name, and their files for participants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, Case, ExpressionWrapper, F, Q, QuerySet, Value, When, Window
from django.db.models.functions import RowNumber
from django.db.models.lookups import IsNull
from django.utils.translation import ngettext

from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.campaigns.queries import settings_of, track_of
from assess.protocol import ContextPart, Task, TopicFile, TopicRecord, Wording
from assess.topics.models import Topic

LEVELS = 4
"""The levels of a tree of topics that the database orders: a dialogue, its parts, their turns, and one more."""


def all_topics(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics of the campaign, including dropped ones; ``campaign.topics`` has only those that count."""
    return campaign.topics(manager="with_dropped").all()


def topic_records(campaign: Campaign, *, with_dropped: bool = False) -> tuple[TopicRecord, ...]:
    """Return the topics that count, as tracks' records, in order: each target followed by its questions.

    ``with_dropped`` adds the dropped ones: a run that answers one is still a valid run.
    """
    found = all_topics(campaign) if with_dropped else campaign.topics.all()
    return tuple(record for _, record, _ in _in_series(found))


def answerable_topics(campaign: Campaign) -> tuple[tuple[TopicRecord, ...], frozenset[str]]:
    """Return the topics that runs may answer, as records, and the numbers of the dropped ones among them. One query."""
    topics = _in_series(all_topics(campaign))
    dropped = frozenset(record.number for _, record, is_dropped in topics if is_dropped)
    return tuple(record for _, record, _ in topics), dropped


def _in_series(found: QuerySet[Topic]) -> list[tuple[int, TopicRecord, bool]]:
    """Return (id, record, is dropped) of each topic, each followed by those below it; without topics whose parent is
    not among them. One query, for columns only.
    """
    fields = ("pk", "parent_id", "dropped", "number", "task", "text", "parent__number", "ordinal", "fields")
    below: dict[int | None, list[tuple[int, TopicRecord, bool]]] = {}
    for pk, parent, dropped, *values in found.order_by("ordinal", "id").values_list(*fields):
        number, task, text, above, ordinal, more = values
        record = TopicRecord(number=number, task=task, text=text, parent=above, ordinal=ordinal, fields=more)
        below.setdefault(parent, []).append((pk, record, dropped))
    ordered: list[tuple[int, TopicRecord, bool]] = []
    waiting = list(reversed(below.get(None, [])))
    while waiting:
        topic = waiting.pop()
        ordered.append(topic)
        waiting.extend(reversed(below.get(topic[0], [])))
    return ordered


def tree_order(way: str = "") -> list[Case]:
    """Return an order of rows by the place of their topic in its tree: parents first, then by ordinal, then by id.

    ``way`` is the lookup from the row to its topic ("topic__"). Levels deeper than `LEVELS` do not count.
    """
    above = [f"{way}{'parent__' * steps}" for steps in reversed(range(LEVELS))]
    order = []
    for level in range(LEVELS):
        for field, absent in (("ordinal", -1), ("id", 0)):
            cases = [
                When(IsNull(F(f"{root}id"), False), then=F(f"{here}{field}"))
                for root, here in zip(above, above[level:], strict=False)
            ]
            order.append(Case(*cases, default=Value(absent)))
    return order


def with_place(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    """Return the topics annotated with their ``place`` in the order, by which tables can be sorted."""
    return topics.annotate(place=Window(RowNumber(), order_by=tree_order()))


def has_series_in(campaign: Campaign) -> bool:
    """Return whether any topic is below another, or groups others. One query."""
    return campaign.topics.filter(Q(task="") | Q(parent__isnull=False)).exists()


def judged_topics(campaign: Campaign) -> QuerySet[Topic]:
    """Return the topics that count and have a task, so no series, in the order of their series. Whether only some of
    them were chosen to be judged is not looked at (`topics_chosen`).
    """
    return campaign.topics.exclude(task="").select_related("parent").order_by(*tree_order())


# Which topics are judged, if only some of them are (`Task.topics_setting`).


def topics_chosen(campaign: Campaign, task: Task) -> tuple[str, ...]:
    """Return the numbers of the topics and series chosen to be judged for a task; empty for all. At most one query.

    Refuses a setting that names a number that the campaign lacks.
    """
    if not task.topics_setting:
        return ()
    named = tuple(sorted(set(getattr(settings_of(campaign), task.topics_setting))))
    known = set(all_topics(campaign).filter(number__in=named).values_list("number", flat=True)) if named else set()
    if unknown := [number for number in named if number not in known]:
        raise Invalid(
            ngettext(
                "The setting %(topics_setting)s names %(unknown)s, which is no topic of this campaign. Correct the "
                "setting.",
                "The setting %(topics_setting)s names %(unknown)s, which are no topics of this campaign. Correct the "
                "setting.",
                len(unknown),
            )
            % {"topics_setting": task.topics_setting, "unknown": ", ".join(unknown[:5])},
            field=task.topics_setting,
        )
    return named


def topics_asked(task: Task, records: Iterable[TopicRecord], numbers: Iterable[str]) -> Iterator[TopicRecord]:
    """Yield the topics of a task that are judged: the chosen ones with all topics below them, or all topics if none is
    chosen.

    In ``records``, a topic must come before those below it.
    """
    named = set(numbers)
    everything = not named
    for record in records:
        if record.parent in named:
            named.add(record.number)
        if record.task == task.key and (everything or record.number in named):
            yield record


def not_asked(campaign: Campaign) -> set[int]:
    """Return the ids of topics that are not judged because others were chosen. One query, none if all are judged."""
    tasks, settings = track_of(campaign).tasks, settings_of(campaign)
    chosen = {task.key: getattr(settings, task.topics_setting) if task.topics_setting else () for task in tasks}
    if not any(chosen.values()):
        return set()
    topics = _in_series(campaign.topics.all())
    records = [record for _, record, _ in topics]
    asked = {record.number for task in tasks for record in topics_asked(task, records, chosen[task.key])}
    return {pk for pk, record, _ in topics if record.task and record.number not in asked}


def roots_of(campaign: Campaign) -> dict[int, int]:
    """Return topic id -> the id of its topmost ancestor, or its own id if it has none, for the topics that count."""
    parents = dict(campaign.topics.order_by().values_list("pk", "parent_id"))
    roots: dict[int, int] = {}
    for topic in parents:
        root = topic
        while (above := parents.get(root)) is not None:
            root = above
        roots[topic] = root
    return roots


def whole_series(topic: Topic) -> list[Topic]:
    """Return the head of a topic's series and all topics below it, dropped ones included, in order. One query for the
    campaign's topics.
    """
    topics = list(all_topics(topic.campaign).select_related("parent").order_by(*tree_order()))
    parents = {each.pk: each.parent_id for each in topics}
    root: int = topic.pk
    while (above := parents.get(root)) is not None:
        root = above
    members = {root}
    for each in topics:  # parents come before their children
        if each.parent_id in members:
            members.add(each.pk)
    return [each for each in topics if each.pk in members]


def wordings_among(campaign: Campaign, topic: TopicRecord, series: tuple[TopicRecord, ...]) -> list[Wording]:
    """Return the texts of a topic that can be amended: the topic's own first, unless the track says where it comes.
    ``series`` are all records under its head.
    """
    told = track_of(campaign).wordings
    found = list(told(topic, series)) if told is not None else []
    if any(each.key == "text" for each in found):
        return found
    return [Wording(key="text", label="Text", text=topic.text, places=((topic.number, ("text",)),)), *found]


def wordings_of(topic: Topic) -> list[Wording]:
    """Return the texts of a stored topic that can be amended. One query for the topics of its campaign."""
    series = tuple(topic_record(each) for each in whole_series(topic))
    return wordings_among(topic.campaign, topic_record(topic), series)


@dataclass(frozen=True, kw_only=True, slots=True)
class Amendment:
    """An amendment of a topic: when, by whom and why, with each changed text as (label, before, after)."""

    id: int
    number: str
    at: datetime
    by: str
    reason: str
    texts: tuple[tuple[str, str, str], ...]


def amendments_of(topic: Topic) -> list[Amendment]:
    """Return the amendments of a topic and of its parent, newest first. One query if there are none.

    An amendment of a series, or of a topic in it, belongs to all topics whose texts it changed.
    """
    acts = topic.campaign.activities.filter(action="topics.amend").select_related("actor").order_by("-id")
    above = topic.parent.number if topic.parent is not None else ""
    found = [act for act in acts if {topic.number, above} & {act.data["number"], *act.data["topics"]}]
    labels = {each.key: each.label for each in wordings_of(topic)} if found else {}
    return [
        Amendment(
            id=act.pk,
            number=act.data["number"],
            at=act.created_at,
            by=act.actor.username if act.actor is not None else "",
            reason=act.data["reason"],
            texts=tuple(
                (labels.get(key, key.replace("-", " ").capitalize()), text, act.data["after"][key])
                for key, text in act.data["before"].items()
            ),
        )
        for act in found
    ]


def topic_record(topic: Topic) -> TopicRecord:
    """Return the topic as a track's record. If its parent is not loaded, that takes a query."""
    return TopicRecord(
        number=topic.number,
        task=topic.task,
        text=topic.text,
        parent=topic.parent.number if topic.parent is not None else None,
        ordinal=topic.ordinal,
        fields=topic.fields,
    )


# The documents that topics name in their fields.


def topic_docnos(campaign: Campaign) -> set[str]:
    """Return the docnos that topics name in their fields: papers (``documents``) and page images (``pages``)."""
    return {docno for _, docno in docnos_by_topic(campaign)}


def docnos_by_topic(campaign: Campaign) -> Iterator[tuple[int, str]]:
    """Yield (topic id, docno) for the docnos that topics name in their fields. One query."""
    for pk, fields in campaign.topics.order_by().values_list("pk", "fields").iterator():
        for key in ("documents", "pages"):
            docnos = fields.get(key)
            if isinstance(docnos, list):
                yield from ((pk, docno) for docno in docnos if isinstance(docno, str))


# What is shown about a topic beside the work, as its track says.

DEEPEST = 10


def topic_context(topic: Topic) -> tuple[ContextPart, ...]:
    """Return what is shown about a topic, in parts: its narrative, earlier turns, statements. Return nothing if the
    track shows nothing.

    The track gets the ancestors, nearest first, ten at most. It takes a query only for ancestors that are not loaded.
    """
    context = track_of(topic.campaign).context
    if context is None:
        return ()
    ancestors: list[Topic] = []
    above = topic.parent
    while above is not None and len(ancestors) < DEEPEST:
        ancestors.append(above)
        above = above.parent
    return tuple(context(topic_record(topic), tuple(topic_record(each) for each in ancestors)))


# Topics in the track's own format, as participants are given them.


def topic_files(campaign: Campaign) -> list[TopicFile]:
    """Return the kinds of topic files in which the campaign's topics can be given; empty without topics. One query."""
    known = [each for each in track_of(campaign).topic_files if each.write is not None]
    if not known:
        return []
    stands_under = ExpressionWrapper(Q(parent__isnull=False), output_field=BooleanField())
    found = campaign.topics.order_by().annotate(stands_under=stands_under)
    shapes = set(found.values_list("task", "stands_under").distinct())
    return [each for each in known if shapes and (not each.shapes or each.shapes & shapes)]


def topic_file_lines(campaign: Campaign, found: TopicFile) -> Iterator[bytes]:
    """Yield the lines, with their ends, of a topic file of this kind. `TopicFile.read` reads the same topics back."""
    for line in found.write(topic_records(campaign)) if found.write is not None else ():
        yield f"{line}\n".encode()
