"""User agreements: what a team promises before it gets documents, stored with who accepted it and when."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.numbers import grouped
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.changed_since import MadeFrom, require_unchanged
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import Campaign, Part, Role
from assess.user_agreements.models import Acceptance, UserAgreement

NOTE_LIMIT, TEXT_LIMIT = 200, 200_000


def agreement_values(campaign: Campaign, newest: UserAgreement | None) -> dict[str, Any]:
    """Return the text and parts of the user agreement as stored now. A change compares them with those it was made
    from.
    """
    return {"text": newest.text if newest is not None else "", "parts": list(campaign.agreement_for)}


def set_user_agreement(
    *, actor: User, campaign: Campaign, text: str, parts: Iterable[str], made_from: MadeFrom | None = None
) -> Campaign:
    """Publish the text as the next version if it changed, and set the parts (`Part`) that require it. Return the
    campaign.

    Every team must accept a new version again. Without parts, nothing requires it. The same values again change
    nothing. Refuses parts without a text, a too long text, an unknown part, a closed campaign, and a change that was
    ``made_from`` a text or parts other than those stored (`agreement_values`).
    """
    require_changeable(campaign)
    wanted = [part.value for part in Part if part.value in (named := set(parts))]
    if unknown := named - set(Part.values):
        raise Invalid(
            gettext("Nothing called “%(unknown)s” is given out. Use: %(values)s.")
            % {"unknown": min(unknown)[:40], "values": ", ".join(Part.values)},
            field="parts",
        )
    if len(text) > TEXT_LIMIT:
        raise Invalid(
            gettext("Shorten the agreement to %(text_limit)s characters.") % {"text_limit": grouped(TEXT_LIMIT)},
            field="text",
        )
    if wanted and not text.strip():
        raise Invalid(gettext("Write the agreement's text, or let nothing wait for it."), field="text")
    with transaction.atomic():
        locked = lock_open(campaign)
        before = list(locked.agreement_for)
        newest = campaign.user_agreements.order_by("-version").first()
        version = newest.version if newest is not None else 0
        present = agreement_values(locked, newest)
        if present != {"text": text, "parts": wanted}:
            require_unchanged(campaign=campaign, present=present, made_from=made_from, action="agreement.publish")
        if text.strip() and (newest is None or newest.text != text):
            version += 1
            UserAgreement.objects.create(campaign=campaign, version=version, text=text, published_by=actor)
        campaign.agreement_for = wanted
        if before == wanted and newest is not None and newest.version == version:
            return campaign
        campaign.save(update_fields=["agreement_for"])
        data = {"version": version, "parts": [before, wanted]}
        record_activity(actor=actor, action="agreement.publish", campaign=campaign, about=campaign, data=data)
    return campaign


def accept_user_agreement(
    *, actor: User, campaign: Campaign, version: int, team: str = "", note: str = ""
) -> Acceptance:
    """Accept the version in force for a team. The first acceptance counts, and accepting again changes nothing.

    Participants accept for their own team (``team`` may be left out). Organisers record what a team signed on paper,
    with a ``note`` on where that is. Refused: any other version, since nobody accepts what they did not read; and a
    team without participants. It can be accepted even when the campaign is frozen.
    """
    memberships = campaign.memberships.filter(role=Role.PARTICIPANT)
    own = memberships.filter(user=actor).values_list("team", flat=True).first()
    is_organiser = actor.is_superuser or campaign.memberships.filter(user=actor, role=Role.ORGANISER).exists()
    team = team or own or ""
    if team != own and not is_organiser:
        raise NotAllowed(gettext("You can accept the user agreement for your own team only."))
    if not memberships.filter(team=team).exists():
        raise Invalid(
            gettext("Nobody takes part for the team “%(team)s”. Choose one of the teams.") % {"team": team[:50]},
            field="team",
        )
    if len(note) > NOTE_LIMIT:
        raise Invalid(
            gettext("Shorten the note to %(note_limit)s characters.") % {"note_limit": NOTE_LIMIT}, field="note"
        )
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        newest = campaign.user_agreements.order_by("-version").first()
        if newest is None:
            raise Conflict(gettext("This campaign has no user agreement, so there is nothing to accept."))
        if newest.version != version:
            raise Conflict(
                gettext("Version %(version)s of the user agreement is in force now. Read it, then accept it.")
                % {"version": newest.version}
            )
        made, created = Acceptance.objects.get_or_create(
            agreement=newest, team=team, defaults={"accepted_by": actor, "note": note if is_organiser else ""}
        )
        if created:
            data = {"team": team, "version": version, "note": made.note}
            record_activity(actor=actor, action="agreement.accept", campaign=campaign, about=made, data=data)
    return made
