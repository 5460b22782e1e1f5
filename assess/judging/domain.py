"""Rules for judgments: evidence must occur in the document, and no page overwrites a newer judgment that it did not
show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from assess.assignments.domain.held_work import lock_assignment
from assess.assignments.models import Assignment
from assess.assignments.queries.notices import TOLD, notices_of
from assess.base.errors import Conflict, Invalid
from assess.base.plain_reads import first_row
from assess.campaigns.designs import require_same_scale
from assess.campaigns.models import Campaign
from assess.documents.models import DocumentBody
from assess.items.models import Item
from assess.ledger.models import How
from assess.ledger.newest import Click, require_seen, unless_sent
from assess.protocol import Criterion
from assess.rendering.spans import Span, check_span, make_span, text_digest

# Evidence: the snippets that an assessor selects in an item's document to support a judgment.
#
# A snippet is stored as ``{"quote", "start", "end", "prefix", "suffix", "digest", "value"}``: its place in the
# document's viewable text (code points, see `assess.rendering.spans`), the digest of that text, and the snippet's own
# grade or None; and a "label", if it has one of those that the criterion names. ``start`` is -1 if the place is not
# known. An imported snippet may hold a grade without words, if an assessment graded a document and named no
# snippet; benches and adjudicators don't see such snippets.

MOST = 50
QUOTE_LIMIT = 5000
ANCHOR_LIMIT = 200
MEMBERS = {"quote", "start", "end", "prefix", "suffix", "digest", "value", "label"}

Snippet = dict[str, Any]


def checked_evidence(
    *, item: Item, criterion: Criterion, evidence: object, how: str, texts: Mapping[int, str] | None = None
) -> list[Snippet]:
    """Check the snippets of a judgment and return them as they are stored.

    Raises `Invalid` if the evidence is not a list of at most 50 snippets, if a quote does not occur word for word in
    the document's text, if it is not at the place that the snippet names, or if a snippet's grade is not on the scale.
    Raises `Conflict` if the text has changed since the quote was selected. A snippet without a place is looked up in
    the text. If the document is not stored, a snippet is stored without its place, but an imported snippet keeps the
    place that it names. An imported snippet that is not found is stored without a place.

    ``texts`` are the stored texts of documents by id; without it, one query.
    """
    if not isinstance(evidence, Sequence) or isinstance(evidence, str | bytes):
        raise Invalid(gettext("Evidence is a list of snippets, each with its quote."))
    if not criterion.evidence:
        raise Invalid(gettext("“%(key)s” takes no snippets. Reload the page and try again.") % {"key": criterion.key})
    if len(evidence) > MOST:
        raise Invalid(
            gettext("These are %(evidence)s snippets; %(value)s are allowed. Take some out.")
            % {"evidence": len(evidence), "value": MOST}
        )
    known = texts if texts is not None else texts_of([item])
    text = known.get(item.document_id) if item.document_id is not None else None
    return [_checked(snippet, criterion=criterion, text=text, how=how) for snippet in evidence]


def texts_of(items: Iterable[Item]) -> dict[int, str]:
    """Return the viewable texts of the items' documents, by the document's id. At most one query."""
    documents = {item.document_id for item in items if item.document_id is not None}
    if not documents:
        return {}
    return dict(DocumentBody.objects.filter(document__in=documents).values_list("document_id", "text"))


def same_evidence(stored: object, given: object) -> bool:
    """Return whether the snippets of a repeated request are those that the first request stored, in the same order.

    A start that one of the two does not say (-1, or none) equals any.
    """
    earlier = stored if isinstance(stored, list) else []
    again = given if isinstance(given, list) else []
    return len(earlier) == len(again) and all(_same(*pair) for pair in zip(earlier, again, strict=True))


def _same(stored: Snippet, given: object) -> bool:
    if not isinstance(given, Mapping):
        return False
    words = (given.get("quote"), given.get("value"), given.get("label") or "")
    same = (stored["quote"], stored["value"], stored.get("label", "")) == words
    return same and (given.get("start", -1) in (-1, stored["start"]) or stored["start"] == -1)


def _checked(snippet: object, *, criterion: Criterion, text: str | None, how: str) -> Snippet:
    if not isinstance(snippet, Mapping) or set(snippet) - MEMBERS:
        raise Invalid(
            gettext("A snippet has the members %(value)s and no others.") % {"value": ", ".join(sorted(MEMBERS))}
        )
    value = snippet.get("value")
    is_bare = how == How.IMPORT and value is not None and snippet.get("quote") == ""
    quote = "" if is_bare else _quote(snippet.get("quote"))
    if value is not None and (type(value) is not int or criterion.grade(value) is None):
        raise Invalid(gettext("The snippet's own grade is not on the scale."))
    label = snippet.get("label") or ""
    if label and label not in criterion.labels:
        labels = {"labels": ", ".join(criterion.labels)}
        known = gettext("The labels are: %(labels)s.") % labels if labels["labels"] else gettext("There are none here.")
        raise Invalid(
            gettext("A snippet of “%(key)s” has no label “%(label)s”. %(known)s")
            % {"key": criterion.key, "label": str(label)[:80], "known": known}
        )
    own: Snippet = {"value": value, **({"label": label} if label else {})}
    start = snippet.get("start", -1)
    if type(start) is not int:
        raise Invalid(gettext("A snippet's start must be a whole number, or -1 where it is not known."))
    if start < 0 and text is not None and not is_bare:
        start = text.find(quote)
        if start < 0 and how != How.IMPORT:
            raise Invalid(gettext("The snippet is not in the document's text, word for word. Select it in the text."))
    if text is None or start < 0 or is_bare:
        return {"quote": quote, **_anchor(snippet, quote, start if how == How.IMPORT else -1), **own}
    span = _span(text, snippet, quote=quote, start=start)
    return {
        "quote": quote,
        "start": span.start,
        "end": span.end,
        "prefix": span.prefix,
        "suffix": span.suffix,
        "digest": span.text_sha256,
        **own,
    }


def _anchor(snippet: Mapping[str, object], quote: str, start: int) -> dict[str, Any]:
    """Return the recorded place of a snippet, and the text around it, in a document that is not stored here.

    If no place was recorded, the place is -1 and the texts are empty. Raises `Invalid` for too long a text around it.
    """
    if start < 0:
        return {"start": -1, "end": -1, "prefix": "", "suffix": "", "digest": ""}
    words = {name: str(snippet.get(name) or "") for name in ("prefix", "suffix", "digest")}
    if any(len(word) > ANCHOR_LIMIT or "\0" in word for word in words.values()):
        raise Invalid(gettext("The context of a snippet has at most %(value)s characters.") % {"value": ANCHOR_LIMIT})
    return {"start": start, "end": start + len(quote), **words}


def _quote(quote: object) -> str:
    if not isinstance(quote, str) or not quote.strip():
        raise Invalid(gettext("A snippet needs its words. Select them in the document's text."))
    if len(quote) > QUOTE_LIMIT:
        raise Invalid(
            gettext("The snippet has %(quote)s characters; %(value)s are allowed. Select less.")
            % {"quote": len(quote), "value": QUOTE_LIMIT}
        )
    if "\0" in quote or any("\ud800" <= character <= "\udfff" for character in quote):
        raise Invalid(
            gettext("The snippet contains characters that no text can contain. Select it in the document's text.")
        )
    return quote


def _span(text: str, snippet: Mapping[str, object], *, quote: str, start: int) -> Span:
    """Return the span of a quote. Raises `Conflict` if the document's text was another one, and `Invalid` if the place
    does not hold the quote, or the text around it differs.
    """
    digest = snippet.get("digest") or text_digest(text)
    if digest != text_digest(text):
        raise Conflict(
            gettext(
                "The document's text is not the text in which you marked words. Reload the page and select them again."
            )
        )
    if snippet.get("end", -1) not in (-1, start + len(quote)):
        raise Invalid(gettext("The snippet's end is not where its quote ends. Select it again."))
    try:
        found = make_span(text, start=start, end=start + len(quote))
    except ValueError as error:
        raise Invalid(gettext("The snippet lies outside the document's text. Select it again.")) from error
    given = Span(
        start=found.start,
        end=found.end,
        quote=quote,
        prefix=str(snippet.get("prefix", found.prefix)),
        suffix=str(snippet.get("suffix", found.suffix)),
        text_sha256=found.text_sha256,
    )
    if problem := check_span(text, given):
        raise Invalid(problem)
    return found


# Refuse writes under an assignment that would overwrite something newer that their page did not show.


UNREAD = "unread"
"""The code of a refusal of a click whose page did not show the newest notice. Browsers keep the click and resend it."""


NEWER = f"""
SELECT 1 FROM assess_activity
WHERE campaign_id = %s AND action IN ({", ".join(["%s"] * len(TOLD))}) AND id > %s LIMIT 1
"""


def require_notices_shown(*, actor: User, campaign: Campaign, told: int | None) -> None:
    """Raise `Conflict` (code "unread") if the person who clicked was not shown a newer notice.

    ``told`` is the ledger point up to which the page showed notices. It is None without a page, as in calls of the API
    and in files; then nothing is raised. Notices that the person marked as read count as shown. One query if there is
    nothing new.
    """
    if told is None or first_row(NEWER, [campaign.pk, *TOLD, told]) is None:
        return
    unread = [notice.text for notice in notices_of(campaign, actor) if notice.point > told]
    if unread:
        raise Conflict(
            gettext(
                "Something new came before this was saved. %(unread)s Read it on the page, say that you "
                "have read it (z), and then this is sent again."
            )
            % {"unread": " ".join(unread)},
            code=UNREAD,
        )


def require_nothing_unseen(
    assignment: Assignment, *, click: Click, current: Callable[[], object], design: str | None = None
) -> None:
    """Raise `Conflict` for a click if its page lacked a newer answer, notice or scale.

    The refusals are those of `require_seen`, `require_notices_shown` and `require_same_scale`. The assignment must be
    locked. ``current`` returns what is recorded now. ``design`` is the design whose grades the page showed. Costs one
    query for each of ``told``, ``design`` and ``shown`` that the click brings, and more if something newer is found. A
    click that was stored before must not be asked again: `add_judgments` and `unless_sent` see to that.
    """
    require_notices_shown(actor=assignment.assessor, campaign=assignment.campaign, told=click.told)
    if design is not None:
        require_same_scale(assignment.campaign, design)
    if click.shown is not None:
        require_seen(shown=click.shown, current=current())


@contextmanager
def nothing_unseen(
    assignment: Assignment, *, click: Click, was_sent: Callable[[], bool], current: Callable[[], object]
) -> Iterator[None]:
    """Raise what `require_nothing_unseen` raises, unless the click was stored before; then run the block.

    The block is a write that locks the assignment itself; ``was_sent`` returns whether it was stored before. If the
    click names what its page showed, the assignment is locked before the check, and the block belongs to the same
    transaction.
    """
    with transaction.atomic() if click.shown is not None else nullcontext():
        if click.shown is not None:
            lock_assignment(assignment)
        with unless_sent(was_sent):
            require_nothing_unseen(assignment, click=click, current=current)
        yield
