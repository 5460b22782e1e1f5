"""The pseudonyms of assessors in exports."""

from __future__ import annotations

from django.db.models import Min

from assess.assignments.models import Assignment
from assess.base.wording import letters
from assess.campaigns.models import Campaign

MACHINE_PREFIX = "machine-"


def pseudonyms(campaign: Campaign) -> dict[int, str]:
    """Return user id -> "assessor-1", "assessor-2", …, in the order in which people got their first assignment.

    Assignments are never deleted, so a person keeps their name, whoever joins or leaves. Machine judges have separate
    names, "machine-A", "machine-B", …, so that none of them changes a person's number.
    """
    given = campaign.assignments.order_by().values("assessor_id", "role").annotate(first=Min("id")).order_by("first")
    people: dict[int, str] = {}
    machines: dict[int, str] = {}
    for row in given:
        is_machine = row["role"] == Assignment.Role.MACHINE
        names, prefix = (machines, MACHINE_PREFIX) if is_machine else (people, "assessor-")
        if row["assessor_id"] not in names:
            place = len(names) + 1
            names[row["assessor_id"]] = prefix + (letters(place) if is_machine else str(place))
    return {**people, **machines}


def pseudonyms_with_authors(campaign: Campaign) -> dict[int, str]:
    """Return `pseudonyms`, followed by names for people who drafted topics and have no assignment.

    These people are numbered in the order of their first drafts. Use it only for records of closed campaigns, since the
    next person who gets an assignment takes the next name.
    """
    names = pseudonyms(campaign)
    place = sum(not name.startswith(MACHINE_PREFIX) for name in names.values())
    for author in campaign.topic_drafts.order_by("number").values_list("author_id", flat=True):
        if author not in names:
            place += 1
            names[author] = f"assessor-{place}"
    return names
