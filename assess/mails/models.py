"""Who wants which notices by mail, and up to which point a campaign's notices have been sent."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from assess.base.fields import CharField
from assess.campaigns.models import Campaign


class MailWish(models.Model):
    """The notices that a person wants by mail, and since when. The notices are keys of `NOTICES` in `queries`,
    separated by spaces.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+")
    notices = CharField(max_length=100, blank=True)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.user}: {self.notices}"


class MailedUpTo(models.Model):
    """The ledger point of a campaign up to which notices were sent, and the deadline whose notice was sent."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, primary_key=True, related_name="+")
    point = models.BigIntegerField()
    deadline = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.campaign} up to {self.point}"
