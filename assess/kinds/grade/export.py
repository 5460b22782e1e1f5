"""Judgments of items as acts of judgments.jsonl."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from assess.assignments.models import Assignment
from assess.assignments.queries.handoffs import topics_of_successors
from assess.campaigns.designs import version_of, version_points
from assess.campaigns.queries import track_of
from assess.exports.queries import topics_in_turn
from assess.exports.writing import own_key_of, role_of
from assess.judging.queries.current import judgments_in_topics, superseded_judgments
from assess.judging.snapshots import Snapshot
from scoring.release.recorded_acts import LIKE, Evidence, Judged, RecordedAct

CHUNK = 2000
WORK = "grade"


def judged_acts(snapshot: Snapshot, names: Mapping[int, str]) -> Iterator[RecordedAct]:
    """Yield the judgments of grading stages as acts, as `acts_of_stages` does.

    Of several primary assessors of an item, only the newest one's judgment is exported. The same holds of adjudicators
    and of the second assessors in one chain of hand-overs.
    """
    roles = (Assignment.Role.PRIMARY, Assignment.Role.SECOND, Assignment.Role.ADJUDICATOR)
    return acts_of_stages(snapshot, names, work=WORK, replacing=roles)


def acts_of_stages(
    snapshot: Snapshot, names: Mapping[int, str], *, work: str, replacing: Collection[str]
) -> Iterator[Judged]:
    """Yield everybody's current judgments in the stages of one kind of work, topic by topic.

    ``replacing`` has the roles in which the judgment of an item by a later person, such as after a hand-over, replaces
    that of an earlier one.
    """
    campaign = snapshot.campaign
    asking = {
        (stage.key, criterion.key)
        for task in track_of(campaign).tasks
        for stage in task.stages
        for criterion in stage.criteria
        if stage.work.key == work
    }
    shared = topics_of_successors(campaign)
    points = version_points(campaign, snapshot.as_of)
    for batch in topics_in_turn(campaign, snapshot.topics):
        numbers = {topic: record.number for record, topic in batch}
        current = judgments_in_topics(campaign, list(numbers), as_of=snapshot.as_of)
        if several := shared & set(numbers):
            old = superseded_judgments(several, as_of=snapshot.as_of)
            current = current.exclude(pk__in=old, assignment__role__in=replacing)
        rows = current.values_list(*_JUDGED_FIELDS)
        for stage, criterion, value, given, note, evidence, draft, order, how, by, role, *about in rows.iterator(CHUNK):
            if (stage, criterion) in asking:
                topic, key, docno, text, row, said = about
                version = version_of(points, row, said)
                yield Judged(
                    by=names[by],
                    topic=numbers[topic],
                    criterion=criterion,
                    value=value,
                    given=given or {},
                    note=note,
                    role=role_of(role),
                    evidence=tuple(_snippets(evidence)),
                    draft=draft or "",
                    order=tuple(order or ()),
                    version=version if version <= len(points) else 0,
                    how=how if how == LIKE else "",
                    docno=docno,
                    answer=text,
                    key=own_key_of(key, text, docno),
                )


_JUDGED_FIELDS = (
    *(
        "assignment__stage",
        "criterion",
        "value",
        "given",
        "note",
        "evidence",
        "draft",
        "grade_order",
        "how",
        "assessor_id",
        "assignment__role",
    ),
    *("item__topic_id", "item__key", "item__docno", "item__text", "id", "design_version"),
)


def _snippets(evidence: object) -> Iterator[Evidence]:
    """Yield the snippets stored with a judgment."""
    for each in evidence if isinstance(evidence, list) else ():
        yield Evidence(
            quote=each["quote"], start=each.get("start", -1), value=each.get("value"), label=each.get("label", "")
        )
