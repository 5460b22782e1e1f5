"""The one way to add a step to a draft: under a lock, once for each key, and refused after the campaign is closed."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, gettext_lazy

from assess.base.errors import Conflict, NotAllowed
from assess.campaigns.activity import require_open_now
from assess.ledger.adding import add_once, store
from assess.ledger.models import number_rows
from assess.protocol import DraftContent
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topic_drafts.queries import ShownDraft, show_draft

USED_KEY = gettext_lazy("This was sent once before and said something else then. Nothing was changed; reload the page.")
NEWER = gettext_lazy(
    "This draft was changed in another window after you opened it here, so nothing was saved. "
    "Reload the page, read what it says now, and write it again if you still want it."
)
Row = DraftStep | DraftFind


def lock_draft(draft: TopicDraft) -> ShownDraft:
    """Return the draft in its current state, locked until the transaction ends."""
    TopicDraft.objects.select_for_update(no_key=True).get(pk=draft.pk)
    return show_draft(draft)


def add_row(row: Row) -> None:
    """Store a row of a draft's ledgers with the next number. Refused if the campaign is closed.

    The campaign's state is read after the row has its number, as in `record_activity` (docs/decisions/0006).
    """
    number_rows([row])
    require_open_now(row.draft.campaign)
    store(row)


def add_step(
    *,
    draft: TopicDraft,
    actor: User,
    client_key: UUID,
    same: Callable[[DraftStep], bool],
    add: Callable[[ShownDraft], None],
    lock: Callable[[TopicDraft], ShownDraft] = lock_draft,
) -> ShownDraft:
    """Let ``add`` add a step to the draft, unless this key did so before. Return the draft's new state.

    Refused (`Conflict`) if the key was used for a step of another draft or person, or for one that is not the ``same``.
    """

    def add_first() -> DraftStep | None:
        add(shown)
        return None

    def is_same(step: DraftStep | None) -> bool:
        return step is not None and (step.draft_id, step.actor_id) == (draft.pk, actor.pk) and same(step)

    with transaction.atomic():
        shown = lock(draft)
        earlier = DraftStep.objects.filter(client_key=client_key).first
        add_once(add=add_first, earlier=earlier, same=is_same, used=USED_KEY)
    return show_draft(draft)


def require_author(*, actor: User, draft: TopicDraft) -> None:
    """Refuse everybody except the draft's author."""
    if draft.author_id != actor.pk:
        raise NotAllowed(gettext("This draft is somebody else's."))


def require_writable(shown: ShownDraft) -> None:
    """Raise Conflict for a draft that is with the organiser, or was decided or dropped: nothing in it is changed."""
    if not shown.is_writable:
        raise Conflict(
            gettext("Draft %(draft)s is %(shown)s, so nothing in it can be changed. ")
            % {"draft": shown.draft.number, "shown": shown.label}
            + (
                gettext("The organiser can send it back to you.")
                if shown.state == "sent"
                else gettext("Begin a new one.")
            )
        )


def content_values(content: DraftContent) -> dict[str, object]:
    """Return the content in the form that a step stores."""
    return {
        "text": content.text,
        "task": content.task,
        "parts": [{"key": part.key, "task": part.task, "text": part.text} for part in content.parts],
        "definition": content.definition,
        "notes": content.notes,
        "query": content.query,
    }
