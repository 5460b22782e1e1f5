"""Export nuggets: as recorded acts, with their topics, and with their sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.campaigns.queries import track_of
from assess.exports.queries import grades
from assess.exports.writing import role_of
from assess.judging.snapshots import Snapshot
from assess.protocol import TopicRecord
from assess.topics.queries import topic_records
from nuggets.writing.counting_lists import as_importance, frozen_lists, numbers_of, official_lists, without_replaced
from nuggets.writing.drafts import refused_in
from nuggets.writing.models import Nugget, NuggetList, NuggetSource
from scoring.records import ItemGrade, OwnedNugget
from scoring.release.recorded_acts import ListFrozen, NuggetWritten, RecordedAct, Source


def nuggets_with_sources(nugget_list: NuggetList) -> Iterator[tuple[Nugget, tuple[tuple[str, str], ...]]]:
    """Yield (nugget, its (docno, quote) pairs) for the active nuggets of a list, by number. If a whole string is the
    source, the string is the quote.

    Two queries.
    """
    sources: dict[int, list[tuple[str, str]]] = {}
    rows = NuggetSource.objects.filter(nugget__nugget_list=nugget_list).select_related("item").order_by("id")
    for row in rows:
        quote = row.quote or (row.item.text if row.item is not None else "")
        sources.setdefault(row.nugget_id, []).append((row.docno, quote))
    for nugget in nugget_list.nuggets.filter(is_retired=False, merged_into=None).order_by("number"):
        yield nugget, tuple(sources.get(nugget.pk, ()))


def annotated_topics(
    snapshot: Snapshot, *, task: str, kind: str = "", criteria: Sequence[str] = ()
) -> Iterator[TopicRecord | ItemGrade | NuggetWritten]:
    """Yield the topics of a task in order, each followed by the official grades of its items and its nugget list.

    The grades are those that items of ``kind`` have on ``criteria``; if ``kind`` is "", there are none. The list is the
    frozen one that counts, and each of its nuggets has its sources. Two queries for each list.
    """
    campaign = snapshot.campaign
    names = pseudonyms(campaign)
    found: dict[str, list[ItemGrade]] = {}
    for grade in grades(snapshot, kind=kind, criteria=criteria) if kind else ():
        found.setdefault(grade.topic, []).append(grade)
    numbers = dict(campaign.topics.filter(task=task).values_list("pk", "number"))
    lists = {numbers[topic]: each for topic, each in official_lists(numbers, at=snapshot).items()}
    for record in topic_records(campaign):
        if record.task != task:
            continue
        yield record
        yield from found.get(record.number, ())
        if (nugget_list := lists.get(record.number)) is not None:
            for nugget, sources in nuggets_with_sources(nugget_list):
                yield NuggetWritten(
                    by=names[nugget_list.owner_id],
                    topic=record.number,
                    number=nugget.number,
                    importance=as_importance(nugget.importance),
                    text=nugget.text,
                    sources=tuple(Source(docno=docno, quote=quote) for docno, quote in sources),
                    role=role_of(nugget_list.assignment.role),
                    group=nugget.group,
                    fields=nugget.fields,
                )


def written_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """Yield the acts that wrote each assessor's newest frozen list. If a topic has several primary assessors or
    adjudicators, only the acts of the last one are yielded.
    """
    numbers = dict(snapshot.campaign.topics.exclude(task="").values_list("pk", "number"))
    lists = without_replaced(frozen_lists(numbers, as_of=snapshot.as_of))
    refused = refused_in(snapshot, lists)
    for nugget_list in lists:
        by, topic = names[nugget_list.owner_id], numbers[nugget_list.topic_id]
        role = role_of(nugget_list.assignment.role)
        for nugget, sources in nuggets_with_sources(nugget_list):
            yield NuggetWritten(
                by=by,
                topic=topic,
                number=nugget.number,
                importance=as_importance(nugget.importance),
                text=nugget.text,
                sources=tuple(Source(docno=docno, quote=quote) for docno, quote in sources),
                role=role,
                group=nugget.group,
                fields=nugget.fields,
            )
        yield ListFrozen(by=by, topic=topic, role=role, refused=refused.get(nugget_list.pk, ()))


SECOND = Assignment.Role.SECOND.value


ROLES = ("primary", "second", "all")


def nuggets_of(snapshot: Snapshot, *, role: str = "primary") -> Iterator[OwnedNugget]:
    """Yield the active nuggets of frozen lists, sorted by topic, role and pseudonym of the owner, for each task.

    With the ``role`` "primary" these are the lists that count, with "second" each second assessor's newest list, and
    with "all" both. Raises ValueError for any other role.
    """
    campaign = snapshot.campaign
    _require_role(role)
    names = pseudonyms(campaign)
    for task in track_of(campaign).tasks:
        if not any(stage.work.key in ("nuggets", "matches") for stage in task.stages):
            continue
        numbers = numbers_of(campaign, task)
        lists = list(official_lists(numbers, at=snapshot).values()) if role != "second" else []
        if role != "primary":
            frozen = frozen_lists(numbers, as_of=snapshot.as_of)
            second = (made for made in frozen if made.assignment.role == SECOND)
            lists += [made for made in second if snapshot.admits_second(made.owner_id)]
        for nugget_list in sorted(lists, key=lambda made: (made.topic_id, made.assignment.role, names[made.owner_id])):
            for nugget, sources in nuggets_with_sources(nugget_list):
                yield OwnedNugget(
                    by=names[nugget_list.owner_id],
                    role=nugget_list.assignment.role,
                    topic=numbers[nugget_list.topic_id],
                    number=nugget.number,
                    importance=as_importance(nugget.importance),
                    text=nugget.text,
                    group=nugget.group,
                    fields=nugget.fields,
                    sources=sources,
                )


def _require_role(role: str) -> None:
    if role not in ROLES:
        raise ValueError(f"an export asks for the role {role!r}; there are {', '.join(ROLES)}")
