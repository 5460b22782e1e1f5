"""Tags for parts that every page shares, such as a state as a badge and a column head that sorts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache
from gettext import GNUTranslations
from html import unescape
from typing import Any

from django import template
from django.conf import settings
from django.forms import BaseForm, BoundField
from django.template import Context
from django.template.defaulttags import querystring
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import localize_input
from django.utils.html import format_html, json_script
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext, gettext_noop

from assess.assignments.models import Assignment
from assess.assignments.queries.work_items import handle_of
from assess.base.prose import Block
from assess.base.sentences import told
from assess.base.wording import inside_quotes
from assess.campaigns.dates import moment_words, zone_words
from assess.campaigns.models import Campaign
from assess.campaigns.queries import known_track, track_of
from assess.campaigns.seats import Seat
from assess.campaigns.track_texts import in_language
from assess.documents.access import can_search
from assess.documents.domain.lists import has_list_for
from assess.documents.script_language import language_of
from assess.items.models import Item
from assess.kinds.base import noun_and_plural, noun_for
from assess.protocol import ContextPart
from assess.releases.domain.archives import manifest_sha256
from assess.releases.domain.releasing import released_names
from assess.releases.models import Release
from assess.runs.domain.submission_rules import run_window
from assess.runs.queries import without_names
from assess.topics.models import Topic
from assess.topics.queries import amendments_of, topic_context
from assess.web.table import Listing

register = template.Library()
ENGLISH = "en"
BROWSERS = (
    ("Edge", "Edg"),  # each also names those below
    ("Opera", "OPR/"),
    ("Samsung Internet", "SamsungBrowser/"),
    ("Firefox", "Firefox/"),
    ("Firefox", "FxiOS/"),
    ("Chrome", "CriOS/"),
    ("Chrome", "Chrome/"),
    ("Safari", "Version/"),
)
"""Browsers and the sign of each in a User-Agent, the first that fits."""
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("ChromeOS", "CrOS"),
    ("macOS", "Macintosh"),
    ("Linux", "Linux"),
)


@register.filter
def midsentence(label: object) -> str:
    """Return a heading for use inside a sentence: in lower case, except in German, which capitalises nouns."""
    said = str(in_language(label) if isinstance(label, str) else label)
    return said if (get_language() or "").startswith("de") else said.lower()


@register.filter
def as_typed(number: object) -> str:
    """Return a number for a field in which people type one, in the page's language: 1.5, or 1,5 in German."""
    return str(localize_input(number))


@register.filter
def lookup(found: Mapping[str, Any], key: str) -> Any:
    """Return what a mapping has under a key, or None."""
    return found.get(key)


@register.filter
def handle(item: Item, assignment: Assignment) -> int:
    """Return the number by which this assignment's assessor knows the item. Pages never contain its id."""
    return handle_of(assignment, item.pk)


@register.filter
def prose(block: Block) -> str:
    """Return a block of guidelines or of a guide as HTML. `assess.base.prose` has escaped what people wrote in it."""
    return mark_safe(block.html)  # noqa: S308


@register.simple_tag(takes_context=True)
def written(context: Context, text: str, language: str = "") -> str:
    """Return the attributes of an element with somebody's text: its direction and its language.

    ``language`` is that of the document from which the text was taken, or, without a ``text``, that of the whole
    element. A text without a document is in the language of the campaign's texts, unless its letters show another.
    Latin letters in a campaign of another script are taken for English.
    """
    seat = context.get("seat")
    campaign = seat.campaign if seat else context.get("campaign")
    track = known_track(campaign) if isinstance(campaign, Campaign) else None
    own = track.language if track is not None else ENGLISH
    return format_html('dir="auto" lang="{}"', language_of(str(text or ""), language or "", own, ENGLISH) or ENGLISH)


@register.simple_tag
def script_words() -> str:
    """Return the texts of a page's scripts in its language, for `static/js/web/words.js`; "" for English, which they
    contain.
    """
    return _script_words(get_language() or "en")


@cache
def _script_words(language: str) -> str:
    if language == "en":
        return ""
    with (settings.LOCALE_PATHS[0] / language / "LC_MESSAGES" / "djangojs.mo").open("rb") as file:
        found = GNUTranslations(file)._catalog  # type: ignore[attr-defined]
    return json_script({text: said for text, said in found.items() if text}, "words")


@register.simple_block_tag
def words(content: str) -> str:
    """Return a text of several lines without markup as one line, to be passed to an included template: ``{% words as
    lead %}…{% endwords %}``.
    """
    return " ".join(unescape(content).split())


@register.inclusion_tag("assess/parts/badge.html")
def badge(state: str, text: str = "") -> dict[str, str]:
    """Return a state as a sign and words, in its tone. ``text`` replaces the words."""
    glyph, tone, words = badge_of(state)
    return {"glyph": glyph, "tone": tone, "text": text or gettext(words)}


register.filter("inside_quotes", inside_quotes)
register.filter("in_language", in_language)
register.filter("told", told)


@register.filter
def moment(value: datetime | None, precision: str = "") -> str:
    """Return a time in the zone of the page's campaign: "2026-12-01 23:59 CET"; "s" adds seconds; "" for None."""
    if value is None:
        return ""
    return moment_words(value, str(timezone.get_current_timezone()), seconds=precision == "s")


@register.filter
def fields_with_focus(form: BaseForm) -> list[BoundField]:
    """Return the visible fields of a form that is all there is on its page: the cursor is in the first."""
    fields = form.visible_fields()
    for field in fields[:1]:
        field.field.widget.attrs["autofocus"] = True
    return fields


@register.filter
def browser_name(agent: str) -> str:
    """Return the browser and the system that a User-Agent names: "Firefox, Windows". Return it as it is where it names
    no known browser.
    """
    browser = next((name for name, sign in BROWSERS if sign in agent), "")
    system = next((name for name, sign in SYSTEMS if sign in agent), "")
    return ", ".join(filter(None, (browser, system))) if browser else agent


@register.filter(name="zone_words")
def said_zone(zone: str) -> str:
    """Return the name that people use for a time zone: {{ "Etc/GMT+12"|zone_words }} is "AoE"."""
    return zone_words(zone)


@register.filter
def noun_of(unit: str, number: int) -> str:
    """Return the noun for this number of items: {{ "items"|noun_of:1 }} is "item"."""
    return gettext(noun_for(unit, number))


@register.simple_tag(name="released_names")
def released_names_of(campaign: Campaign) -> dict[str, str]:
    """Return the names of runs in the published release by tag, for a page that shows a team only its own runs."""
    return released_names(campaign)


@register.simple_tag(takes_context=True)
def other_page(context: Context, name: str, number: int) -> str:
    """Return the page's address with the list that the parameter ``name`` turns at page ``number``. Other lists on it
    stay where they are.
    """
    asked: dict[str, Any] = {name: number}
    return str(querystring(context, **asked))


@register.simple_tag
def runs_window(campaign: Campaign) -> str:
    """Return a sentence on when participants may submit runs to the campaign."""
    return run_window(campaign=campaign, is_organiser=False).sentence


@register.simple_tag
def list_address(seat: Seat, topic: Topic) -> str:
    """Return the address of the topic's document list, or "" if there is no list that the member may see."""
    return reverse("document-list", args=[seat.campaign.slug, topic.number]) if has_list_for(seat, topic) else ""


@register.simple_tag
def search_address(seat: Seat) -> str:
    """Return the address of the document search, or "" if there are no documents or the member may not search."""
    return reverse("search", args=[seat.campaign.slug]) if can_search(seat) else ""


@register.simple_tag
def manifest_sum(release: Release) -> str:
    """Return the sha256 of the release's manifest."""
    return manifest_sha256(release.archive)


@register.simple_tag
def segment_noun(campaign: Campaign) -> str:
    """Return the track's noun for a segment of a run, in the reader's language."""
    return noun_and_plural(track_of(campaign).segment_noun)[0]


@register.simple_tag
def segment_nouns(campaign: Campaign) -> str:
    """Return the plural of the track's noun for a segment of a run, in the reader's language."""
    return noun_and_plural(track_of(campaign).segment_noun)[1]


@register.simple_tag
def topic_parts(topic: Topic) -> tuple[ContextPart, ...]:
    """Return what the track shows of a topic beside the work, with its headings in the reader's language."""
    return tuple(
        replace(
            each,
            heading=in_language(each.heading),
            lines=tuple((in_language(label), text) for label, text in each.lines),
        )
        for each in topic_context(topic)
    )


@register.simple_tag
def topic_amendments(topic: Topic, assignment: Assignment | str) -> dict[str, Any]:
    """Return how the topic was amended, without names of runs and teams, and whether that was after the assignment was
    started.
    """
    found = [replace(each, reason=without_names(topic.campaign, each.reason)) for each in amendments_of(topic)]
    begun = assignment.started_at if isinstance(assignment, Assignment) else None
    return {"amendments": found, "since": begun is not None and any(each.at > begun for each in found)}


@register.inclusion_tag("assess/parts/sort_header.html", takes_context=True)
def sort_header(
    context: Context, listing: Listing, key: str, label: str, number: bool = False
) -> dict[str, str | bool]:
    """Return a column head that sorts by ``key``. The rest of the address stays the same."""
    query = context["request"].GET.copy()
    query.pop("page", None)
    query["sort"] = listing.next_sort(key)
    return {"url": f"?{query.urlencode()}", "label": label, "direction": listing.direction(key), "number": number}


BADGES = {
    "open": ("○", "", gettext_noop("open")),
    "waiting": ("◌", "", gettext_noop("waiting")),
    "started": ("◐", "accent", gettext_noop("started")),
    "grown": ("↻", "warn", gettext_noop("open again")),
    "running": ("◐", "accent", gettext_noop("running")),
    "done": ("●", "good", gettext_noop("done")),
    "empty": ("∅", "", gettext_noop("nothing to judge")),
    "returned": ("↩", "warn", gettext_noop("given back")),
    "failed": ("✕", "bad", gettext_noop("failed")),
    "stopped": ("■", "warn", gettext_noop("stopped")),
    "lost": ("✕", "bad", gettext_noop("worker lost")),
    "judged": ("●", "good", gettext_noop("judged")),
    "carried": ("◐", "accent", gettext_noop("carried over")),
    "flagged": ("⚑", "warn", gettext_noop("question asked")),
    "excused": ("⊘", "", gettext_noop("excused")),
    "checking": ("◐", "accent", gettext_noop("being checked")),
    "accepted": ("✓", "good", gettext_noop("accepted")),
    "rejected": ("✕", "bad", gettext_noop("rejected by the checker")),
    "withdrawn": ("⊘", "", gettext_noop("withdrawn")),
    "setup": ("○", "", gettext_noop("setting up")),
    "judging": ("◐", "accent", gettext_noop("judging")),
    "frozen": ("❄", "warn", gettext_noop("frozen")),
    "released": ("✓", "good", gettext_noop("released")),
    "superseded": ("⊘", "", gettext_noop("superseded")),
    "draft": ("✎", "", gettext_noop("draft")),
    "sent": ("→", "accent", gettext_noop("sent")),
    "back": ("↩", "warn", gettext_noop("sent back")),
    "ok": ("✓", "good", gettext_noop("page and text")),
    "text-only": ("≡", "warn", gettext_noop("text only")),
    "blank": ("□", "warn", gettext_noop("shows nothing without scripts")),
}
"""state -> sign, tone, words"""


def badge_of(state: str) -> tuple[str, str, str]:
    """Return the sign, tone and words of a state. An unknown state is shown by its own name, behind a dot.

    >>> badge_of("judged"), badge_of("elsewhere")
    (('●', 'good', 'judged'), ('·', '', 'elsewhere'))
    """
    return BADGES.get(state, ("·", "", state))
