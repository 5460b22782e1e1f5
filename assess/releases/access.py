"""Find releases for a person's seat in a campaign, and public ones for anybody. Absent and forbidden look the same:
`NotFound`.
"""

from __future__ import annotations

from typing import cast

from django.contrib.auth.models import User
from django.db.models import QuerySet

from assess.base.errors import NotFound
from assess.campaigns.queries import whole_campaigns
from assess.campaigns.seats import Person, Seat, access_campaign_making, access_whole_site
from assess.releases.models import Release, SiteJob


def access_releases(seat: Seat) -> QuerySet[Release]:
    """Return the releases that this person may download: all for organisers, published ones for every other member."""
    return seat.campaign.releases.all() if seat.is_organiser else seat.campaign.releases.filter(published=True)


def access_release(seat: Seat, release_id: int) -> Release:
    """Return one release. Raise NotFound if it does not exist or the person may not see it."""
    release = access_releases(seat).filter(pk=release_id).first()
    if release is None:
        raise NotFound
    return release


def access_public_release(slug: str, as_of: int | None = None) -> Release:
    """Return the newest public release of a campaign, or the one of this ledger point, for anybody. One query.

    Raise NotFound if there is none. The error does not reveal whether the campaign exists or has other releases.
    """
    public = Release.objects.filter(campaign__in=whole_campaigns(), campaign__slug=slug, published=True, public=True)
    found = public if as_of is None else public.filter(as_of=as_of)
    release = found.select_related("campaign").order_by("-id").first()
    if release is None:
        raise NotFound
    return release


def access_imports(person: Person) -> QuerySet[SiteJob]:
    """Return the imports that this person asked for; all imports for a superuser.

    Refuse a person who may not make campaigns.
    """
    access_campaign_making(person)
    imports = SiteJob.objects.filter(kind=SiteJob.Kind.IMPORT)
    return imports if person.is_superuser else imports.filter(started_by=cast(User, person))


def access_backups(person: Person) -> QuerySet[SiteJob]:
    """Return all backups of the site. Refuse everybody but superusers."""
    access_whole_site(person)
    return SiteJob.objects.filter(kind=SiteJob.Kind.BACKUP)


def access_site_job(jobs: QuerySet[SiteJob], job_id: int) -> SiteJob:
    """Return one of these jobs of the site. Raise NotFound if it is not among them."""
    job = jobs.filter(pk=job_id).first()
    if job is None:
        raise NotFound
    return job
