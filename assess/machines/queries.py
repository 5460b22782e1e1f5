"""The machine judges of a campaign, with how much each has said."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Max

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX, pseudonyms
from assess.campaigns.models import Activity, Campaign
from assess.campaigns.queries import track_of
from assess.judging.models import Judgment

MACHINE = Assignment.Role.MACHINE


@dataclass(frozen=True, kw_only=True, slots=True)
class Machine:
    """One machine judge. ``letter`` is what assessors see of its name; "" until it has said anything.

    ``topics`` counts those it judged by the label of the stage, ``items`` the items that it graded.
    """

    id: int
    name: str
    username: str
    letter: str
    topics: dict[str, int]
    items: int
    last: object | None

    @property
    def key(self) -> str:
        """Its key in comparisons and exports; "" until it has said anything."""
        return MACHINE_PREFIX + self.letter if self.letter else ""


def machines_of(campaign: Campaign) -> list[Machine]:
    """Every machine judge, in the order of their letters. Five queries."""
    members = campaign.memberships.filter(is_machine=True).select_related("user").order_by("id")
    names = pseudonyms(campaign)
    labels = {stage.key: stage.label for task in track_of(campaign).tasks for stage in task.stages}
    topics: dict[int, dict[str, int]] = {}
    held = (
        campaign.assignments.filter(role=MACHINE, topic__dropped=False).order_by().values_list("assessor_id", "stage")
    )
    for user, stage in held:
        of_user = topics.setdefault(user, {})
        of_user[labels.get(stage, stage)] = of_user.get(labels.get(stage, stage), 0) + 1
    graded = Judgment.objects.filter(
        assignment__campaign=campaign, assignment__role=MACHINE, item__topic__dropped=False
    ).order_by()
    counts = dict(graded.values_list("assessor_id").annotate(items=Count("item_id", distinct=True)))
    imports = Activity.objects.filter(campaign=campaign, action="machine.import")
    last = dict(imports.order_by().values_list("data__machine").annotate(last=Max("created_at")))
    found = [
        Machine(
            id=member.user_id,
            name=member.user.first_name or member.user.username,
            username=member.user.username,
            letter=names.get(member.user_id, "").removeprefix(MACHINE_PREFIX),
            topics=topics.get(member.user_id, {}),
            items=counts.get(member.user_id, 0),
            last=last.get(member.user_id),
        )
        for member in members
    ]
    return sorted(found, key=lambda machine: (machine.letter == "", len(machine.letter), machine.letter, machine.name))
