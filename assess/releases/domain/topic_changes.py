"""Write and read the changes to topics in a release: topics amended, dropped, restored or removed.

A line has the data of the recorded change, with runs and teams under their names in the release:

    do       amend, drop, restore or remove
    number   the topic that was named
    topics   all topics that changed with it
    reason   why
    before, after   of an amendment: key of the text -> the text as it was, and as it is
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib.auth.models import User

from assess.base.wording import renamed
from assess.campaigns.activity import REASON_LIMIT, record_activity
from assess.campaigns.models import Campaign
from assess.judging.snapshots import Snapshot
from assess.releases.domain.import_rows import ReleaseRows
from assess.releases.domain.import_shapes import Check, list_whose, mapping_of, one_of, text
from assess.runs.queries import RunNames
from assess.topics.domain.changing import AMEND, DROP, REMOVE, RESTORE, WORDING_LIMIT
from assess.topics.models import Topic
from assess.topics.queries import all_topics
from scoring.release.releases import TOPIC_CHANGES, BadRelease, dropped_by

ACTIONS = {action.removeprefix("topics."): action for action in (AMEND, DROP, RESTORE, REMOVE)}
MEMBERS: Mapping[str, Check] = {
    "do": one_of(*ACTIONS),
    "number": text(100),
    "topics": list_whose(text(100)),
    "reason": text(REASON_LIMIT),
}
FURTHER: Mapping[str, Check] = {
    "before": mapping_of(text(100), text(WORDING_LIMIT)),
    "after": mapping_of(text(100), text(WORDING_LIMIT)),
    "text": text(WORDING_LIMIT),
}
"""Further members. An amendment has the texts before and after; a removal has the text of the topic, which is stored
nowhere else.
"""


def topic_changes(snapshot: Snapshot, names: RunNames) -> Iterator[dict[str, Any]]:
    """Yield what was changed in the topics up to the snapshot's point, in ledger order: amended, dropped, restored,
    removed.

    Runs and teams in the reasons have the names of the release. One query.
    """
    rows = snapshot.campaign.activities.filter(action__in=ACTIONS.values(), id__lte=snapshot.reached()).order_by("id")
    for act in rows:
        yield {"do": act.action.removeprefix("topics."), **renamed_reason(act.data, names.words)}


def add_topic_changes(*, actor: User, campaign: Campaign, rows: ReleaseRows) -> None:
    """Record a release's changes of topics as they were, and drop the topics that it dropped. Needs a transaction.

    Does nothing if the release has no such file. Raises `BadRelease` for a change that is malformed or of no topic.
    """
    if TOPIC_CHANGES not in rows.release.files:
        return
    topics = {topic.number: topic for topic in all_topics(campaign)}
    changes: list[dict[str, Any]] = []
    for number, row in enumerate(rows.table(TOPIC_CHANGES, MEMBERS, FURTHER), start=1):
        where = f"{TOPIC_CHANGES}: line {number}"
        if row["do"] == "amend" and (not row["before"] or (row["before"] or {}).keys() != (row["after"] or {}).keys()):
            raise BadRelease(f"{where}: an amendment says in “before” and “after” how the same texts were and are")
        if row["do"] != "remove" and any(each not in topics for each in (row["number"], *row["topics"])):
            raise BadRelease(f"{where} is of no topic of the release")
        changes.append(row)
        data = {name: row[name] for name in ("number", "topics", "reason", *FURTHER) if row[name] is not None}
        about = topics.get(row["number"])
        record_activity(actor=actor, action=ACTIONS[row["do"]], campaign=campaign, about=about, data=data)
    dropped = [number for number, _ in dropped_by(changes)]
    Topic.with_dropped.filter(campaign=campaign, number__in=dropped).update(dropped=True)


def renamed_reason(data: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the data of an act, with every run and team in its reason under its name in a release."""
    return {**data, "reason": renamed(data["reason"], names)}
