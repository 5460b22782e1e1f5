"""The people who may be notified of an activity by mail. A notice names the campaign and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from assess.assignments.models import Assignment, HelpRequest
from assess.campaigns.models import JUDGES, Activity, Campaign, Role
from assess.mails.models import MailWish
from assess.runs.models import Run

NOTICES: Mapping[str, Promise] = {
    "work": gettext_lazy("New work is handed out to you."),
    "run": gettext_lazy("A run of your team has been checked."),
    "answer": gettext_lazy("A question that you asked is answered."),
    "guidelines": gettext_lazy("The guidelines have changed."),
    "deadline": gettext_lazy("The deadline for runs is near."),
    "release": gettext_lazy("A release is out."),
}
"""Each notice with its sentence. No sentence says what was judged, by whom or how, so that it can't bias anybody."""
OF_ACTION: Mapping[str, str] = {
    "assignment.create": "work",
    "assignment.hand_over": "work",
    "run.accept": "run",
    "run.reject": "run",
    "help.answer": "answer",
    "guideline.publish": "guidelines",
    "release.publish": "release",
}


def people_concerned(campaign: Campaign, act: Activity) -> set[int]:
    """Return the ids of the people whom an activity of `OF_ACTION` concerns, without the one who did it. At most two
    queries.
    """
    notice, pk = OF_ACTION[act.action], act.object_id
    if notice == "work":
        found = {*Assignment.objects.filter(campaign=campaign, pk=pk).values_list("assessor_id", flat=True)}
    elif notice == "answer":
        asked = HelpRequest.objects.filter(assignment__campaign=campaign, pk=pk)
        found = {*asked.values_list("assignment__assessor_id", flat=True)}
    elif notice == "run":
        teams = Run.objects.filter(campaign=campaign, pk=pk).values("team")
        found = _members(campaign, role=Role.PARTICIPANT, team__in=teams)
    else:
        found = _members(campaign, role__in=JUDGES) if notice == "guidelines" else _members(campaign)
    return found - {act.actor_id or 0}


def participants(campaign: Campaign) -> set[int]:
    """Return the ids of the people who take part with runs. One query."""
    return _members(campaign, role=Role.PARTICIPANT)


def _members(campaign: Campaign, **narrowed: object) -> set[int]:
    return {*campaign.memberships.filter(is_machine=False, **narrowed).values_list("user_id", flat=True)}


def wanted_notices(person: User) -> list[str]:
    """Return the notices that a person wants. One query."""
    wish = MailWish.objects.filter(user=person).first()
    return wish.notices.split() if wish is not None else []
