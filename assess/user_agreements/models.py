"""The user agreement that teams accept before they get documents, and who accepted it when."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.base.fields import CharField
from assess.campaigns.models import Campaign, PublishedText


class UserAgreement(PublishedText):
    """A published version of a campaign's user agreement. Teams accept the newest."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="user_agreements")

    class Meta(PublishedText.Meta):
        constraints = [models.UniqueConstraint(fields=["campaign", "version"], name="one_agreement_a_version")]

    def __str__(self) -> str:
        return f"user agreement {self.version} of {self.campaign}"


class Acceptance(models.Model):
    """A team's acceptance of a version, given by a member, or by an organiser who has it on paper (``note``)."""

    agreement = models.ForeignKey(UserAgreement, on_delete=models.CASCADE, related_name="acceptances")
    team = CharField(max_length=50)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField(auto_now_add=True)
    note = CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["team"]
        constraints = [models.UniqueConstraint(fields=["agreement", "team"], name="one_acceptance_a_team")]

    def __str__(self) -> str:
        return f"{self.team} accepted {self.agreement}"
