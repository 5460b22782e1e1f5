"""The one way in which a draft moves on: locked, told apart by key, numbered, and refused once a campaign is closed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from assess.base.errors import Conflict, NotAllowed
from assess.campaigns.closed import lock_open, require_open_now
from assess.campaigns.models import Campaign
from assess.ledger.models import take_points
from assess.protocol import DraftContent
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topic_drafts.queries.drafts import ShownDraft, show_draft

USED_KEY = "This key was used for something else. Reload the page and try again."
NEWER = (
    "Something newer was saved of this draft in another window, and nothing was overwritten. Reload the page, look at "
    "what stands there now, and write it again if you still mean it."
)
Row = DraftStep | DraftFind


@contextmanager
def in_open_campaign(campaign: Campaign) -> Iterator[None]:
    """A transaction that holds the campaign's row before any other. Refused once the campaign is closed."""
    with transaction.atomic():
        lock_open(campaign)
        yield


@contextmanager
def locked_draft(draft: TopicDraft) -> Iterator[ShownDraft]:
    """The draft as it stands, locked until the transaction ends. A key used elsewhere at this moment is refused."""
    try:
        with transaction.atomic():
            TopicDraft.objects.select_for_update(no_key=True).get(pk=draft.pk)
            yield show_draft(draft)
    except IntegrityError as error:
        if "client_key" not in str(error):
            raise
        raise Conflict(USED_KEY) from error


def add_row(row: Row) -> None:
    """Store a row of a draft's ledgers with the next number. Refused where the campaign is closed by now.

    The state is read once the row has its number, as `record_activity` does (docs/decisions/0006).
    """
    row.id = take_points(1)
    require_open_now(row.draft.campaign)
    row.save()


def require_author(*, actor: User, draft: TopicDraft) -> None:
    """Refuse whoever is not the author."""
    if draft.author_id != actor.pk:
        raise NotAllowed("This draft is somebody else's.")


def require_writable(shown: ShownDraft) -> None:
    """Refuse to change what the organiser has by now, or what was dropped."""
    if not shown.is_writable:
        raise Conflict(
            f"Draft {shown.draft.number} is {shown.label}, so nothing in it can be changed. "
            + ("The organiser can send it back to you." if shown.state == "sent" else "Begin a new one.")
        )


def earlier_step(client_key: UUID, *, draft: TopicDraft, actor: User, same: Callable[[DraftStep], bool]) -> bool:
    """Whether this key stored its step before; refused (`Conflict`) where it stored something else."""
    step = DraftStep.objects.filter(client_key=client_key).first()
    if step is None:
        return False
    if (step.draft_id, step.actor_id) != (draft.pk, actor.pk) or not same(step):
        raise Conflict(USED_KEY)
    return True


def content_values(content: DraftContent) -> dict[str, object]:
    """The content as a step keeps it."""
    return {
        "text": content.text,
        "task": content.task,
        "parts": [{"key": part.key, "task": part.task, "text": part.text} for part in content.parts],
        "definition": content.definition,
        "notes": content.notes,
        "query": content.query,
    }
