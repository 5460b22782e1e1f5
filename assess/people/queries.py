"""What is read of members beside their accounts."""

from __future__ import annotations

from django.db.models import OuterRef, Subquery

from assess.people.models import Invitation


def note_of_invitation() -> Subquery:
    """Annotate a membership with the note of the invitation by which its person came last; None without any."""
    accepted = Invitation.objects.filter(campaign=OuterRef("campaign"), accepted_by=OuterRef("user")).exclude(note="")
    return Subquery(accepted.order_by("-accepted_at", "-id").values("note")[:1])
