"""Releases: what a campaign published, and the ledger point that it was made of; imports of them under way."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from assess.base.fields import CharField, JSONField
from assess.campaigns.models import Campaign


class Release(models.Model):
    """One release. ``manifest`` is the manifest file's content; ``archive`` the sha256 of the stored zip.

    Made again from the same ledger point it is the same, byte for byte. Participants see scores once it is
    ``published``.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="releases")
    as_of = models.BigIntegerField()
    manifest = JSONField()
    archive = CharField(max_length=64)
    code_version = CharField(max_length=50)
    published = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]

    @property
    def supersedes(self) -> dict[str, Any] | None:
        """The release that it corrects, as archive, manifest_sha256, as_of and reason; None where it corrects none."""
        said: dict[str, Any] | None = self.manifest.get("supersedes")
        return said

    def __str__(self) -> str:
        return f"release of {self.campaign} as of {self.as_of}"


class UnfinishedImport(models.Model):
    """A campaign that is being made from a release: as long as this row is there, nobody sees it."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="unfinished_import")
    started_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"import of {self.campaign}"
