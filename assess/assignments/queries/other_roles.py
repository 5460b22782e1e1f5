"""Who can't have a stage again, since what they would see and say in it is not what counts.

Benches and tallies ask for the newest word of a person on a thing, whatever their role was, while only the words of
some roles count, and of several primary assessors the newest.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from assess.assignments.models import Assignment
from assess.campaigns.models import Campaign
from assess.kinds.base import kinds

PRIMARY, SECOND, ADJUDICATOR = Assignment.Role.PRIMARY, Assignment.Role.SECOND, Assignment.Role.ADJUDICATOR


def recorded_in_another_role(works: QuerySet[Assignment], role: str) -> QuerySet[Assignment]:
    """Return those of these assignments whose assessors can't have the same stage in this role.

    They have another role, and something was recorded in them or they were handed over. What was recorded as primary
    assessor or adjudicator would not count any more. What was recorded as second assessor bars only the primary
    assessor's role, in which it would look like the primary assessor's and not count.
    """
    barring = (PRIMARY, SECOND, ADJUDICATOR) if role == PRIMARY else (PRIMARY, ADJUDICATOR)
    works = works.filter(role__in=barring).exclude(role=role)
    return works.filter(_recorded() | Q(handed_over__isnull=False))


def handed_on(works: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Return those of these assignments that were handed over to somebody who has them now.

    All records in a chain of hand-overs count as one person's, so whoever began it can't have the stage beside the
    person who continues it.
    """
    chain = Coalesce(OuterRef("chain_start_id"), OuterRef("pk"))
    now = Assignment.objects.filter(chain_start=chain, pk__gt=OuterRef("pk")).exclude(state=Assignment.State.RETURNED)
    return works.filter(Exists(now))


def had_before(campaign: Campaign, in_any_role: Collection[str]) -> QuerySet[Assignment]:
    """Return the live assignments that earlier versions gave out and that nobody would be given now.

    Their assessors handed the stage over to somebody who continues it. Or, in the stages ``in_any_role``, they recorded
    something in another role before. Two opinions of theirs count as one person's, or one of the two does not count.
    """
    works = campaign.assignments.filter(role__in=(PRIMARY, SECOND), topic__dropped=False)
    same = {name: OuterRef(name) for name in ("topic", "stage", "assessor")}
    before = Assignment.objects.filter(**same, pk__lt=OuterRef("pk"))
    begun_by = Coalesce(F("chain_start_id"), F("pk"))
    begun = before.alias(begun_by=begun_by).exclude(begun_by=Coalesce(OuterRef("chain_start_id"), OuterRef("pk")))
    other = before.filter(_recorded(), role__in=(PRIMARY, SECOND, ADJUDICATOR)).exclude(role=OuterRef("role"))
    doubled = Q(Exists(handed_on(begun))) | Q(Exists(other), stage__in=in_any_role)
    return works.exclude(state=Assignment.State.RETURNED).filter(doubled)


def overtaken(works: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Return those of the `followed` assignments in which their assessors recorded something.

    Their assessors can't be given the stage anew: the bench would show their own answers, although the other assessor's
    count.
    """
    return followed(works).filter(_recorded())


def followed(works: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Return those of these assignments that a later primary assessor of the stage has replaced.

    They are primary assessors' assignments. Somebody else recorded something in a later one, and their own assessor has
    no later one with anything in it. They can't be continued: of several primary assessors, the one with the newest
    assignment counts.
    """
    since = Assignment.objects.filter(
        _recorded(), topic=OuterRef("topic"), stage=OuterRef("stage"), role=PRIMARY, pk__gt=OuterRef("pk")
    )
    of_others, own = since.exclude(assessor=OuterRef("assessor")), since.filter(assessor=OuterRef("assessor"))
    return works.filter(Q(Exists(of_others)) & ~Q(Exists(own)), role=PRIMARY)


def _recorded() -> Q:
    """Return the condition for assignments in which something was recorded."""
    recorded = Q(Exists(Assignment.objects.filter(pk=OuterRef("pk"), judgments__isnull=False)))
    for kind in kinds().values():
        for ledger, path in kind.ledgers:
            recorded |= Q(Exists(ledger._default_manager.filter(**{path: OuterRef("pk")})))
    return recorded
