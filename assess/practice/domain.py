"""Record answers in practice, and let people practise again."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid, NotFound
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.models import JUDGES, Campaign
from assess.campaigns.track_texts import in_language
from assess.practice.queries import AGAIN, ANSWERED, PracticeItem, PracticeState, needed_of, practice_of
from assess.protocol import Stage


def answer_practice(
    *,
    actor: User,
    campaign: Campaign,
    stage: Stage,
    number: int,
    values: Mapping[str, int | None],
    item: int | None = None,
) -> PracticeState:
    """Record a person's answers for their next item, and return how far they are.

    ``item`` is its handle: the items may have been changed, so that another one has this number. None as a value means
    "can't tell", which is not right. Refused: a campaign that is not being judged, a person who has passed or has no
    try left, a stage without items to practise on, an item other than the next one, and an answer that is missing or
    not on the scale.
    """
    with transaction.atomic():
        locked = lock_open(campaign)
        if locked.state != Campaign.State.JUDGING:
            raise Conflict(gettext("Practice begins once judging is open."))
        state = practice_of(locked, stage, actor)
        expected = _next(state)
        if expected.number != number:
            raise Conflict(
                gettext("Item %(number)s is not the next one any more. Answer item %(number_2)s.")
                % {"number": number, "number_2": expected.number}
            )
        if item is not None and item != expected.handle:
            raise Conflict(
                gettext("The items to practise on were changed meanwhile. Answer the one that is shown now.")
            )
        said = {key: _checked(stage, key, values) for key in expected.expected}
        is_new = state.is_whole or not state.answered
        most = len(state.items) if is_new else min(state.answered[-1]["of"], len(state.answered) + state.left)
        data = {
            "stage": stage.key,
            "item": expected.item.pk,
            "of": most,
            "needed": needed_of(state.practice, most),
            "values": said,
            "right": said == dict(expected.expected),
        }
        record_activity(actor=actor, action=ANSWERED, campaign=campaign, about=expected.item, data=data)
    return practice_of(campaign, stage, actor)


def _next(state: PracticeState) -> PracticeItem:
    if (found := state.next) is not None:
        return found
    if state.is_passed:
        raise Conflict(gettext("You have passed this practice. Take up your work."))
    if not state.items:
        raise Conflict(gettext("There is nothing to practise here yet. Work begins without it."))
    raise Conflict(gettext("You have no try left. Ask an organiser to let you practise again."))


def _checked(stage: Stage, key: str, values: Mapping[str, int | None]) -> int | None:
    criterion = stage.criterion(key)
    if criterion is None or key not in values:
        asked = criterion.question if criterion is not None else key
        raise Invalid(gettext("Answer “%(asked)s” as well.") % {"asked": asked}, field=key)
    value = values[key]
    if value is None and criterion.unsure is None:
        raise Invalid(
            gettext("“%(question)s” has to be answered by a grade.") % {"question": in_language(criterion.question)},
            field=key,
        )
    if value is not None and not criterion.allows(value):
        allowed = ", ".join(f"{grade.value} ({in_language(grade.name)})" for grade in criterion.grades)
        raise Invalid(
            gettext("%(value)s is not on the scale. Allowed are: %(allowed)s.") % {"value": value, "allowed": allowed},
            field=key,
        )
    return value


def let_practise_again(*, actor: User, campaign: Campaign, stage: Stage, user: User) -> None:
    """Give an assessor all tries again; practice that they passed stays passed.

    Refused: a frozen campaign. Raise NotFound for somebody who does not judge in it.
    """
    with transaction.atomic():
        lock_open(campaign)
        if not campaign.memberships.filter(user=user, role__in=JUDGES, is_machine=False).exists():
            raise NotFound(gettext("%(user)s does not judge in this campaign.") % {"user": user})
        record_activity(actor=actor, action=AGAIN, campaign=campaign, data={"stage": stage.key, "user": user.pk})
