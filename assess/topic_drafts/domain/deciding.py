"""The organiser's decision on a draft: send it back with a remark, or accept it as topics."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Max
from django.utils.translation import gettext

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.numbers import grouped
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.models import Campaign, Membership, Role
from assess.campaigns.queries import track_of
from assess.topic_drafts.domain.steps import add_row, add_step, content_values, lock_draft
from assess.topic_drafts.domain.writing import missing_of, require_drafting
from assess.topic_drafts.models import DraftStep, TopicDraft
from assess.topic_drafts.queries import ShownDraft, show_draft
from assess.topics.domain.loading import add_topics
from assess.topics.queries import all_topics
from assess.topics.reading_back import require_readable

WORD_LIMIT = 2_000
Action = DraftStep.Action


def send_back(*, actor: User, draft: TopicDraft, word: str, client_key: UUID, version: int | None = None) -> ShownDraft:
    """Send a draft back to its author with a remark, so that they can change it. Return its new state.

    Refused for everybody but organisers, and without a remark of at most 2,000 characters. Also refuses a draft that
    was not sent or whose author's account is closed, and a ``version`` (the one on the page) that is not the newest.
    """
    _require_organiser(actor, draft.campaign)
    word = word.replace("\0", " ").replace("\r\n", "\n").strip()
    if not word or len(word) > WORD_LIMIT:
        raise Invalid(
            gettext("Tell the author what to change, in at most %(value)s characters.") % {"value": grouped(WORD_LIMIT)}
        )

    def add(shown: ShownDraft) -> None:
        _require_sent(shown, version)
        if shown.is_author_gone:
            raise Conflict(
                gettext("The author's account is closed, so nobody could change it. Accept it as it is, or leave it.")
            )
        _step(shown, actor=actor, action=Action.BACK, client_key=client_key, word=word)
        data = {"draft": draft.number}
        record_activity(actor=actor, action="draft.back", campaign=draft.campaign, about=draft, data=data)

    return add_step(
        draft=draft,
        actor=actor,
        client_key=client_key,
        same=lambda step: (step.action, step.word) == (Action.BACK, word),
        add=add,
    )


def accept_draft(
    *, actor: User, draft: TopicDraft, client_key: UUID, number: str = "", version: int | None = None
) -> ShownDraft:
    """Turn the draft into topics of the campaign, under this number or the next free one. Return its new state.

    Who sees them, and when, is decided as for topics from a file. Refused for everybody but organisers, and in a closed
    campaign. Also refuses a draft that was not sent (unless it went back to an author whose account is closed) or that
    is not complete, a ``version`` (the one on the page) that is not the newest, a number that is taken, and topics that
    the track's own reader would not accept from a file (`require_readable`).
    """
    _require_organiser(actor, draft.campaign)
    campaign = draft.campaign
    drafting = require_drafting(campaign)

    def add(shown: ShownDraft) -> None:
        _require_sent(shown, version)
        if missing := missing_of(shown.content, drafting):  # of a draft that went back
            raise Conflict(missing)
        chosen = number.strip() or next_number(campaign)
        ordinal = (all_topics(campaign).filter(parent=None).aggregate(last=Max("ordinal"))["last"] or 0) + 1
        records = list(drafting.records(shown.content, chosen, ordinal))
        numbers = [record.number for record in records]
        held = all_topics(campaign).filter(number__in=numbers).order_by("number")
        taken = held.values_list("number", flat=True).first()
        if taken is not None:
            raise Conflict(gettext("There is a topic %(taken)s already. Choose another number.") % {"taken": taken})
        require_readable(track_of(campaign), records)
        add_topics(actor=actor, campaign=campaign, records=records, name=f"draft {draft.number}")
        topic = campaign.topics.get(number=records[0].number)
        TopicDraft.objects.filter(pk=draft.pk).update(topic=topic)
        _step(shown, actor=actor, action=Action.ACCEPT, client_key=client_key)
        data = {"draft": draft.number, "topic": topic.number}
        record_activity(actor=actor, action="draft.accept", campaign=campaign, about=draft, data=data)

    add_step(
        draft=draft,
        actor=actor,
        client_key=client_key,
        same=lambda step: step.action == Action.ACCEPT,
        add=add,
        lock=_lock_in_open_campaign,
    )
    draft.refresh_from_db(fields=["topic"])
    return show_draft(draft)


def _lock_in_open_campaign(draft: TopicDraft) -> ShownDraft:
    """Return the draft, locked after its campaign's row. Refuse if the campaign is closed."""
    lock_open(draft.campaign)
    return lock_draft(draft)


def next_number(campaign: Campaign) -> str:
    """Return one more than the largest whole number of a topic in the campaign; "1" if there is none."""
    numbers = all_topics(campaign).filter(parent=None).values_list("number", flat=True)
    whole = [int(number) for number in numbers if number.isascii() and number.isdigit() and len(number) < 18]
    return str(max(whole, default=0) + 1)


def _require_organiser(actor: User, campaign: Campaign) -> None:
    seats = Membership.objects.filter(campaign=campaign, user=actor, role=Role.ORGANISER)
    if not actor.is_superuser and not seats.exists():
        raise NotAllowed(gettext("Only an organiser decides on drafts."))


def _require_sent(shown: ShownDraft, version: int | None) -> None:
    if not shown.awaits_decision:
        raise Conflict(
            gettext("Draft %(number)s is %(label)s; only one that was sent is decided on.")
            % {"number": shown.draft.number, "label": shown.label}
        )
    if version is not None and version != shown.version:
        raise Conflict(
            gettext(
                "Draft %(number)s was changed and sent again after you had opened it. Read what it says "
                "now, then decide."
            )
            % {"number": shown.draft.number},
            code="unseen",
        )


def _step(shown: ShownDraft, *, actor: User, action: str, client_key: UUID, word: str = "") -> None:
    values = content_values(shown.content)
    add_row(DraftStep(draft=shown.draft, actor=actor, action=action, content=values, word=word, client_key=client_key))
