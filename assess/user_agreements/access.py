"""Whether participants may see a part of a campaign yet, by its date and by their team's agreement."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone
from django.utils.translation import gettext

from assess.base.errors import NotAllowed
from assess.campaigns.dates import is_out, release_words
from assess.campaigns.models import Part
from assess.campaigns.seats import Seat
from assess.user_agreements.queries import AGREEMENT_FIRST, waits_for_agreement

NOT_RELEASED, NEEDS_AGREEMENT = "not-released", "user-agreement"


def is_open_to(seat: Seat, part: Part, now: datetime | None = None) -> bool:
    """Return whether this person may see a part of the campaign's data. Participants have to wait for the part's date.

    Organisers may see all of it. Assessors who are not participants may see what their work needs. A part that requires
    the user agreement is open once the team has accepted it. Only such a part takes queries, two of them.
    """
    if seat.is_organiser or not seat.is_participant:
        return True
    return is_out(seat.campaign, part, now or timezone.now()) and not waits_for_agreement(
        seat.campaign, part, seat.teams
    )


def require_open_to(seat: Seat, part: Part) -> None:
    """Refuse a person who may not see this part yet, with `NotAllowed`.

    The code is `not-released` before its date, and `user-agreement` until their team has accepted the user agreement.
    """
    if is_open_to(seat, part):
        return
    if not is_out(seat.campaign, part, timezone.now()):
        raise NotAllowed(
            gettext("The %(part)s of this campaign will be released on %(release_words)s. Come back then.")
            % {"part": part.label, "release_words": release_words(seat.campaign, part)},
            code=NOT_RELEASED,
        )
    raise NotAllowed(AGREEMENT_FIRST.format(part=part.label), code=NEEDS_AGREEMENT)
