"""Drafts as authors make them, for tests."""

from __future__ import annotations

from uuid import UUID, uuid4, uuid5

from django.contrib.auth.models import User

from assess.models import Campaign, TopicDraft
from assess.protocol import DraftContent, DraftPart
from assess.topic_drafts.domain.writing import begin_draft, send_draft, write_draft

SERIES = DraftContent(
    text="Harbor kites",
    parts=(
        DraftPart(key=1, task="rigid", text="Which shops sell them?"),
        DraftPart(key=2, task="squishy", text="What do flyers say of their strings?"),
    ),
    notes="Seen on two blogs.",
)
DEFINITION = DraftContent(text="What is a kite?", task="definition", definition="A kite flies.\n\nIt has a string.")


def key(*parts: object) -> UUID:
    return uuid5(UUID(int=11), repr(parts))


def drafted(campaign: Campaign, author: User, content: DraftContent = SERIES) -> TopicDraft:
    """A draft with this content."""
    draft = begin_draft(actor=author, campaign=campaign, client_key=uuid4())
    write_draft(actor=author, draft=draft, content=content, client_key=uuid4())
    return draft


def sent(campaign: Campaign, author: User, content: DraftContent = SERIES) -> TopicDraft:
    """A draft that the organiser has."""
    draft = drafted(campaign, author, content)
    send_draft(actor=author, draft=draft, client_key=uuid4())
    return draft
