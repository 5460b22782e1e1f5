"""Why judging was stopped, as the manifest of a release says it (``stopped``).

Each entry has the reason, the ``works`` that ended (their line numbers in the table of work, from 1), and how much was
``left`` unjudged in each. The member is missing if everything was judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.contrib.auth.models import User

from assess.assignments.models import Assignment
from assess.assignments.queries.stops import STOP
from assess.base.wording import renamed
from assess.campaigns.activity import record_activity
from assess.campaigns.models import Campaign
from assess.judging.snapshots import Snapshot
from assess.runs.queries import RunNames
from scoring.release.releases import WORK, BadRelease, Release


def stopped_work(snapshot: Snapshot, names: RunNames) -> Iterator[dict[str, Any]]:
    """Yield an entry of the manifest (above) for each act that stopped work which is still stopped, in ledger order.

    Runs and teams have the names of the release.
    """
    campaign = snapshot.campaign
    order = {pk: line for line, pk in enumerate(campaign.assignments.order_by("id").values_list("pk", flat=True), 1)}
    stopped = set(campaign.assignments.filter(state=Assignment.State.STOPPED).values_list("pk", flat=True))
    found = []
    for act in campaign.activities.filter(action=STOP, id__lte=snapshot.reached()).order_by("-id"):
        each = zip(act.data["works"], act.data["left"], strict=True)
        pairs = [(work, left) for work, left in each if work in stopped]
        stopped -= {work for work, _ in pairs}
        if pairs:
            reason = renamed(act.data["reason"], names.words)
            lines = [order[work] for work, _ in pairs]
            found.append({"reason": reason, "works": lines, "left": [left for _, left in pairs]})
    yield from reversed(found)


def add_stopped_work(*, actor: User, campaign: Campaign, release: Release, works: Sequence[Assignment]) -> None:
    """Record the acts that stopped work, as the release's manifest lists them. Needs a transaction.

    ``works`` are the campaign's assignments in the order of the file of work. Raises `BadRelease` for a malformed entry
    and for unknown work.
    """
    stops: Any = release.manifest.get("stopped", [])
    for stop in stops if isinstance(stops, list) else [None]:
        said: dict[str, Any] = stop if isinstance(stop, dict) else {}
        lines, left = _numbers(said.get("works")), _numbers(said.get("left"))
        is_whole = isinstance(said.get("reason"), str) and lines and len(lines) == len(left)
        if not is_whole or not all(1 <= line <= len(works) for line in lines):
            raise BadRelease(
                "manifest.json: “stopped” must be a list of objects with the reason, the works that ended (their lines "
                f"of {WORK}) and how much is left in each"
            )
        data = {"reason": said["reason"], "works": [works[line - 1].pk for line in lines], "left": left}
        data |= {"stages": [], "topics": []}
        record_activity(actor=actor, action=STOP, campaign=campaign, about=campaign, data=data)


def _numbers(values: Any) -> list[int]:
    return values if isinstance(values, list) and all(type(value) is int for value in values) else []
