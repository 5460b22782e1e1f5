"""The links from a page to the campaign's other pages: the header's entries, each with the pages below it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext, gettext_noop

from assess.campaigns.models import Campaign
from assess.campaigns.queries import drafting_of
from assess.campaigns.seats import Seat, may_search


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the header, for people with the role ``who`` in the campaign.

    It links to the first of its ``pages`` (name of the address, label). These are listed in a line below the header
    while the reader is on any of them. ``below`` are the beginnings of addresses, after the campaign's own, that belong
    to it.
    """

    label: str
    who: str
    pages: tuple[tuple[str, str], ...]
    below: tuple[str, ...]


ENTRIES = (
    Entry(gettext_noop("Overview"), "organiser", (("overview", ""),), ("", "state", "stop", "freeze", "unfreeze")),
    Entry(gettext_noop("Topics"), "organiser", (("topics", ""),), ("topics", "topic-drafts/desk")),
    Entry(
        gettext_noop("Documents"),
        "organiser",
        (("documents", gettext_noop("Stored documents")), ("search", gettext_noop("Search"))),
        ("documents", "search"),
    ),
    Entry(gettext_noop("Runs"), "organiser", (("runs", ""),), ("runs",)),
    Entry(gettext_noop("Pools"), "organiser", (("pool", ""),), ("pool",)),
    Entry(
        gettext_noop("Work"),
        "organiser",
        (
            ("assignments", gettext_noop("Who judges what")),
            ("double-judging", gettext_noop("Second assessors")),
            ("work-rules", gettext_noop("Rules of work")),
            ("plants", gettext_noop("Repeats and gold")),
            ("questions", gettext_noop("Questions of assessors")),
        ),
        ("assignments", "settings/work", "questions"),
    ),
    Entry(
        gettext_noop("People"),
        "organiser",
        (
            ("people", gettext_noop("Members")),
            ("invitations", gettext_noop("Invitations")),
            ("time-sheets", gettext_noop("Time sheets")),
            ("audit", gettext_noop("Audit")),
        ),
        ("people", "audit", "practice"),
    ),
    Entry(gettext_noop("Progress"), "organiser", (("progress", ""),), ("progress",)),
    Entry(
        gettext_noop("Quality"),
        "organiser",
        (
            ("agreement", gettext_noop("Agreement")),
            ("adjudication", gettext_noop("Adjudication")),
            ("consistency", gettext_noop("Self-consistency")),
            ("stability", gettext_noop("Stability of rankings")),
            ("significance", gettext_noop("Significance")),
            ("machines", gettext_noop("Machine judges")),
        ),
        ("agreement", "adjudication", "people/consistency", "stability", "significance", "machines", "settings/drafts"),
    ),
    Entry(
        gettext_noop("Scores"),
        "organiser",
        (
            ("scores", gettext_noop("All runs")),
            ("analysis", gettext_noop("Analysis")),
            ("score-report", gettext_noop("Reports to teams")),
        ),
        ("scores", "analysis", "report"),
    ),
    Entry(
        gettext_noop("Release"),
        "organiser",
        (("release", gettext_noop("Releases")), ("exports", gettext_noop("Exports"))),
        ("release", "exports"),
    ),
    Entry(
        gettext_noop("Settings"),
        "organiser",
        (
            ("settings", gettext_noop("This campaign")),
            ("design", gettext_noop("Design")),
            ("guidelines-edit", gettext_noop("Guidelines")),
            ("user-agreement", gettext_noop("User agreement")),
            ("activity", gettext_noop("Activity")),
            ("works", gettext_noop("Background jobs")),
            ("webhooks", gettext_noop("Webhooks")),
        ),
        ("settings", "guidelines", "user-agreement", "activity", "jobs", "webhooks"),
    ),
    Entry(gettext_noop("Work"), "judge", (("work", ""),), ("work", "look-again", "practice")),
    Entry(gettext_noop("My topics"), "maker", (("topic-drafts", ""),), ("topic-drafts",)),
    Entry(gettext_noop("Adjudication"), "adjudicator", (("adjudication", ""),), ("adjudication",)),
    Entry(gettext_noop("Search"), "judge", (("search", ""),), ("search", "documents")),
    Entry(gettext_noop("Guidelines"), "judge", (("guidelines", ""),), ("guidelines",)),
    Entry(gettext_noop("Release"), "member", (("release", ""),), ("release",)),
    Entry(gettext_noop("My runs"), "participant", (("runs", ""),), ("runs",)),
    Entry(gettext_noop("My scores"), "participant", (("score-report", ""),), ("report",)),
    Entry(
        gettext_noop("Topics"),
        "participant",
        (("topics", ""),),
        ("topics", "user-agreement", "documents", "guidelines"),
    ),
)


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the header. ``current`` is its aria-current value: "page", "true" for a parent of the page, or ""."""

    label: str
    url: str
    current: str


@dataclass(frozen=True, slots=True)
class Navigation:
    """The header's links, and those of the sibling pages."""

    entries: list[Link]
    beside: list[Link]


def navigation_of(path: str, seat: Seat) -> Navigation:
    """Return the links for the page at ``path``. Only the entry to which the page belongs is marked as current."""
    there = [(entry, pages) for entry in _entries(seat) if (pages := _pages(entry, seat.campaign.slug))]
    here = path.removeprefix(f"/c/{seat.campaign.slug}/")
    depths = [(pages[0][1] == path, _length(entry.below, here)) for entry, pages in there]
    lit = there[depths.index(max(depths))] if any(length for _, length in depths) else None
    entries = [
        Link(_label(entry, seat), pages[0][1], _current(pages[0][1], path) if lit and entry is lit[0] else "")
        for entry, pages in there
    ]
    pages = lit[1] if lit and len(lit[1]) > 1 else []
    nearest = max((url for _, url in pages if path.startswith(url)), key=len, default="")
    beside = [Link(gettext(label), url, _current(url, path) if url == nearest else "") for label, url in pages]
    return Navigation(entries, beside)


def _entries(seat: Seat) -> Iterator[Entry]:
    """Yield the entries for this seat. For an organiser, a page listed below one entry gets no further entry of its
    own.
    """
    held = {
        "organiser": seat.is_organiser,
        "judge": seat.is_judge,
        "maker": seat.is_judge and drafting_of(seat.campaign) is not None,
        "adjudicator": seat.is_adjudicator,
        "participant": seat.is_participant,
        "member": seat.campaign.state == Campaign.State.RELEASED,
    }
    shown: set[str] = set()
    for entry in ENTRIES:
        first = entry.pages[0][0]
        if held[entry.who] and first not in shown and (first != "search" or may_search(seat)):
            shown.update(name for name, _ in entry.pages)
            yield entry


def _label(entry: Entry, seat: Seat) -> str:
    own = entry.who == "judge" and entry.label == "Work" and seat.is_organiser
    return gettext("My work") if own else gettext(entry.label)


def _pages(entry: Entry, slug: str) -> list[tuple[str, str]]:
    """Return labels and addresses, without pages that this site lacks."""
    found = []
    for name, label in entry.pages:
        try:
            found.append((label, reverse(name, args=[slug])))
        except NoReverseMatch:
            continue
    return found


def _length(below: tuple[str, ...], here: str) -> int:
    """Return the length of the part of a page's address that belongs to an entry; 0 if none does."""
    return (
        max((len(part) + 1 for part in below if f"{here}/".startswith(f"{part}/")), default=0) if here else "" in below
    )


def _current(url: str, path: str) -> str:
    return "page" if url == path else "true"
