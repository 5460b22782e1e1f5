"""Who can't have a stage in a role, since what they recorded in it in another role counts.

Only the newest word of a person on a thing is asked for, whatever their role was: judging the stage again in a role
that does not count would take away what counted.
"""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet

from assess.assignments.models import Assignment
from assess.kinds.base import kinds

COUNTING = (Assignment.Role.PRIMARY, Assignment.Role.ADJUDICATOR)


def counting_in_another_role(works: QuerySet[Assignment], role: str) -> QuerySet[Assignment]:
    """Return those of these assignments whose assessors can't have the same stage in this role.

    They are primary assessors' and adjudicators' in which something was recorded, or which were handed over.
    """
    judged = Assignment.objects.filter(pk=OuterRef("pk"), judgments__isnull=False)
    recorded = Q(Exists(judged)) | Q(handed_over__isnull=False)
    for kind in kinds().values():
        for ledger, path in kind.ledgers:
            recorded |= Q(Exists(ledger._default_manager.filter(**{path: OuterRef("pk")})))
    return works.filter(recorded, role__in=COUNTING).exclude(role=role)
