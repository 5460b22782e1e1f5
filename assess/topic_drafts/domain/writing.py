"""What the author does with a draft: begin, write, send and drop it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext, ngettext

from assess.base.errors import Conflict, Invalid, NotAllowed
from assess.base.numbers import grouped
from assess.campaigns.activity import lock_open, record_activity
from assess.campaigns.domain import require_changeable
from assess.campaigns.models import JUDGES, Campaign, Membership
from assess.campaigns.queries import drafting_of
from assess.campaigns.track_texts import in_language
from assess.ledger.adding import KeyTaken, add_once
from assess.protocol import DraftContent, Drafting, DraftPart
from assess.topic_drafts.domain.steps import (
    NEWER,
    USED_KEY,
    add_row,
    add_step,
    content_values,
    require_author,
    require_writable,
)
from assess.topic_drafts.models import DraftFind, DraftStep, TopicDraft
from assess.topic_drafts.queries import ShownDraft, draft_parts, estimate_of, show_draft

TEXT_LIMIT, LONG_LIMIT, QUERY_LIMIT, DRAFT_LIMIT = 2_000, 20_000, 300, 1_000
UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that are not allowed in XML, and so not in the topic files of some tracks."""

Action = DraftStep.Action


def require_drafting(campaign: Campaign) -> Drafting:
    """Return how topics are drafted in the campaign. Refuse if the track's topics come only from files."""
    drafting = drafting_of(campaign)
    if drafting is None:
        raise Conflict(
            gettext("The topics of this campaign's track come in files alone. Load them on the page Topics.")
        )
    return drafting


def begin_draft(*, actor: User, campaign: Campaign, client_key: UUID) -> TopicDraft:
    """Return a new, empty draft of the actor's. A campaign in set-up may have drafts before it has any topics.

    Refused: somebody who does not judge in the campaign, a machine, a track without drafting, a closed campaign, and
    more than 1,000 drafts.
    """
    drafting = require_drafting(campaign)
    require_changeable(campaign)
    seats = Membership.objects.filter(campaign=campaign, user=actor, role__in=JUDGES, is_machine=False)
    if not seats.exists():
        raise NotAllowed(gettext("Only people who judge in this campaign can draft topics for it."))

    def add() -> TopicDraft:
        last = campaign.topic_drafts.aggregate(last=Max("number"))["last"] or 0
        if last >= DRAFT_LIMIT:
            raise Conflict(gettext("A campaign holds at most %(value)s drafts.") % {"value": grouped(DRAFT_LIMIT)})
        draft = TopicDraft.objects.create(campaign=campaign, number=last + 1, author=actor)
        content = content_values(DraftContent(task="" if drafting.parts is not None else drafting.tasks[0]))
        add_row(DraftStep(draft=draft, actor=actor, action=Action.WRITE, content=content, client_key=client_key))
        data = {"draft": draft.number}
        record_activity(actor=actor, action="draft.begin", campaign=campaign, about=draft, data=data)
        return draft

    def same(draft: TopicDraft) -> bool:
        first = draft.steps.order_by("id").first()
        if first is None or first.client_key != client_key:
            return False
        return first.actor_id == actor.pk and draft.campaign_id == campaign.pk

    with transaction.atomic():
        lock_open(campaign)
        return add_once(
            add=add,
            earlier=TopicDraft.objects.filter(steps__client_key=client_key).first,
            same=same,
            used=USED_KEY,
        )


def write_draft(
    *, actor: User, draft: TopicDraft, content: DraftContent, client_key: UUID, version: int | None = None
) -> ShownDraft:
    """Save the whole content of the draft, and return its new state. Unchanged content is not written again.

    Refused for everybody but the author. Also refuses a draft that is with the organiser, a version (the one on the
    page) that is not the newest (code "unseen"), the removal of a question that has finds, and what `checked_content`
    refuses.
    """
    require_author(actor=actor, draft=draft)
    content = checked_content(content, drafting=require_drafting(draft.campaign))
    values = content_values(content)

    def add(shown: ShownDraft) -> None:
        require_writable(shown)
        if version is not None and version != shown.version:
            raise Conflict(NEWER, code="unseen")
        _require_kept_parts(shown, content)
        if content_values(shown.content) != values:
            add_row(DraftStep(draft=draft, actor=actor, action=Action.WRITE, content=values, client_key=client_key))
        elif DraftStep.objects.filter(client_key=client_key).exists():
            raise KeyTaken

    return add_step(
        draft=draft,
        actor=actor,
        client_key=client_key,
        same=lambda step: step.action == Action.WRITE and step.content == values,
        add=add,
    )


def set_query(*, actor: User, draft: TopicDraft, query: str, client_key: UUID) -> ShownDraft:
    """Set the search of the draft; the documents that it finds are judged in order, from the first one. Refused like
    `write_draft`.
    """
    shown = show_draft(draft)
    content = replace(shown.content, query=query)
    return write_draft(actor=actor, draft=draft, content=content, client_key=client_key, version=shown.version)


def send_draft(*, actor: User, draft: TopicDraft, client_key: UUID) -> ShownDraft:
    """Send the draft to the organiser, with the estimate of the number of relevant documents. Return its new state.

    Refused for everybody but the author, for a draft that is with the organiser, and while something is missing, with a
    sentence that says what.
    """
    require_author(actor=actor, draft=draft)
    drafting = require_drafting(draft.campaign)
    return _move(actor=actor, draft=draft, action=Action.SEND, client_key=client_key, drafting=drafting)


def drop_draft(*, actor: User, draft: TopicDraft, client_key: UUID) -> ShownDraft:
    """Drop a draft for good, and return its new state. Its content and finds stay in the ledger. Refused for everybody
    but the author, and while the draft is with the organiser.
    """
    require_author(actor=actor, draft=draft)
    return _move(actor=actor, draft=draft, action=Action.DROP, client_key=client_key)


def _midsentence(label: str) -> str:
    """Return a label inside a sentence: in lower case, except where it is in another language."""
    said = in_language(label)
    return said.lower() if said == label else said


def missing_of(content: DraftContent, drafting: Drafting) -> str:
    """Return in a sentence what a draft lacks before it can be sent; "" if nothing."""
    if not content.text:
        return gettext("Write the %(head)s first.") % {"head": _midsentence(drafting.head)}
    if drafting.definition and not content.definition:
        return gettext("Write %(definition)s first.") % {"definition": _midsentence(drafting.definition)}
    if drafting.parts is not None:
        fewest, most = drafting.parts
        if not fewest <= len(content.parts) <= most:
            return ngettext(
                "It has %(number)s question; %(fewest)s to %(most)s are asked.",
                "It has %(number)s questions; %(fewest)s to %(most)s are asked.",
                len(content.parts),
            ) % {"number": grouped(len(content.parts)), "fewest": fewest, "most": most}
        untyped = [number for number, part in enumerate(content.parts, start=1) if not part.task]
        if untyped:
            return gettext("Choose the type of question %(untyped)s first.") % {"untyped": untyped[0]}
    return ""


def _move(
    *,
    actor: User,
    draft: TopicDraft,
    action: Action,
    client_key: UUID,
    drafting: Drafting | None = None,
) -> ShownDraft:
    """Add a step that changes no content. With ``drafting``, refuse an incomplete draft, and store the estimate if a
    document was judged.
    """

    def add(shown: ShownDraft) -> None:
        require_writable(shown)
        if drafting is not None and (missing := missing_of(shown.content, drafting)):
            raise Conflict(missing)
        step = DraftStep(draft=draft, actor=actor, action=action, client_key=client_key)
        step.content = content_values(shown.content)
        if drafting is not None:
            found = estimate_of(draft.campaign, shown.content.query, shown.judged)
            if found is not None and found.judged:
                step.word, step.estimate = found.words, {"ranked": list(found.ranked), "found": found.found}
        add_row(step)
        data = {"draft": draft.number}
        record_activity(actor=actor, action=f"draft.{action.value}", campaign=draft.campaign, about=draft, data=data)

    return add_step(draft=draft, actor=actor, client_key=client_key, same=lambda step: step.action == action, add=add)


def checked_content(content: DraftContent, *, drafting: Drafting) -> DraftContent:
    """Return the content in the form that is stored: single lines without line breaks, longer texts with plain line
    ends.

    Refuses questions or a definition that the track does not ask for, too many questions, an unknown type, and texts
    that are too long or have characters that topic files can't contain.
    """
    parts = tuple(_checked_parts(content.parts, drafting=drafting))
    if parts and drafting.parts is None:
        raise Invalid(gettext("A topic of this track is one question; it holds no others."))
    if drafting.parts is not None and len(parts) > drafting.parts[1]:
        raise Invalid(
            gettext("These are %(parts)s questions; at most %(parts_2)s are asked.")
            % {"parts": len(parts), "parts_2": drafting.parts[1]}
        )
    task = ""
    if drafting.parts is None:
        task = _task(content.task or drafting.tasks[0], drafting)
    if content.definition.strip() and not drafting.definition:
        raise Invalid(gettext("No definition is asked for topics of this track."))
    return DraftContent(
        text=_line(content.text, _midsentence(drafting.head)),
        task=task,
        parts=parts,
        definition=_long(content.definition, gettext("definition")),
        notes=_long(content.notes, gettext("notes")),
        query=_line(content.query, gettext("search text"), QUERY_LIMIT),
    )


def _checked_parts(parts: Iterable[DraftPart], *, drafting: Drafting) -> Iterable[DraftPart]:
    seen: set[int] = set()
    for part in parts:
        text = _line(part.text, gettext("question"))
        if not text:
            continue
        if part.key < 1 or part.key > DRAFT_LIMIT or part.key in seen:
            raise Invalid(gettext("The form was not filled in by this page. Reload it and try again."))
        seen.add(part.key)
        task = part.task or (drafting.tasks[0] if len(drafting.tasks) == 1 else "")
        yield DraftPart(key=part.key, task=task and _task(task, drafting), text=text)


def _task(task: str, drafting: Drafting) -> str:
    if task not in drafting.tasks:
        raise Invalid(
            gettext("%(task)s is no type of question here. Use one of: %(tasks)s.")
            % {"task": task[:40], "tasks": ", ".join(drafting.tasks)}
        )
    return task


def _line(text: str, what: str, limit: int = TEXT_LIMIT) -> str:
    line = " ".join(text.replace("\0", " ").split())
    _require_writable(line, what)
    if len(line) > limit:
        raise Invalid(
            gettext("The %(what)s has %(line)s characters; %(limit)s are allowed.")
            % {"what": what, "line": grouped(len(line)), "limit": grouped(limit)}
        )
    return line


def _long(text: str, what: str) -> str:
    """Return a longer text in paragraphs, trimmed and with plain line ends. Raises `Invalid` for one that is too long
    or has characters that no topic file can hold.
    """
    plain = "\n".join(line.rstrip() for line in text.replace("\0", " ").replace("\r\n", "\n").split("\n")).strip()
    _require_writable(plain, what)
    if len(plain) > LONG_LIMIT:
        raise Invalid(
            gettext("The %(what)s has %(plain)s characters; %(value)s are allowed.")
            % {"what": what, "plain": grouped(len(plain)), "value": grouped(LONG_LIMIT)}
        )
    return plain


def _require_writable(text: str, what: str) -> None:
    """Refuse a character that a topic file can't contain, while its author can still remove it."""
    if found := UNWRITABLE.search(text):
        place = f"U+{ord(found.group()):04X} after “{text[: found.start()][-30:]}”"
        raise Invalid(
            gettext("The %(what)s holds a character that no file of topics can hold: %(place)s. Remove it.")
            % {"what": what, "place": place}
        )


def _require_kept_parts(shown: ShownDraft, content: DraftContent) -> None:
    """Refuse to remove a question for which answers or nuggets were found, or to change its type."""
    keys = {part.key for part in content.parts}
    held = {find.part for find in shown.finds if find.part and find.kind != DraftFind.Kind.DOCUMENT}
    lost = sorted(part.text for part in shown.content.parts if part.key in held - keys)
    if lost:
        raise Conflict(
            gettext("Something was found for “%(lost)s”. Take that back before you take the question away.")
            % {"lost": lost[0][:80]}
        )
    drafting = require_drafting(shown.draft.campaign)
    for before in draft_parts(shown.content, drafting):
        after = next((part for part in draft_parts(content, drafting) if part.key == before.key), None)
        if after is not None and after.task != before.task and before.key in held:
            raise Conflict(
                gettext("Something was found for “%(text)s” as %(task)s. Take that back, then change the type.")
                % {"text": before.text[:80], "task": before.task}
            )
