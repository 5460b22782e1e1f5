"""The list of the adjudication bench: which disagreements it shows, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, pgettext

from assess.adjudication.domain import question_named
from assess.adjudication.queries.disagreements import (
    counted_disagreements,
    criteria_of,
    disagreements,
    is_settled,
    kind_of,
)
from assess.adjudication.queries.listing import inner_name, shown_name
from assess.adjudication.queries.windows import Rows, TopicRows, WholeRows, counted_in_order, numbers_in_order
from assess.assignments.models import Assignment
from assess.base.errors import NotFound
from assess.campaigns.models import Campaign
from assess.campaigns.seats import SETTLERS, Seat, access_seat
from assess.judging.answer_words import LINE_STATES
from assess.kinds.base import work_kind
from assess.kinds.opinions import Disagreement
from assess.protocol import Criterion, Stage
from assess.web.table import CHOSEN_FROM

PER_PAGE = 200
SORTS = (("topic", gettext_lazy("topic")), ("size", gettext_lazy("size, largest first")))
FILTERS = (
    ("all", gettext_lazy("all")),
    ("unjudged", gettext_lazy("undecided")),
    ("flagged", gettext_lazy("noted or later")),
)
SIDES = ("left", "right")
NOT_YOURS = gettext_lazy(
    "Nobody disagrees about this any more, or the address is another adjudicator's: the "
    "numbers in addresses are each person's own. Open Adjudication and choose the topic "
    "there."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class DeskLine:
    """One disagreement in the list. ``values`` holds the decision by criterion; ``id`` is the name that the page
    shows.
    """

    id: str
    place: int
    label: str
    docno: str
    values: Mapping[str, int]
    note: str
    is_later: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether the disagreement is decided."""
        return bool(self.values)

    @property
    def state(self) -> str:
        """The state that the list shows."""
        return "judged" if self.is_judged else "later" if self.is_later else "open"


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """The contents of one page of the bench: a criterion, the address's filter and order, and the matching rows.

    ``topics`` (numbers) and ``largest`` (size) are those of all disagreements, before filtering.
    """

    seat: Seat
    stage: Stage
    criterion: Criterion
    topics: list[str]
    largest: int
    rows: Rows
    chosen: dict[str, str]

    @property
    def has_typed_topic(self) -> bool:
        """Whether the filter has a field to type a topic's number in, since a list of all topics would be too long."""
        return len(self.topics) > CHOSEN_FROM

    @property
    def base(self) -> str:
        """The address of the bench."""
        return reverse("adjudicate", args=[self.seat.campaign.slug, self.stage.key, self.criterion.key])

    def shown(self, row: Disagreement) -> str:
        """Return the name of a row for this adjudicator, which reveals no id."""
        return shown_name(self.seat.campaign, self.stage, row.thing, self.seat.user)

    @property
    def kept(self) -> str:
        """The filter and order of the list, as the beginning of an address's query."""
        address = urlencode({name: value for name, value in self.chosen.items() if value})
        return f"{address}&" if address else ""


def outcome_text(desk: Desk, row: Disagreement, line: DeskLine | None = None) -> str:
    """Return the list's text for a row: the decision, or that the row is open or set aside for later."""
    if row.decided is None:
        return str(LINE_STATES["later" if line is not None and line.is_later else "open"])
    if kind_of(desk.stage).is_whole:
        place = places_of(row).get(row.decided)
        return gettext("their own") if place is None else pgettext("side", place)
    grade = desk.criterion.grade(row.decided)
    return grade.name if grade is not None else str(row.decided)


def place_names(row: Disagreement) -> list[str]:
    """Return the name of each side by its position: left, right, or between them."""
    last = len(row.sides) - 1
    return [SIDES[0] if n == 0 else SIDES[1] if n == last else f"middle {n}" for n in range(len(row.sides))]


def places_of(row: Disagreement) -> dict[int, str]:
    """Return, for each value, the position name of the first side that holds it."""
    found: dict[int, str] = {}
    for side, name in zip(row.sides, place_names(row), strict=True):
        found.setdefault(side.value, name)
    return found


def access_adjudicator(request: HttpRequest, slug: str) -> Seat:
    """Return the seat of an adjudicator or organiser, who may settle disagreements."""
    return access_seat(request.user, slug, *SETTLERS)


def adjudication_address(assignment: Assignment, stage: Stage) -> str | None:
    """Return the address at which an adjudicator settles their topic's disagreements; None if the topic has no
    disagreement.

    Also return None for work that is settled as a whole, which an adjudicator may do on its own bench, and for stages
    in which the spread of opinions is the weight.
    """
    kind = work_kind(stage.work.key).adjudication
    if assignment.role != Assignment.Role.ADJUDICATOR or kind is None or kind.is_whole or not is_settled(stage):
        return None
    campaign, found = assignment.campaign, {}
    for each in criteria_of(campaign, stage):
        if rows := disagreements(campaign, stage, each, topics=[assignment.topic_id]):
            found[each.key] = sum(row.decided is None for row in rows)
    if not found:
        return None
    criterion = max(found, key=lambda key: found[key] > 0)
    address = reverse("adjudicate", args=[campaign.slug, stage.key, criterion])
    return f"{address}?{urlencode({'topic': assignment.topic.number})}"


def why_closed(campaign: Campaign) -> str:
    """Return a sentence that says why nothing can be decided now, or ""."""
    if campaign.state == Campaign.State.JUDGING:
        return ""
    return gettext("The campaign is %(get_state_display)s, so nothing can be decided now. You can read what was.") % {
        "get_state_display": campaign.get_state_display()
    }


def open_desk(request: HttpRequest, slug: str, stage: str, criterion: str) -> Desk:
    """Return the desk at an address for an adjudicator, with the rows filtered and ordered as the address says."""
    seat = access_adjudicator(request, slug)
    about = question_named(seat.campaign, stage, criterion)
    chosen = _chosen(request)
    size = int(chosen["size"][:4]) if chosen["size"].isascii() and chosen["size"].isdigit() else 0
    if chosen["sort"] == "size" or kind_of(about[0]).counted is None:
        return _whole_desk(seat, about, chosen, size)
    groups = counted_disagreements(seat.campaign, *about, person=seat.user)
    numbers = numbers_in_order(seat.campaign, groups)
    topics = [topic for topic, number in numbers.items() if chosen["topic"] in ("", number)]
    total, done = counted_in_order(groups, topics, size)
    return Desk(
        seat=seat,
        stage=about[0],
        criterion=about[1],
        topics=sorted(set(numbers.values())),
        largest=max((group.size for group in groups), default=1),
        rows=TopicRows(
            campaign=seat.campaign,
            stage=about[0],
            criterion=about[1],
            person=seat.user,
            size=size,
            total=total,
            done=done,
        ),
        chosen=chosen,
    )


def _whole_desk(seat: Seat, about: tuple[Stage, Criterion], chosen: dict[str, str], size: int) -> Desk:
    """Return a desk for which all disagreements are read: to sort them by size, or if the kind can't count them."""
    rows = disagreements(seat.campaign, *about, person=seat.user)
    kept = [row for row in rows if chosen["topic"] in ("", row.topic) and row.size >= size]
    if chosen["sort"] == "size":
        kept.sort(key=lambda row: -row.size)
    return Desk(
        seat=seat,
        stage=about[0],
        criterion=about[1],
        topics=sorted({row.topic for row in rows}),
        largest=max((row.size for row in rows), default=1),
        rows=WholeRows(kept),
        chosen=chosen,
    )


def desk_of_one(request: HttpRequest, slug: str, stage: str, criterion: str, thing: str) -> Desk:
    """Return the desk with a single disagreement; raise `NotFound` if nobody disagrees about it any more."""
    seat = access_adjudicator(request, slug)
    about = question_named(seat.campaign, stage, criterion)
    named = inner_name(seat.campaign, about[0], thing, seat.user)
    rows = disagreements(seat.campaign, *about, person=seat.user, things=[named])
    if not rows:
        raise NotFound(NOT_YOURS)
    return Desk(
        seat=seat,
        stage=about[0],
        criterion=about[1],
        topics=[rows[0].topic],
        largest=rows[0].size,
        rows=WholeRows(rows),
        chosen=_chosen(request),
    )


def _chosen(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "").strip() for name in ("topic", "size", "sort")}


def _place(request: HttpRequest) -> int | None:
    """Return the place in the list that the address names, or None."""
    place = request.GET.get("place", "")
    return int(place) if place.isascii() and place.isdigit() and len(place) < 10 and int(place) else None


def page_of(request: HttpRequest, desk: Desk) -> Page[int]:
    """Return one page of the list, as a page of places that count from 0. It is the page that the address asks for, or
    the one that contains the item that the address names.

    Raises `NotFound` if the address names nothing in this list, such as an address that another adjudicator sent.
    """
    pages = Paginator(range(len(desk.rows)), PER_PAGE)
    shown = request.GET.get("item", "")
    if not shown:
        place = _place(request)
        return pages.get_page(request.GET.get("page") if place is None else (place - 1) // PER_PAGE + 1)
    wanted = inner_name(desk.seat.campaign, desk.stage, shown, desk.seat.user)
    place = desk.rows.place_of(wanted)
    if place is None and named_row(desk, wanted) is None:
        raise NotFound(NOT_YOURS)
    return pages.get_page(request.GET.get("page") if place is None else place // PER_PAGE + 1)


def named_row(desk: Desk, name: str) -> Disagreement | None:
    """Return the disagreement with this name even if the filter leaves it out, or None.

    It makes the queries of `disagreements`.
    """
    about = (desk.seat.campaign, desk.stage, desk.criterion)
    return next(iter(disagreements(*about, person=desk.seat.user, things=[name])), None)


def lines_of(desk: Desk, rows: Sequence[Disagreement], first: int = 1, later: Collection[str] = ()) -> list[DeskLine]:
    """Return the rows as lines of the list, numbered from ``first``. It makes the queries for the kind's labels.

    ``later`` holds the names of those set aside (`decided_later`).
    """
    labels = kind_of(desk.stage).labels(desk.seat.campaign, desk.stage, rows)
    return [
        DeskLine(
            id=desk.shown(row),
            place=place,
            label=labels[row.name].label,
            docno=labels[row.name].docno,
            values={desk.criterion.key: row.decided} if row.decided is not None else {},
            note=row.note,
            is_later=row.name in later,
        )
        for place, row in enumerate(rows, start=first)
    ]


def current_line(request: HttpRequest, lines: list[DeskLine]) -> DeskLine | None:
    """Return the line that the address names, or else the first open one, or else the first one; None if there is none.

    Open lines that were set aside come after the other open lines.
    """
    wanted, place = request.GET.get("item", ""), _place(request)
    named = next((line for line in lines if line.id == wanted or (not wanted and line.place == place)), None)
    ordered = sorted((line for line in lines if not line.is_judged), key=lambda line: line.is_later)
    return named or next(iter([*ordered, *lines]), None)


def lines_around(lines: list[DeskLine], current: DeskLine | None) -> dict[str, DeskLine]:
    """Return the lines before and after the current one, if there are any, as "previous" and "next". Pages without
    scripts have links to them.
    """
    if current is None:
        return {}
    index = lines.index(current)
    found = {"previous": lines[index - 1] if index else None, "next": lines[index + 1 : index + 2]}
    return {name: line[0] if isinstance(line, list) else line for name, line in found.items() if line}
