"""The topics of a campaign: what is shown of them, the documents they name, and their files for participants."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import BooleanField, Case, ExpressionWrapper, F, Q, QuerySet, Value, When, Window
from django.db.models.functions import RowNumber

from assess.campaigns.models import Campaign
from assess.campaigns.queries import track_of
from assess.protocol import ContextPart, TopicFile, TopicRecord
from assess.topics.models import Topic

LEVELS = 4
"""How deep a tree of topics is ordered by the database: a dialogue, its parts, their turns, and one more."""


def topic_records(campaign: Campaign) -> tuple[TopicRecord, ...]:
    """The topics as the records that tracks know: every target with its questions after it, in order."""
    topics = campaign.topics.select_related("parent").order_by("ordinal", "id")
    roots = [topic for topic in topics if topic.parent_id is None]
    below: dict[int, list[Topic]] = {}
    for topic in topics:
        if topic.parent_id is not None:
            below.setdefault(topic.parent_id, []).append(topic)
    ordered: list[Topic] = []
    waiting = list(reversed(roots))
    while waiting:
        topic = waiting.pop()
        ordered.append(topic)
        waiting.extend(reversed(below.get(topic.pk, [])))
    return tuple(topic_record(topic) for topic in ordered)


def tree_order(way: str = "") -> list[Case]:
    """What orders rows by the place of their topic in its tree: those above first, then by ordinal, then id.

    ``way`` leads from the row to its topic ("topic__"). Deeper than `LEVELS` the order is that of the levels above.
    """
    above = [f"{way}{'parent__' * steps}" for steps in reversed(range(LEVELS))]
    order = []
    for level in range(LEVELS):
        for field, absent in (("ordinal", -1), ("id", 0)):
            cases = [
                When(
                    **{f"{root}id__isnull": False},
                    then=F(f"{above[first + level]}{field}") if first + level < LEVELS else Value(absent),
                )
                for first, root in enumerate(above)
            ]
            order.append(Case(*cases, default=Value(absent)))
    return order


def with_place(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    """The topics, each with its ``place`` among them by which tables can be ordered."""
    return topics.annotate(place=Window(RowNumber(), order_by=tree_order()))


def judged_topics(campaign: Campaign) -> QuerySet[Topic]:
    """The topics that a task asks, series left out, in order of their series."""
    return campaign.topics.exclude(task="").select_related("parent").order_by(*tree_order())


def roots_of(campaign: Campaign) -> dict[int, int]:
    """The id of each topic -> that of the one that it stands under, however deep; its own where it stands alone."""
    parents = dict(campaign.topics.order_by().values_list("pk", "parent_id"))
    roots: dict[int, int] = {}
    for topic in parents:
        root = topic
        while (above := parents.get(root)) is not None:
            root = above
        roots[topic] = root
    return roots


def whole_series(topic: Topic) -> list[Topic]:
    """The topic at the head of a topic's series and all that stand under it, in order; one query for the campaign's."""
    topics = list(topic.campaign.topics.select_related("parent").order_by(*tree_order()))
    parents = {each.pk: each.parent_id for each in topics}
    root: int = topic.pk
    while (above := parents.get(root)) is not None:
        root = above
    members = {root}
    for each in topics:  # those above come first
        if each.parent_id in members:
            members.add(each.pk)
    return [each for each in topics if each.pk in members]


def topic_record(topic: Topic) -> TopicRecord:
    """The topic as the record that tracks know; its parent is a query where it is not loaded."""
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
    """The docnos that topics name in their fields: papers (``documents``) and page images (``pages``)."""
    return {docno for _, docno in docnos_by_topic(campaign)}


def docnos_by_topic(campaign: Campaign) -> Iterator[tuple[int, str]]:
    """The same, each with the id of the topic that names it. One query."""
    for pk, fields in campaign.topics.order_by().values_list("pk", "fields").iterator():
        for key in ("documents", "pages"):
            docnos = fields.get(key)
            if isinstance(docnos, list):
                yield from ((pk, docno) for docno in docnos if isinstance(docno, str))


# What is shown of a topic beside the work, as its track says.

DEEPEST = 10


def topic_context(topic: Topic) -> tuple[ContextPart, ...]:
    """The parts of what is shown of a topic: narrative, turns before, statements; empty where the track says nothing.

    The ancestors go to the track with the nearest first. No query beyond the ancestors that are not loaded yet.
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
    """The kinds of topic files that the campaign's topics can be given out in; none without topics. One query."""
    known = [each for each in track_of(campaign).topic_files if each.write is not None]
    if not known:
        return []
    stands_under = ExpressionWrapper(Q(parent__isnull=False), output_field=BooleanField())
    found = campaign.topics.order_by().annotate(stands_under=stands_under)
    shapes = set(found.values_list("task", "stands_under").distinct())
    return [each for each in known if shapes and (not each.shapes or each.shapes & shapes)]


def topic_file_lines(campaign: Campaign, found: TopicFile) -> Iterator[bytes]:
    """The lines of such a file, with their ends; `TopicFile.read` reads the same topics back."""
    for line in found.write(topic_records(campaign)) if found.write is not None else ():
        yield f"{line}\n".encode()
