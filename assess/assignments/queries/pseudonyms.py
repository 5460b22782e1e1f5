"""The names under which assessors appear in what is exported."""

from __future__ import annotations

from django.db.models import Min

from assess.assignments.models import Assignment
from assess.base.wording import letters
from assess.campaigns.models import Campaign

MACHINE_PREFIX = "machine-"


def pseudonyms(campaign: Campaign) -> dict[int, str]:
    """User id -> "assessor-1", "assessor-2", … in the order in which people were first given work.

    Work is never deleted, so a name once given stays with its person, whoever joins or leaves. Machine judges have
    names of their own, "machine-A", "machine-B", …, so that none of them moves a person's number.
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
    """Return the same names, and behind them one for everybody who drafted topics and was given no work, by their first
    draft.

    Only for records of closed campaigns, since the next person who is given work takes the next name.
    """
    names = pseudonyms(campaign)
    place = sum(not name.startswith(MACHINE_PREFIX) for name in names.values())
    for author in campaign.topic_drafts.order_by("number").values_list("author_id", flat=True):
        if author not in names:
            place += 1
            names[author] = f"assessor-{place}"
    return names
