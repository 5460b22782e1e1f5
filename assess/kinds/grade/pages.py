"""The bench for grading items one by one."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_POST

from assess.assignments.access import access_assignment, access_held_item, access_work, held_work, reading_click
from assess.assignments.models import Assignment
from assess.assignments.queries.waiting import unit_of
from assess.base.errors import NotFound
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.documents.likeness import like_name
from assess.judging.answer_words import answer_word
from assess.judging.domain import require_nothing_unseen
from assess.judging.queries.bench import BenchItem, BenchList, bench_item, shown_grade
from assess.judging.queries.known_answers import compared_answers_at
from assess.judging.views.bench_page import closed_values, render_bench
from assess.judging.views.item_on_bench import lay_out
from assess.kinds.base import Tally, noun_for
from assess.kinds.grade.posted import posted_judgment
from assess.kinds.grade.record import JudgmentInput, add_judgment
from assess.kinds.grade.tally import grade_tally
from assess.ledger.models import How
from assess.ledger.newest import Shown
from assess.pools.domain.growth import extend_quietly, pool_grows
from assess.protocol import LIKENESS, Criterion, Stage, asked_criteria, given_words, is_plain
from assess.web.page import render_page, render_part
from assess.web.requests import person_of, posted_click, posted_number, wants_json

FILTERS = (("all", gettext_lazy("all")), ("unjudged", gettext_lazy("unjudged")), ("flagged", gettext_lazy("flagged")))
LONG = 200  # lines; the page holds only a part of a longer list
WINDOW = 25
SCROLLED = 120  # lines of a window that the script requests while scrolling
LABEL = 90  # characters
CALLED = 60  # characters of a label in a message
LONGEST = 16  # digits of a number in an address


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the bench with the item that the address names, else with the first open item."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    bench = BenchList(assignment, stage)
    place = _place(request, bench)
    chosen = _filter(request)
    seat = access_seat(request.user, assignment.campaign.slug)
    shown = bench.places(chosen)
    window = _window(request, bench, shown, place)
    in_hand = bench.in_hand(place) if place is not None else None
    return render_bench(
        request,
        "assess/kinds/grade/bench.html",
        seat,
        assignment=assignment,
        stage=stage,
        rows=_rows(bench, stage, window.places, shown, place),
        window=window,
        filters=FILTERS,
        filter=chosen,
        shown=len(shown),
        thing=lay_out(request, assignment, stage, in_hand) if in_hand is not None else None,
        tally=Tally(done=bench.done, total=len(bench), unit=unit_of(stage)),
        total=len(bench),
        seconds=bench.seconds,
        timed=bench.timed,
        around=_around(bench, place),
        asks=_asks(stage),
        keys=" ".join(key for each in stage.criteria for key in each.keys),
        grows=bench.grows and pool_grows(assignment),
        like_together=stage.order == LIKENESS,
    )


def _asks(stage: Stage) -> str:
    """Return JSON for the script that says when each question applies; "" if every item requires an answer to each."""
    if is_plain(stage.criteria):
        return ""
    return json.dumps([{"key": each.key, "required": each.required, "if": each.asked_if} for each in stage.criteria])


@login_required
@require_GET
def lines(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Return a window of the list, for a bench whose page holds only a part of it.

    ``from`` is the number of its first line among the lines that match the filter and the ``words`` of a search.
    ``near`` and ``after`` name items: the window is around that item, or begins after it and continues at the top.
    Without any of the three, return the whole list.
    """
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    bench = BenchList(assignment, stage)
    place, chosen = _place(request, bench), _filter(request)
    shown = bench.having(bench.places(chosen), request.GET.get("words", "").replace("\x00", ""))
    window = _asked_window(request, bench, shown)
    return render_page(
        request,
        "assess/kinds/grade/list.html",
        seat,
        assignment=assignment,
        base=reverse("workbench", args=[slug, assignment.pk]),
        rows=_rows(bench, stage, window.places if window else range(1, len(bench) + 1), shown, place),
        window=window,
        total=len(bench),
        done=bench.done,
        filter=chosen,
    )


@login_required
@require_GET
def item(request: HttpRequest, slug: str, assignment_id: int, handle: int) -> HttpResponse:
    """Return the fragment with one item, which the bench's page includes as well.

    The script adds the item's position, such as “3 of 40”.
    """
    assignment = access_work(request.user, slug, assignment_id)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = bench_item(assignment, stage, handle)
    if found is None:
        raise NotFound
    return render_part(
        request,
        "assess/kinds/grade/item.html",
        assignment.campaign,
        assignment=assignment,
        stage=stage,
        thing=lay_out(request, assignment, stage, found),
        **closed_values(assignment),
    )


@login_required
@require_POST
def judge(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Record one judgment. Return JSON to the script's outbox, or redirect a plain form to the next open item."""
    with reading_click(request.user, slug, assignment_id):
        handle = posted_number(request, "item")
        click = posted_click(request, How.LIKE)
        said = posted_judgment(request, click)
    with held_work(request.user, slug, assignment_id, handle=handle) as held:
        judgment = said(item=access_held_item(held, handle))
        of_page = partial(
            require_nothing_unseen,
            held.assignment,
            click=click,
            stands=lambda: _current_answer(held.assignment, judgment, click.shown),
            design=request.POST.get("design", ""),
        )
        row = add_judgment(actor=person_of(request), held=held, judgment=judgment, of_page=of_page)
        known = compared_answers_at(held.assignment, held.stage, handle)
    if wants_json(request):
        answer = {"id": row.pk, "item": handle, "criterion": row.criterion, "value": answer_word(row.value, row.given)}
        return JsonResponse(answer if known is None else {**answer, "known": known.words})
    if known is not None:
        messages.info(request, known.words)
    return _next_page(request, held.assignment, judgment)


def missing(assignment: Assignment) -> str:
    """Return a sentence that says what is still to be judged, or "" if nothing is.

    A pool that can still grow is extended first.
    """
    extend_quietly(actor=assignment.assessor, assignment=assignment)
    tally = grade_tally([assignment])[assignment.pk]
    if not tally.left:
        return ""
    values = {"left": tally.left, "total": tally.total, "noun": gettext(noun_for(tally.unit, tally.total))}
    return (
        ngettext(
            "%(left)s of %(total)s %(noun)s is not judged yet. Judge it, or ask the organiser to excuse you.",
            "%(left)s of %(total)s %(noun)s are not judged yet. Judge them, or ask the organiser to excuse you.",
            tally.left,
        )
        % values
    )


def _place(request: HttpRequest, bench: BenchList) -> int | None:
    """Return the place of the item that the address names, else of the first open item."""
    return _named(bench, request.GET.get("item", "")) or bench.first_open()


def _named(bench: BenchList, handle: str) -> int | None:
    """Return the place of the item with this handle; None if no item of the assignment has it."""
    number = _number(handle)
    return bench.place_of_handle(number) if number is not None else None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < LONGEST else None


def _filter(request: HttpRequest) -> str:
    chosen = request.GET.get("filter", "all")
    return chosen if chosen in dict(FILTERS) else "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """The part of a list that a page holds, as places.

    Lines ``first`` to ``last`` of ``number`` lines are in it. ``before`` and ``after`` are the numbers at which the
    previous and the next window begin, or 0.
    """

    places: Sequence[int]
    first: int
    last: int
    number: int
    before: int = 0
    after: int = 0
    is_part: bool = False


def _window(request: HttpRequest, bench: BenchList, shown: Sequence[int], place: int | None) -> Window:
    """Return a window with all lines of a short list, whether visible or not, or with the visible lines of a long one.

    The window of a long list lies around the current line, or begins where the address says.
    """
    if len(bench) <= LONG:
        return Window(places=range(1, len(bench) + 1), first=1, last=len(bench), number=len(bench))
    asked = _number(request.GET.get("from", ""))
    return _window_at(shown, asked - 1 if asked is not None else _around_place(shown, place or 0, WINDOW), WINDOW)


def _asked_window(request: HttpRequest, bench: BenchList, shown: Sequence[int]) -> Window | None:
    """Return the window that a script requests; None if it requests all lines."""
    first = _number(request.GET.get("from", ""))
    if first is not None:
        return _window_at(shown, first - 1, SCROLLED)
    if (after := _named(bench, request.GET.get("after", ""))) is not None:
        begin = bisect_right(shown, after)
        onward = [*shown[begin : begin + WINDOW], *shown[: max(0, min(begin, begin + WINDOW - len(shown)))]]
        return Window(places=onward, first=begin + 1, last=begin + len(onward), number=len(shown), is_part=True)
    if (near := _named(bench, request.GET.get("near", ""))) is not None:
        return _window_at(shown, _around_place(shown, near, SCROLLED), SCROLLED)
    return None


def _around_place(shown: Sequence[int], place: int, size: int) -> int:
    return max(0, bisect_left(shown, place) - size // 2)


def _window_at(shown: Sequence[int], first: int, size: int) -> Window:
    first = max(0, min(first, len(shown) - 1))
    last = min(first + size, len(shown))
    return Window(
        places=shown[first:last],
        first=first + 1,
        last=last,
        number=len(shown),
        before=max(1, first + 1 - size) if first else 0,
        after=last + 1 if last < len(shown) else 0,
        is_part=True,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A line of the list as strings only, since Django's templates would format each number anew.

    ``values``, ``notes`` and ``evidence`` are for the script: the answers, the notes of single criteria and the
    snippets. The last two are JSON, or "" if there are none.
    """

    handle: str
    place: str
    words: str
    is_docno: bool
    docno: str
    source: str
    said: str
    state: str
    flag: str
    note: str
    notes: str
    values: str
    evidence: str
    is_shown: bool
    is_current: bool
    is_carried: bool
    is_later: bool
    is_apart: bool
    like: str


def _rows(
    bench: BenchList, stage: Stage, places: Iterable[int], shown: Sequence[int], current: int | None
) -> list[Row]:
    """Return the lines at these places; those in ``shown`` are visible, and ``current`` is the open item's place."""
    known = shown if isinstance(shown, range) else set(shown)
    own = [each for each in stage.criteria[1:] if each.has_own_note]
    return [
        Row(
            handle=str(line.handle),
            place=str(line.place),
            words=line.label if len(line.label) <= LABEL else f"{line.label[: LABEL - 1]}…",
            is_docno=line.label == line.docno,
            docno="" if line.text.strip() else line.docno,
            source=line.docno if line.text.strip() else "",
            said=_line_text(line, stage),
            state=line.state,
            flag=line.flag,
            note=line.note,
            notes=_json({each.key: line.notes[each.key] for each in own if each.key in line.notes}),
            values="".join(
                f"{key}={quote(str(answer_word(value, line.given.get(key))), safe='')};"
                for key, value in line.values.items()
            ),
            evidence=_json(line.evidence),
            is_shown=line.place in known,
            is_current=line.place == current,
            is_carried=line.is_carried,
            is_later=line.is_later,
            is_apart=line.is_apart,
            like=like_name(line.text, bench.assignment.pk),
        )
        for line in bench.lines(places)
    ]


def _around(bench: BenchList, place: int | None) -> dict[str, int]:
    """Return the handles of the previous, the next and the next open line, for pages without scripts."""
    if place is None:
        return {}
    found = {
        "previous": place - 1 or None,
        "next": place + 1 if place < len(bench) else None,
        "open": bench.first_open(after=place),
    }
    return {name: bench.handle_at(there) for name, there in found.items() if there is not None}


def _line_text(line: BenchItem, stage: Stage) -> str:
    """Return the text beside a line: the grades given, or its state."""
    asked = asked_criteria(stage.criteria, line.values)
    names = ", ".join(
        _name_of(each, line.values[each.key], line.given.get(each.key)) for each in asked if each.key in line.values
    )
    return names or line.flag or ("later" if line.is_later else "open")


def _name_of(criterion: Criterion, value: int | None, given: Mapping[str, Any] | None) -> str:
    """Return the name of an answer."""
    if given is not None:
        return given_words(criterion, given)[:LABEL]
    grade = criterion.grade(value) if value is not None else None
    return grade.name if grade is not None else ""


def _current_answer(assignment: Assignment, judgment: JudgmentInput, shown: Shown | None) -> dict[str, object]:
    """Return the current values of the fields that the page showed, to compare them.

    The note is among them only if it belongs to this criterion alone.
    """
    asked = shown.value if shown is not None and isinstance(shown.value, dict) else {}
    return {
        key: value for key, value in shown_grade(assignment, judgment.item, judgment.criterion).items() if key in asked
    }


def _json(said: Mapping[str, object]) -> str:
    """Return a mapping by criterion as JSON for the script, or "" if it is empty."""
    return json.dumps(said) if said else ""


def _next_page(request: HttpRequest, assignment: Assignment, judgment: JudgmentInput) -> HttpResponse:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    criterion = stage.criterion(judgment.criterion)
    name = _name_of(criterion, judgment.value, judgment.given) if criterion is not None and judgment.is_answer else ""
    bench = BenchList(assignment, stage)
    place = bench.place_of(judgment.item.pk)
    line = bench.lines([place])[0] if place is not None else None
    onward = line.handle if line is not None else None
    if line is not None and line.is_settled:
        onward = _around(bench, line.place).get("open", onward)
    said = f"judged {name}" if name else "taken back"
    label = " ".join((line.label if line is not None else judgment.item.text).split())
    called = label if len(label) <= CALLED else f"{label[: CALLED - 1].rstrip()}…"
    messages.success(request, f"{line.place if line is not None else ''} “{called}”: {said}")
    address = reverse("workbench", args=[assignment.campaign.slug, assignment.pk])
    return redirect(f"{address}?item={onward}" if onward is not None else address)
