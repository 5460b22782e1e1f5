"""The way from a person to a campaign. Absent and forbidden campaigns look the same: both raise `NotFound`.

Each function takes the person first and returns their seat with its campaign loaded, or raises. Every view, API call
and command begins here, and continues with a function in the `access.py` of its noun. A view that filters a model
itself is a defect.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import QuerySet
from django.utils.translation import gettext

from assess.base.errors import Conflict, NotFound
from assess.base.files import stored_path
from assess.campaigns.models import JUDGES, Campaign, Membership, Role
from assess.campaigns.queries import known_track, settings_of, whole_campaigns

Person = User | AnonymousUser


SETTLERS = (Role.ADJUDICATOR, Role.ORGANISER)
"""The roles whose members settle disagreements."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A person's place in a campaign: the campaign, and every role they have in it."""

    campaign: Campaign
    user: User
    roles: frozenset[str]
    teams: frozenset[str]

    @property
    def is_organiser(self) -> bool:
        """Whether they organise the campaign."""
        return Role.ORGANISER in self.roles

    @property
    def is_judge(self) -> bool:
        """Whether they judge in it, as assessor or adjudicator."""
        return bool(self.roles & set(JUDGES))

    @property
    def is_adjudicator(self) -> bool:
        """Whether they settle disagreements as adjudicator."""
        return Role.ADJUDICATOR in self.roles

    @property
    def is_participant(self) -> bool:
        """Whether they take part with runs."""
        return Role.PARTICIPANT in self.roles


def access_campaigns(person: Person) -> QuerySet[Campaign]:
    """Return the campaigns that this person belongs to: all for a superuser, none for somebody not logged in."""
    if not person.is_authenticated:
        return Campaign.objects.none()
    if person.is_superuser:
        return whole_campaigns()
    return whole_campaigns().filter(pk__in=Membership.objects.filter(user=person).values("campaign"))


def access_seat(person: Person, slug: str, *roles: str) -> Seat:
    """Return the person's seat in the campaign with this slug; with ``roles``, only if they have one of them.

    A superuser is an organiser everywhere. Everybody else without such a seat gets `NotFound`. A campaign whose track
    is not installed is refused to all (`Conflict`), since nothing of it can be shown.
    """
    if not person.is_authenticated:
        raise NotFound
    campaign = whole_campaigns().filter(slug=slug).order_by().first()
    if campaign is None:
        raise NotFound
    memberships = list(Membership.objects.filter(campaign=campaign, user=person).order_by())
    held = {membership.role for membership in memberships}
    if person.is_superuser:
        held.add(Role.ORGANISER)
    if not held and campaign.assignments.filter(assessor=person.pk).exists():
        raise NotFound(gettext("You no longer take part in this campaign. What you judged before that is kept."))
    if not held or (roles and not held & set(roles)):
        raise NotFound
    require_known_track(campaign)
    teams = frozenset(membership.team for membership in memberships if membership.team)
    return Seat(campaign, person, frozenset(held), teams)


def require_known_track(campaign: Campaign) -> None:
    """Raise `Conflict` for a campaign of a track that this site does not know (any more)."""
    if known_track(campaign) is None:
        if campaign.design and not stored_path(campaign.design).is_file():
            raise Conflict(
                gettext(
                    "The file with the design of %(title)s is not kept here any more, so nothing of the campaign can "
                    "be shown. Nothing else of it is lost. Whoever runs the site can restore the data folder."
                )
                % {"title": campaign.title}
            )
        raise Conflict(
            gettext(
                "%(title)s follows the rules of the track “%(track)s”, which this site does not know any "
                "more. Nothing of it is lost. Whoever runs the site can add the track again (the setting "
                "ASSAY_TRACKS)."
            )
            % {"title": campaign.title, "track": campaign.track}
        )


def access_campaign_making(person: Person) -> None:
    """Raise `NotFound` for a person who may not make campaigns; only staff accounts and superusers may."""
    if not (person.is_staff or person.is_superuser):
        raise NotFound


def access_whole_site(person: Person) -> None:
    """Raise `NotFound` for a person who does not administer the site; only superusers do."""
    if not person.is_superuser:
        raise NotFound


def access_as_organiser(person: Person, slug: str) -> Seat:
    """Return the seat of an organiser of this campaign. Raises what `access_seat` raises."""
    return access_seat(person, slug, Role.ORGANISER)


def may_search(seat: Seat) -> bool:
    """Return whether this member may search: organisers may, and assessors if the campaign's settings say so."""
    return seat.is_organiser or (seat.is_judge and getattr(settings_of(seat.campaign), "search", True))
