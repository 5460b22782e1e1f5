"""Find nugget lists: those of an assignment, the one that counts for each topic, and what changed between versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from django.utils.translation import gettext_lazy

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import begun_by, chain_start, in_chains, predecessors, predecessors_of
from assess.campaigns.models import Campaign
from assess.campaigns.queries import stage_of, track_of
from assess.judging.snapshots import OFFICIAL_COUNTING, CountingRule, Snapshot, counted_in
from assess.protocol import Task
from assess.topics.models import Topic
from nuggets.writing.models import Nugget, NuggetList
from scoring.records import Importance

ADJUDICATOR = Assignment.Role.ADJUDICATOR


PRIMARY = Assignment.Role.PRIMARY


OFFICIAL_ROLES = (ADJUDICATOR, PRIMARY)


NOT_COUNTING = gettext_lazy("This nugget is not on the list that counts now. Reload the page to see the newest list.")


def latest_list(assignment: Assignment) -> NuggetList | None:
    """Return the newest version, draft or frozen, of the list that the assignment's assessor has for the topic.

    Return None if they never began one, or if the work came back to them from somebody who has begun a later list.
    """
    found = own_list(assignment)
    before = list_before(assignment) if found is not None else None
    return None if found is not None and before is not None and _begun(before) > _begun(found) else found


def own_list(assignment: Assignment) -> NuggetList | None:
    """Return the newest list that the assignment's assessor ever began for the topic, or None if they began none.

    It is returned even if the work was handed over and somebody else has begun a later list.
    """
    lists = NuggetList.objects.filter(topic_id=assignment.topic_id, owner_id=assignment.assessor_id)
    lists = lists.select_related("assignment", "assignment__campaign", "assignment__topic")
    return lists.order_by("-version").first()


def list_before(assignment: Assignment) -> NuggetList | None:
    """Return the newest list, draft or frozen, of the predecessors in the chain of hand-overs. Return None if no
    predecessor has one.
    """
    earlier = {each.assessor_id: each for each in predecessors_of(assignment)}
    return max(filter(None, map(own_list, earlier.values())), key=_begun, default=None)


_begun = attrgetter("created_at", "pk")


def official_lists(topics: Iterable[int], *, at: Snapshot | None = None) -> dict[int, NuggetList]:
    """Return the list that counts for each of these topics, by topic id, without topics that have none. One query.

    It is the adjudicator's newest frozen list, or if there is none, the primary assessor's; a second assessor's list
    never counts. With ``at`` it is the list that counted in that snapshot. If the snapshot counts the judgments of
    certain judges, their lists count. For a topic for which they wrote none, the official list counts.
    """
    topics = list(topics)
    as_of, counting = counted_in(at)
    found = _counting_lists(topics, counting, as_of)
    if counting.is_official:
        return found
    return _counting_lists([topic for topic in topics if topic not in found], OFFICIAL_COUNTING, as_of) | found


def _counting_lists(topics: list[int], who: CountingRule, as_of: int | None) -> dict[int, NuggetList]:
    lists = NuggetList.objects.filter(topic__in=topics, **who.where("assignment__role", "owner"))
    lists = lists.filter(frozen_point__isnull=False)
    if as_of is not None:
        lists = lists.filter(frozen_point__lte=as_of)
    found: dict[int, NuggetList] = {}
    for nugget_list in lists.select_related("assignment").order_by("frozen_point"):
        best = found.get(nugget_list.topic_id)
        if best is None or best.assignment.role != ADJUDICATOR or nugget_list.assignment.role == ADJUDICATOR:
            found[nugget_list.topic_id] = nugget_list
    return found


def official_list(topic_id: int, *, at: Snapshot | None = None) -> NuggetList | None:
    """Return the list that counts for this topic, or None if none is frozen."""
    return official_lists([topic_id], at=at).get(topic_id)


def list_for(assignment: Assignment) -> NuggetList | None:
    """Return the frozen list that this assignment uses, or None if there is none yet. One query.

    In most stages it is the list that counts for the topic. If the stage has the option ``own``, it is the newest
    frozen list of the assessor and the predecessors. If the writing of that list was handed over, it is the list of the
    person who continued it.
    """
    return lists_for([assignment]).get(assignment.pk)


def lists_for(assignments: Iterable[Assignment]) -> dict[int, NuggetList]:
    """Return assignment's id -> the list that `list_for` would return, for many assignments at once. At most four
    queries.
    """
    own: list[Assignment] = []
    shared: list[Assignment] = []
    for assignment in assignments:
        _, stage = stage_of(assignment.campaign, assignment.stage)
        (own if stage.own else shared).append(assignment)
    found: dict[int, NuggetList] = {}
    if shared:
        official = official_lists({each.topic_id for each in shared})
        found.update({each.pk: official[each.topic_id] for each in shared if each.topic_id in official})
    if own:
        newest = _newest_own({each.topic_id for each in own})
        before = predecessors(own)
        for each in own:
            people = [each.assessor_id, *(earlier.assessor_id for earlier in before.get(each.pk, ()))]
            mine = [newest[each.topic_id, person] for person in people if (each.topic_id, person) in newest]
            if mine:
                found[each.pk] = max(mine, key=attrgetter("frozen_point"))
    return found


def _newest_own(topics: Collection[int]) -> dict[tuple[int, int], NuggetList]:
    """Return (topic's id, user's id) -> the person's newest frozen list, or that of whoever went on with its writing.
    One query, or two after a hand-over.
    """
    frozen = frozen_lists(topics)
    chains = {made.assignment.chain_start_or_own_id: made for made in frozen}
    found = {(made.topic_id, made.owner_id): chains[made.assignment.chain_start_or_own_id] for made in frozen}
    handed_over = {made.assignment.chain_start_id for made in frozen if made.assignment.chain_start_id is not None}
    if handed_over:
        works = Assignment.objects.filter(in_chains(handed_over)).order_by("pk")
        for topic, person, chain in works.values_list("topic_id", "assessor_id", chain_start()):
            found.setdefault((topic, person), chains[chain])
    return found


def frozen_lists(topics: Iterable[int], *, as_of: int | None = None) -> list[NuggetList]:
    """Return the newest frozen version of each assessor's list for these topics, as of a ledger point if one is given.
    They are sorted by topic and then by the ledger point at which they were frozen. One query.
    """
    lists = NuggetList.objects.filter(topic__in=list(topics), frozen_point__isnull=False)
    if as_of is not None:
        lists = lists.filter(frozen_point__lte=as_of)
    newest = {(made.topic_id, made.owner_id): made for made in lists.select_related("assignment").order_by("version")}
    return sorted(newest.values(), key=lambda made: (made.topic_id, made.frozen_point or 0))


def without_replaced(lists: Sequence[NuggetList]) -> list[NuggetList]:
    """Return these lists, but of the primary assessors' and of the adjudicators' only the last one of each topic.

    The lists must be in the order in which they were frozen. Second assessors' lists all stay.
    """
    newest = {(each.topic_id, each.assignment.role): each.pk for each in lists}
    return [
        each
        for each in lists
        if each.assignment.role not in OFFICIAL_ROLES or newest[each.topic_id, each.assignment.role] == each.pk
    ]


def active_nuggets(lists: Iterable[NuggetList]) -> dict[int, list[Nugget]]:
    """Return list's id -> the list's active nuggets in the author's order. One query."""
    found: dict[int, list[Nugget]] = {nugget_list.pk: [] for nugget_list in lists}
    nuggets = Nugget.objects.filter(nugget_list__in=list(found), is_retired=False, merged_into=None)
    for nugget in nuggets.order_by("nugget_list", "position", "number"):
        found[nugget.nugget_list_id].append(nugget)
    return found


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a mark or a vote was about. If any of this differs in a new version of the list, the mark or vote does not
    carry over.
    """

    number: int
    text: str
    merged: tuple[int, ...]
    split: tuple[int, ...]


def meanings(nugget_list_ids: Iterable[int]) -> dict[int, dict[int, Meaning]]:
    """Return list's id -> nugget's id -> meaning, for the active nuggets. One query."""
    rows = list(Nugget.objects.filter(nugget_list__in=list(nugget_list_ids)).order_by("number"))
    merged: dict[int, list[int]] = {}
    split: dict[int, list[int]] = {}
    for nugget in rows:
        if nugget.merged_into_id is not None:
            merged.setdefault(nugget.merged_into_id, []).append(nugget.number)
        if nugget.split_from_id is not None:
            split.setdefault(nugget.split_from_id, []).append(nugget.number)
    found: dict[int, dict[int, Meaning]] = {}
    for nugget in rows:
        if nugget.is_active:
            of_list = found.setdefault(nugget.nugget_list_id, {})
            into, parts = tuple(merged.get(nugget.pk, ())), tuple(split.get(nugget.pk, ()))
            of_list[nugget.pk] = Meaning(nugget.number, nugget.text, into, parts)
    return found


@dataclass(frozen=True, slots=True)
class Lineage:
    """A list, and those nuggets of its earlier versions that mean the same as a nugget on the list.

    ``numbers`` maps the ids of these nuggets, and of the list's own nuggets, to numbers in this list. ``covering``
    holds the versions that contain every active nugget of the list: an item that is finished under one of them is also
    finished under the list.
    """

    nugget_list: NuggetList
    numbers: dict[int, int]
    covering: frozenset[int]


def is_first_version(nugget_list: NuggetList) -> bool:
    """Return whether no earlier list has judgments that carry over to this one: it is version 1, and not an
    adjudicator's.
    """
    return nugget_list.version == 1 and nugget_list.assignment.role != ADJUDICATOR


def lineages(lists: Iterable[NuggetList]) -> dict[int, Lineage]:
    """Return the lineage of each of these lists, by list id. Three queries, or two if all or none have earlier
    versions.

    Earlier versions are those by the list's owner and by predecessors in the chain of hand-overs. For an adjudicator's
    list, all lists that were frozen before it are taken as earlier versions, since it may be a copy of any of them.
    """
    wanted = {nugget_list.pk: nugget_list for nugget_list in lists}
    versions: dict[tuple[int, int], list[tuple[int, int]]] = {}
    topics = {nugget_list.topic_id for nugget_list in wanted.values()}
    stored = NuggetList.objects.filter(topic__in=topics).order_by("version")
    rows = list(
        stored.values_list(
            "pk", "topic_id", "version", "frozen_point", "assignment__role", begun_by("assignment__"),
        )
    )  # fmt: skip
    author: dict[int, int] = {}
    frozen: dict[int, list[tuple[int, int]]] = {}
    settling: set[int] = set()
    for pk, topic, version, point, role, author[pk] in rows:
        if role == ADJUDICATOR:
            settling.add(pk)
        if point is not None:
            versions.setdefault((topic, author[pk]), []).append((version, pk))
            frozen.setdefault(topic, []).append((point, pk))
    line = {
        pk: [other for version, other in versions.get((each.topic_id, author[pk]), ()) if version < each.version]
        for pk, each in wanted.items()
    }
    for pk in settling & wanted.keys():
        each = wanted[pk]
        line[pk] = [
            other
            for point, other in sorted(frozen.get(each.topic_id, ()))
            if other != pk and (each.frozen_point is None or point < each.frozen_point)
        ]
    alone = [pk for pk in wanted if not line[pk]]
    active = Nugget.objects.filter(nugget_list__in=alone, is_retired=False, merged_into=None).order_by("number")
    numbers: dict[int, dict[int, int]] = {}
    for pk, nugget, number in active.values_list("nugget_list_id", "pk", "number") if alone else ():
        numbers.setdefault(pk, {})[nugget] = number
    later = [pk for pk in wanted if line[pk]]
    known = meanings({*later, *(other for pk in later for other in line[pk])}) if later else {}
    return {pk: Lineage(wanted[pk], numbers.get(pk, {}), frozenset({pk})) for pk in alone} | {
        pk: _lineage(wanted[pk], [*line[pk], pk], known) for pk in later
    }


def _lineage(nugget_list: NuggetList, versions: list[int], known: dict[int, dict[int, Meaning]]) -> Lineage:
    own = set(known.get(nugget_list.pk, {}).values())
    numbers = {
        nugget: meaning.number for pk in versions for nugget, meaning in known.get(pk, {}).items() if meaning in own
    }
    covering = frozenset(pk for pk in versions if own <= set(known.get(pk, {}).values()))
    return Lineage(nugget_list, numbers, covering)


def means_the_same(nugget: Nugget, listed: int | None) -> bool:
    """Return whether the nugget with this number on another list (its id) means the same as this one. If ``listed`` is
    None, nothing is compared. Three queries if it is another list than the nugget's own, otherwise none.
    """
    if listed in (None, nugget.nugget_list_id):
        return True
    before = Nugget.objects.filter(nugget_list=listed, number=nugget.number).values_list("pk", flat=True).first()
    return before in lineages([nugget.nugget_list])[nugget.nugget_list_id].numbers


def numbers_of(campaign: Campaign, task: Task) -> dict[int, str]:
    """Return topic's id -> topic's number, for the topics of a task."""
    return dict(campaign.topics.filter(task=task.key).values_list("pk", "number"))


def match_tasks(campaign: Campaign) -> list[Task]:
    """Return the tasks of the campaign's track in which nuggets are marked."""
    return [task for task in track_of(campaign).tasks if any(stage.work.key == "matches" for stage in task.stages)]


def numbers_in(snapshot: Snapshot, task: Task) -> dict[int, str]:
    """Return topic's id -> topic's number, for those topics of a task that the snapshot covers."""
    numbers, only = numbers_of(snapshot.campaign, task), snapshot.topics
    return numbers if only is None else {pk: number for pk, number in numbers.items() if number in only}


def counting_lists(snapshot: Snapshot) -> dict[str, NuggetList]:
    """Return topic number -> the nugget list that counts, for the topics of tasks in which nuggets are marked. Topics
    without such a list are left out.
    """
    numbers = {
        pk: number for task in match_tasks(snapshot.campaign) for pk, number in numbers_in(snapshot, task).items()
    }
    lists = official_lists(numbers, at=snapshot)
    return {numbers[topic]: nugget_list for topic, nugget_list in lists.items()}


def working_lists(snapshot: Snapshot) -> list[NuggetList]:
    """Return the frozen lists whose nuggets are marked: those that count or, with the option ``own``, each assessor's.

    Of several primary assessors' or adjudicators' lists for a topic only the last is returned.
    """
    found: list[NuggetList] = []
    for task in match_tasks(snapshot.campaign):
        topics = numbers_of(snapshot.campaign, task)
        is_own = any(stage.work.key == "matches" and stage.own for stage in task.stages)
        if is_own:
            found += without_replaced(frozen_lists(topics, as_of=snapshot.as_of))
        else:
            found += official_lists(topics, at=snapshot).values()
    return found


def numbers_of_lists(lists: Iterable[NuggetList]) -> dict[int, str]:
    """Return topic's id -> topic's number, for the topics of these lists. One query."""
    topics = Topic.objects.filter(pk__in={nugget_list.topic_id for nugget_list in lists})
    return dict(topics.values_list("pk", "number"))


def as_importance(value: str) -> Importance:
    """Return the stored importance with the type that records need."""
    return "vital" if value == "vital" else "okay"
