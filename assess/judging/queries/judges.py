"""The judges of a campaign as sets of values that can be compared: by role, by person, by machine.

"official" is the set that counts: the adjudicator's value, or else the primary assessor's. "primary", "second" and
"adjudicated" are the judgments made in these roles. "assessor-1" is one person's own, as primary or second assessor;
their decisions as adjudicator are left out, since they saw the others' values. "machine-A" is one machine judge's.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain

from django.contrib.auth.models import User
from django.db.models import QuerySet, Subquery

from assess.assignments.models import Assignment
from assess.assignments.queries.pseudonyms import MACHINE_PREFIX, pseudonyms
from assess.base.sentences import CatalogueText, Sentence
from assess.base.track_settings import noop
from assess.campaigns.models import Campaign
from assess.judging.models import Judgment
from assess.judging.queries.current import current_judgments, official_judgments, work_now
from assess.judging.queries.picked import counting_picks
from assess.judging.snapshots import OFFICIAL_COUNTING, CountingRule, Snapshot

OFFICIAL = "official"
ROLES = {
    "primary": (Assignment.Role.PRIMARY, noop("primary assessor")),
    "second": (Assignment.Role.SECOND, noop("second assessor")),
    "adjudicated": (Assignment.Role.ADJUDICATOR, noop("adjudicator")),
}
INDEPENDENT = (Assignment.Role.PRIMARY, Assignment.Role.SECOND)
CHUNK = 5_000


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeSet:
    """One set of values that can be compared with others.

    ``kind`` is "official", "role", "assessor" or "machine"; ``user_id`` is the person or machine, if the set has one.
    ``key`` names the set in addresses and exports, without a person's name; ``label`` is for organisers and may contain
    one. Pages translate the labels of roles and machines (the filter `told`).
    """

    key: str
    label: str
    kind: str
    user_id: int | None = None


def judges_of(campaign: Campaign) -> tuple[JudgeSet, ...]:
    """Return the sets of values of a campaign: official, one for each role in use, each assessor and each machine.

    A set may be empty if its judges have not begun. Three queries.
    """
    given = campaign.assignments.filter(topic__dropped=False).order_by().values_list("assessor_id", "role").distinct()
    names = pseudonyms(campaign)
    people = dict(User.objects.filter(pk__in=list(names)).values_list("pk", "username"))
    held: dict[int, set[str]] = {}
    for user, role in given:
        held.setdefault(user, set()).add(role)
    roles = set().union(*held.values())
    found = [JudgeSet(key=OFFICIAL, label=CatalogueText(noop("official")), kind="official")]
    found += [
        JudgeSet(key=key, label=CatalogueText(label), kind="role")
        for key, (role, label) in ROLES.items()
        if role in roles
    ]
    for user, name in sorted(names.items(), key=lambda pair: (pair[1].startswith(MACHINE_PREFIX), _rank(pair[1]))):
        if user not in held:
            continue  # all their assignments are on dropped topics
        if is_machine_name(name):
            letter = name.removeprefix(MACHINE_PREFIX)
            label: str = Sentence("machine judge %(letter)s (%(name)s)", letter=letter, name=people[user])
            found.append(JudgeSet(key=name, label=label, kind="machine", user_id=user))
        elif held[user] & set(INDEPENDENT):
            label = name if people[user] == name else f"{people[user]} ({name})"
            found.append(JudgeSet(key=name, label=label, kind="assessor", user_id=user))
    return tuple(found)


def counting_of(judge: JudgeSet) -> CountingRule:
    """Return the rule that counts only the judgments of a judge set."""
    if judge.kind == "official":
        return OFFICIAL_COUNTING
    if judge.kind == "role":
        return CountingRule(roles=(ROLES[judge.key][0],))
    roles = (Assignment.Role.MACHINE,) if judge.kind == "machine" else INDEPENDENT
    return CountingRule(roles=tuple(roles), assessor=judge.user_id)


def is_machine_name(name: str) -> bool:
    """Return whether a key or pseudonym belongs to a machine judge.

    >>> is_machine_name("machine-A"), is_machine_name("assessor-1")
    (True, False)
    """
    return name.startswith(MACHINE_PREFIX)


def values_of(
    snapshot: Snapshot, judge_key: str, criterion: str, *, topics: Iterable[int] | None = None, drafted: bool = True
) -> dict[tuple[str, str], int]:
    """Return a judge set's values for a criterion: (topic number, "kind:key" of the item) -> value, in ledger order.

    If the set has several values for one item, the newest counts. For second assessors, it is the value of the one who
    got the work last, since an imported release has no order of acts. Of several lists of picks, the newest counts.
    Items that repeat others are left out; if ``drafted`` is false, so are judgments made with a machine's judgment on
    the screen. ``topics`` (ids), or else those of the snapshot, narrow the search. An unknown key gives an empty
    mapping. Three queries at most, and five for each criterion by which items are picked.
    """
    if topics is None and snapshot.topics is not None:
        topics = snapshot.campaign.topics.filter(number__in=snapshot.topics).values_list("pk", flat=True)
    rows = _rows_of(snapshot, judge_key, topics=topics)
    rows = rows.filter(criterion=criterion, item__repeats__isnull=True, value__isnull=False)
    if not drafted:
        rows = rows.filter(draft__isnull=True)
    fields = ("item__topic__number", "item__kind", "item__key", "value")
    order = (Subquery(work_now().values("pk")[:1]), "id") if judge_key == "second" else ("id",)
    said = rows.order_by(*order).values_list(*fields).iterator(CHUNK)
    return {(topic, f"{kind}:{key}"): value for topic, kind, key, value in said if value is not None}


def _rows_of(snapshot: Snapshot, judge_key: str, *, topics: Iterable[int] | None) -> QuerySet[Judgment]:
    if judge_key == OFFICIAL:
        return official_judgments(snapshot, topics=topics)
    if judge_key in ROLES:
        counting = CountingRule(roles=(ROLES[judge_key][0],))
    else:
        user = next((user for user, name in pseudonyms(snapshot.campaign).items() if name == judge_key), None)
        if user is None:
            return Judgment.objects.none()
        roles = (Assignment.Role.MACHINE,) if is_machine_name(judge_key) else INDEPENDENT
        counting = CountingRule(roles=roles, assessor=user)
    rows = current_judgments(snapshot).filter(**counting.where("assignment__role", "assessor"))
    if topics is not None:
        rows = rows.filter(item__topic__in=list(topics))
    if not (lists := counting_picks(replace(snapshot, counting=counting), topics=topics)):
        return rows
    return rows.exclude(criterion__in=list(lists)) | Judgment.objects.filter(
        pk__in=[*chain.from_iterable(lists.values())]
    )


def _rank(name: str) -> tuple[int, str]:
    """Return a sort key that puts assessor-10 after assessor-9."""
    return len(name), name
