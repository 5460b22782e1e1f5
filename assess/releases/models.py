"""Releases, which a campaign published as of a ledger point; imports of releases that are under way; and jobs of the
whole site.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models

from assess.base.fields import CharField, JSONField
from assess.campaigns.models import Campaign
from assess.jobs.models import LongJob


class Release(models.Model):
    """A release. ``manifest`` is the content of its manifest file; ``archive`` is the sha256 of the stored zip.

    If it is made again from the same ledger point, it has the same bytes. Participants see scores once it is
    ``published``. A published release that is ``public`` has a page that anybody can open.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="releases")
    as_of = models.BigIntegerField()
    manifest = JSONField()
    archive = CharField(max_length=64)
    code_version = CharField(max_length=50)
    published = models.BooleanField(default=False)
    public = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(public=False) | models.Q(published=True), name="public_release_published"
            )
        ]

    @property
    def number_of_files(self) -> int:
        """How many files the archive holds: those that the manifest lists, and the manifest itself."""
        return len(self.manifest["files"]) + 1

    @property
    def supersedes(self) -> dict[str, Any] | None:
        """The release that this one corrects (archive, manifest_sha256, as_of, reason); None if it corrects none."""
        said: dict[str, Any] | None = self.manifest.get("supersedes")
        return said

    def __str__(self) -> str:
        return f"release of {self.campaign} as of {self.as_of}"


class UnfinishedImport(models.Model):
    """Marks a campaign that is being made from a release. Nobody sees the campaign while this row exists."""

    campaign = models.OneToOneField(Campaign, on_delete=models.CASCADE, related_name="unfinished_import")
    started_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"import of {self.campaign}"


class SiteJob(LongJob):
    """A long job that belongs to no campaign: a release imported as a new one, or a backup of the whole site.

    ``arguments`` of an import are ``sha256``, ``slug`` and ``title``; ``sha256`` is removed when the file is dropped.
    An import whose worker was lost is done by the next one; a backup has failed then. ``size`` is that of the backup's
    file in bytes.
    """

    class Kind(models.TextChoices):
        IMPORT = "import"
        BACKUP = "backup"

    kind = CharField(max_length=10, choices=Kind)
    size = models.BigIntegerField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} of the site ({self.state})"

    @property
    def name(self) -> str:
        """The name under which the process that does the job locks it (`assess.jobs.workers.holding`)."""
        return f"site-{self.pk}"
