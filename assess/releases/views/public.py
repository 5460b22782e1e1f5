"""The public page of a release: the only pages of a campaign that need no account.

They show what stands in the archive that they offer, and nothing else of the campaign.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from assess.base.prose import read_blocks
from assess.campaigns.queries import known_track
from assess.releases.access import access_public_release
from assess.releases.domain.archives import archive_size, manifest_sha256, release_readme
from assess.releases.domain.succession import successor_of
from assess.releases.downloads import archive_download
from assess.web.page import render_page
from assess.web.table import Column, make_table

FILES = (
    Column(key="file", label=gettext_lazy("File"), value=lambda each: each[0]),
    Column(key="size", label=gettext_lazy("Bytes"), value=lambda each: each[1]["size"], number=True),
    Column(key="sha256", label="sha256", value=lambda each: each[1]["sha256"]),
)


@require_safe
def public_release(request: HttpRequest, slug: str, as_of: int | None = None) -> HttpResponse:
    """Show the newest public release of a campaign, or the one of a ledger point, to anybody."""
    release = access_public_release(slug, as_of)
    manifest = release.manifest
    track = known_track(release.campaign)
    return render_page(
        request,
        "assess/releases/public.html",
        release=release,
        manifest=manifest,
        slug=slug,
        address=request.build_absolute_uri(reverse("public-release-point", args=[slug, release.as_of])),
        evaluation=track.label if track is not None else manifest["track"],
        sha256=manifest_sha256(release.archive),
        size=archive_size(release.archive),
        blocks=read_blocks(release_readme(release.archive)),
        successor=successor_of(release),
        table=make_table(request, list(manifest["files"].items()), columns=FILES, order="file"),
    )


@require_safe
def public_release_file(request: HttpRequest, slug: str, as_of: int) -> HttpResponseBase:
    """Return the archive of a public release as a download, which can be continued where it broke off.

    A proxy may store it, but has to ask each time whether it is still public; its bytes are not sent again for that.
    """
    answer = archive_download(request, slug, access_public_release(slug, as_of))
    answer["Cache-Control"] = "public, no-cache"
    return answer
