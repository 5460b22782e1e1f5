"""Which release supersedes which, and why: a published release stays as it is, and a corrected one names it.

The manifest of the corrected release says so (``supersedes``), and nothing else is stored.

    {"supersedes": {"archive": sha256, "manifest_sha256": sha256, "as_of": point, "reason": why}}
"""

from __future__ import annotations

from typing import Any

from assess.base.wording import renamed
from assess.campaigns.models import Campaign
from assess.judging.snapshots import Snapshot
from assess.releases.domain.archives import manifest_sha256
from assess.releases.models import Release
from assess.runs.queries import RunNames


def superseded_release(campaign: Campaign, point: int) -> Release | None:
    """Return the newest published release of an earlier ledger point than this one, or None."""
    return campaign.releases.filter(published=True, as_of__lt=point).order_by("-as_of").first()


def supersedes(snapshot: Snapshot, names: RunNames) -> dict[str, Any] | None:
    """Return the reference to the release that a release at this point corrects, or None.

    The reason is the one given when the campaign was opened again after the earlier release. Runs and teams appear in
    it under the names that they have in the release.
    """
    campaign, point = snapshot.campaign, snapshot.reached()
    earlier = superseded_release(campaign, point)
    if earlier is None:
        return None
    opened = campaign.activities.filter(action="campaign.unfreeze", id__gt=earlier.as_of, id__lt=point).order_by("id")
    reasons = [str(act.data.get("reason", "")) for act in opened]
    return {
        "archive": earlier.archive,
        "manifest_sha256": manifest_sha256(earlier.archive),
        "as_of": earlier.as_of,
        "reason": renamed(" ".join(filter(None, reasons)), names.words),
    }


def successors(campaign: Campaign) -> dict[str, Release]:
    """Return the published releases that supersede another, by the archive of the release that they supersede. One
    query.
    """
    published = campaign.releases.filter(published=True).order_by("id")
    return {each.supersedes["archive"]: each for each in published if each.supersedes is not None}


def successor_of(release: Release) -> Release | None:
    """Return the campaign's next published release after this one, or None. One query, without manifests."""
    later = Release.objects.filter(campaign=release.campaign_id, published=True, id__gt=release.pk)
    return later.defer("manifest").order_by("id").first()
