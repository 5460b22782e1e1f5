"""A part of the exports: one topic's, one assessor's, or the second assessors' judgments.

It has the files of the whole, but only with these topics, and as if only the chosen judges' judgments counted. Nugget
lists and answer classes are the official ones, since others' marks refer to them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import pseudonyms
from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from assess.judging.queries.judges import OFFICIAL, JudgeSet, counting_of, judges_of
from assess.judging.snapshots import OFFICIAL_COUNTING, CountingRule, Snapshot
from scoring.records import ItemGrade, OwnedMatch, OwnedReview
from scoring.release.recorded_acts import TopicMarks

PRIMARY = Assignment.Role.PRIMARY.value


def part_of(campaign: Campaign, as_of: int | None = None, *, topics: str = "", judges: str = "") -> Snapshot:
    """Return the snapshot for the exports of a part; without topics and judges, for the whole.

    ``topics`` are numbers separated by commas or spaces; a topic that groups others includes them. ``judges`` is the
    key of a `JudgeSet`; without ``topics``, the part has the topics in which this set has an assignment. Raises
    `Invalid` for an unknown topic or judge, and for judges without an assignment in these topics.
    """
    snapshot = Snapshot(campaign, as_of)
    counting, numbers = OFFICIAL_COUNTING, _topics_named(campaign, topics)
    if (key := judges.strip() or OFFICIAL) != OFFICIAL:
        counting = counting_of(_judge_named(campaign, key))
        worked = _topics_worked_in(campaign, counting)
        numbers = worked if numbers is None else numbers & worked
        if not numbers:
            raise Invalid(
                gettext("%(judge)s has no work here, so there is nothing to export. Choose other topics or judges.")
                % {"judge": key},
                field="judges",
            )
    return replace(snapshot, counting=counting, topics=numbers)


def is_part(snapshot: Snapshot) -> bool:
    """Return whether a snapshot covers less than the whole campaign."""
    return snapshot.topics is not None or not snapshot.counting.is_official


def part_arguments(snapshot: Snapshot) -> dict[str, Any]:
    """Return the part as arguments of a job; empty for the whole."""
    if not is_part(snapshot):
        return {}
    return {
        "topics": None if snapshot.topics is None else sorted(snapshot.topics),
        "roles": list(snapshot.counting.roles),
        "assessor": snapshot.counting.assessor,
    }


def part_for_job(campaign: Campaign, arguments: dict[str, Any]) -> Snapshot:
    """Return the snapshot of the part that a job's arguments describe (`part_arguments`)."""
    topics, counting = arguments.get("topics"), OFFICIAL_COUNTING
    if "roles" in arguments:
        counting = CountingRule(roles=tuple(arguments["roles"]), assessor=arguments["assessor"])
    return Snapshot(campaign, arguments["as_of"], counting, None if topics is None else frozenset(topics))


def part_values(snapshot: Snapshot) -> dict[str, Any]:
    """Return a manifest's description of the part; empty for the whole."""
    if not is_part(snapshot):
        return {}
    return part_arguments(snapshot) | {"assessor": pseudonyms(snapshot.campaign).get(snapshot.counting.assessor or 0)}


def narrowed(snapshot: Snapshot, records: Iterable[Any], *, is_of_all: bool) -> Iterable[Any]:
    """Return a collector's records that belong to the part; all of them for the whole.

    ``is_of_all`` means that the records are acts of everybody, official or not. Collectors themselves narrow the
    records of second assessors' work (`Snapshot.admits_second`), since not every such record names its judge.
    """
    if snapshot.topics is not None:
        records = _of_topics(snapshot, snapshot.topics, records)
    if not snapshot.counting.is_official:
        names = {name: person for person, name in pseudonyms(snapshot.campaign).items()}
        is_said = _said_by(snapshot.counting, names, is_of_all=is_of_all)
        each_alone = (
            one for record in records for one in (record.acts() if isinstance(record, TopicMarks) else (record,))
        )
        records = (record for record in each_alone if is_said(record))
    return records


def _of_topics(snapshot: Snapshot, topics: frozenset[str], records: Iterable[Any]) -> Iterator[Any]:
    """Yield the records of these topics; if the records are topics, include those that group them."""
    above = dict(snapshot.campaign.topics.exclude(parent=None).values_list("number", "parent__number"))
    shown = set(topics)
    for number in topics:
        while number := above.get(number, ""):
            shown.add(number)
    for record in records:
        if record.topic in topics if hasattr(record, "topic") else record.number in shown:
            yield record


def _said_by(counting: CountingRule, people: dict[str, int], *, is_of_all: bool) -> Callable[[Any], bool]:
    """Return a function that returns whether a record belongs to the judges that count, or to nobody in particular."""

    def is_said(record: Any) -> bool:
        if is_of_all or isinstance(record, ItemGrade | OwnedMatch | OwnedReview):
            return not record.by or counting.admits(people.get(record.by, 0), record.role or PRIMARY)
        return True

    return is_said


def _judge_named(campaign: Campaign, key: str) -> JudgeSet:
    known = judges_of(campaign)
    found = next((judge for judge in known if judge.key == key), None)
    if found is None:
        raise Invalid(
            gettext("There is no judge “%(judge)s”. Judges: %(judges)s.")
            % {"judge": key[:40], "judges": ", ".join(judge.key for judge in known)},
            field="judges",
        )
    return found


def _topics_named(campaign: Campaign, text: str) -> frozenset[str] | None:
    """Return the numbers of the named topics and of those that they group; None if none is named. Raises `Invalid` for
    an unknown one.
    """
    wanted = {number for number in re.split(r"[,\s]+", text) if number}
    if not wanted:
        return None
    topics = dict(campaign.topics.values_list("number", "parent__number"))
    if strange := sorted(wanted - topics.keys()):
        raise Invalid(
            gettext("%(number)s is no topic of this campaign, so nothing was exported.") % {"number": strange[0][:40]},
            field="topic",
        )
    while more := {number for number, parent in topics.items() if parent in wanted} - wanted:
        wanted |= more
    return frozenset(wanted)


def _topics_worked_in(campaign: Campaign, counting: CountingRule) -> frozenset[str]:
    works = campaign.assignments.filter(topic__dropped=False, **counting.where("role", "assessor")).order_by()
    return frozenset(works.values_list("topic__number", flat=True))
