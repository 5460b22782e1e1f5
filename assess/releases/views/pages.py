"""The pages of a campaign's releases: making, downloading and publishing them, and the key for organisers."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from assess.base.errors import NotFound, Refused
from assess.campaigns.models import Campaign
from assess.campaigns.queries import is_corrected
from assess.campaigns.seats import Seat, access_as_organiser, access_seat
from assess.jobs.models import Job
from assess.organising.queries.overview import campaign_counts
from assess.releases.access import access_release, access_releases
from assess.releases.domain.archives import manifest_sha256
from assess.releases.domain.releasing import MADE_OF, publish_release, release_key, set_public, start_release
from assess.releases.domain.succession import successors
from assess.releases.downloads import archive_download
from assess.releases.forms import PublicForm
from assess.web.page import render_page
from assess.web.requests import add_refusal
from assess.web.table import Column, make_table

COLUMNS = (
    Column(
        key="made",
        label=gettext_lazy("Made"),
        value=lambda each: each.created_at.isoformat(timespec="seconds"),
        order="id",
    ),
    Column(key="point", label=gettext_lazy("Ledger point"), value=lambda each: each.as_of, order="as_of", number=True),
    Column(
        key="version", label=gettext_lazy("Code version"), value=lambda each: each.code_version, order="code_version"
    ),
    Column(key="files", label=gettext_lazy("Files"), value=lambda each: each.number_of_files, number=True),
    Column(key="archive", label=gettext_lazy("sha256 of the archive")),
    Column(
        key="manifest", label=gettext_lazy("sha256 of the manifest"), value=lambda each: manifest_sha256(each.archive)
    ),
    Column(key="published", label=gettext_lazy("Published"), order="published"),
)


@login_required
@require_safe
def releases(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all releases to organisers, and the published ones to every other member."""
    seat = access_seat(request.user, slug)
    if not seat.is_organiser and not access_releases(seat).exists():
        raise NotFound
    return _page(request, seat)


@login_required
@require_POST
def release_make(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a release: at once if the campaign is small, otherwise in the background."""
    seat = access_as_organiser(request.user, slug)
    with_runs = request.POST.get("with_runs") == "yes"
    try:
        made = start_release(actor=seat.user, campaign=seat.campaign, with_runs=with_runs)
    except Refused as refused:
        return _page(request, seat, refused)
    if made is not None:
        messages.success(
            request,
            gettext("The release of ledger point %(as_of)s is made, and every score checks out.")
            % {"as_of": made.as_of},
        )
    else:
        messages.success(
            request, gettext("The release is being made in the background. It is listed here when it is done.")
        )
    return redirect("release", slug)


@login_required
@require_safe
def release_file(request: HttpRequest, slug: str, release_id: int) -> HttpResponseBase:
    """Return the archive as a download."""
    return archive_download(request, slug, access_release(access_seat(request.user, slug), release_id))


@login_required
@require_safe
def release_names(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the key to a release, for organisers: which run and team each name stands for, tab-separated."""
    seat = access_as_organiser(request.user, slug)
    if seat.campaign.state not in MADE_OF and not seat.campaign.releases.exists():
        raise NotFound
    content = "".join(release_key(seat.campaign).key_lines())
    response = HttpResponse(content, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-run-key.tsv"'
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def release_publish(request: HttpRequest, slug: str, release_id: int) -> HttpResponseBase:
    """Say what publishing does, with counts. A POST publishes the release."""
    seat = access_as_organiser(request.user, slug)
    found = access_release(seat, release_id)
    refused: Refused | None = None
    if request.method == "POST":
        try:
            publish_release(actor=seat.user, release=found)
        except Refused as caught:
            refused = caught
        else:
            messages.success(
                request, gettext("The release is published: every member of the campaign can download it.")
            )
            return redirect("release", slug)
    return render_page(
        request,
        "assess/releases/publish.html",
        seat,
        release=found,
        refused=refused,
        counts=campaign_counts(seat.campaign),
        members=seat.campaign.memberships.values("user").distinct().count(),
        status=refused.status if refused else 200,
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def release_public(request: HttpRequest, slug: str, release_id: int) -> HttpResponseBase:
    """Say what the public page of a published release shows. A POST gives the release that page, or takes it away."""
    seat = access_as_organiser(request.user, slug)
    found = access_release(seat, release_id)
    form = PublicForm(request.POST if request.method == "POST" else None, initial={"public": found.public})
    if form.is_valid():
        try:
            set_public(actor=seat.user, release=found, **form.cleaned_data)
        except Refused as refused:
            add_refusal(form, refused)
        else:
            said = gettext("The release has a public page.") if found.public else gettext("It has no public page.")
            messages.success(request, said)
            return redirect("release-public", slug, release_id)
    return render_page(
        request,
        "assess/releases/public_box.html",
        seat,
        release=found,
        form=form,
        address=request.build_absolute_uri(reverse("public-release-point", args=[slug, found.as_of])),
        status=422 if form.errors else 200,
    )


def _page(request: HttpRequest, seat: Seat, refused: Refused | None = None) -> HttpResponse:
    campaign = seat.campaign
    table = make_table(request, access_releases(seat).select_related("created_by"), columns=COLUMNS, order="-made")
    newest = campaign.jobs.filter(kind="release").order_by("-id").first() if seat.is_organiser else None
    return render_page(
        request,
        "assess/releases/release.html",
        seat,
        table=table,
        refused=refused,
        can_make=seat.is_organiser and campaign.state in MADE_OF,
        is_frozen=campaign.state == Campaign.State.FROZEN,
        successors=successors(campaign),
        is_corrected=is_corrected(campaign),
        has_published=campaign.state == Campaign.State.RELEASED,
        jobs=[newest] if newest is not None and newest.state != Job.State.DONE else [],
        busy=newest is not None and newest.is_busy,
        status=refused.status if refused else 200,
    )
