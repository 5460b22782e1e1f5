"""The bench for grading items one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

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
from assess.base.errors import Invalid, NotFound
from assess.base.numbers import TwoNumbers, typed_number
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.judging.answer_words import UNSURE_WORD, answer_word
from assess.judging.domain import require_nothing_unseen
from assess.judging.models import DraftSeen
from assess.judging.queries.bench import BenchList, bench_item, shown_grade
from assess.judging.queries.known_answers import compared_answers_at
from assess.judging.views.bench_page import closed_values, render_bench
from assess.judging.views.item_on_bench import lay_out
from assess.kinds.base import Tally, noun_for
from assess.kinds.grade.bench import LONG, asked_window, like_window, list_rows, name_of, page_window
from assess.kinds.grade.record import JudgmentInput, add_judgment
from assess.kinds.grade.tally import grade_tally
from assess.ledger.models import How
from assess.ledger.newest import Click, Shown
from assess.pools.domain.growth import extend_quietly, pool_grows
from assess.protocol import LIKENESS, UNSURE, Stage, is_plain
from assess.web.page import render_page, render_part
from assess.web.requests import (
    person_of,
    posted_click,
    posted_json,
    posted_number,
    posted_seconds,
    posted_text,
    wants_json,
)

FILTERS = (("all", gettext_lazy("all")), ("unjudged", gettext_lazy("unjudged")), ("flagged", gettext_lazy("flagged")))
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
    window = page_window(bench, shown, place=place, first=_number(request.GET.get("from", "")))
    in_hand = bench.in_hand(place) if place is not None else None
    return render_bench(
        request,
        "assess/kinds/grade/bench.html",
        seat,
        assignment=assignment,
        stage=stage,
        rows=list_rows(bench, stage, window.places, shown, place),
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
    ``near``, ``after`` and ``like`` name items: the window is around that item, or begins after it and continues at the
    top, or holds all items of the list whose texts say nearly the same. Without any of the four, return the next `LONG`
    lines of the whole list, hidden ones too, after the ``past`` lines that the script has.
    """
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    bench = BenchList(assignment, stage)
    place, chosen = _place(request, bench), _filter(request)
    shown = bench.having(bench.places(chosen), request.GET.get("words", "").replace("\x00", ""))
    first, past = (_number(request.GET.get(name, "")) for name in ("from", "past"))
    after, near, like = (_named(bench, request.GET.get(name, "")) for name in ("after", "near", "like"))
    asked = asked_window(shown, first=first, after=after, near=near)
    window = like_window(bench, like) if like is not None else asked
    places = window.places if window else range(1, len(bench) + 1)[past or 0 :][:LONG]
    return render_page(
        request,
        "assess/kinds/grade/list.html",
        seat,
        assignment=assignment,
        base=reverse("workbench", args=[slug, assignment.pk]),
        rows=list_rows(bench, stage, places, shown, place),
        window=window,
        total=len(bench),
        done=bench.done,
        filter=chosen,
    )


@login_required
@require_GET
def item(request: HttpRequest, slug: str, assignment_id: int, handle: int) -> HttpResponse:
    """Return the fragment with one item, which the bench's page includes as well.

    The script adds the item's position, such as “3 of 40”. Raises `NotFound` if the assignment has no such item.
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
        click = posted_click(request, also=(How.LIKE,))
        said = _posted_judgment(request, click)
    with held_work(request.user, slug, assignment_id, handle=handle) as held:
        judgment = said(item=access_held_item(held, handle))
        of_page = partial(
            require_nothing_unseen,
            held.assignment,
            click=click,
            current=lambda: _current_answer(held.assignment, judgment, click.shown),
            design=request.POST.get("design", ""),
        )
        row = add_judgment(actor=person_of(request), held=held, judgment=judgment, of_page=of_page)
        known = compared_answers_at(held.assignment, held.stage, handle) if held.stage.checks.reveals_gold else None
    if wants_json(request):
        answer = {"id": row.pk, "item": handle, "criterion": row.criterion, "value": answer_word(row.value, row.given)}
        return JsonResponse(answer if known is None else {**answer, "known": known.words})
    if known is not None:
        messages.info(request, known.words)
    return _next_page(request, held.assignment, judgment)


def _posted_judgment(request: HttpRequest, click: Click) -> Callable[..., JudgmentInput]:
    """Return a function that takes ``item`` and returns the judgment that the form holds. Raises `Invalid` for a form
    whose values have the wrong type.
    """
    given = _posted_given(request)
    return partial(
        JudgmentInput,
        criterion=request.POST.get("criterion", ""),
        value=posted_number(request, "value") if request.POST.get("value") and given is None else None,
        given=given,
        client_key=click.key,
        how=click.how,
        note=posted_text(request, "note"),
        evidence=_posted_evidence(request),
        seconds=posted_seconds(request),
        draft=DraftSeen.OPEN if request.POST.get("draft") else None,
    )


def _posted_given(request: HttpRequest) -> dict[str, Any] | None:
    """Return the answer without a grade, from a script's word or JSON or from the fields of a plain form; else None.

    Text that is not a number is kept as typed, so that the question's own message refuses it.
    """
    value = request.POST.get("value", "")
    if value == UNSURE_WORD:
        return dict(UNSURE)
    if value.startswith("{"):
        return dict(posted_json(request, "value"))
    if value != "given":
        return None
    if "given_text" in request.POST:
        return {"text": posted_text(request, "given_text")}
    if "given_number" in request.POST:
        return {"number": _number_or_text(_typed(request.POST["given_number"]))}
    if "given_order" in request.POST:
        return {"rank": [_number_or_text(each) for each in request.POST["given_order"].replace(",", " ").split()]}
    chosen = {_number_or_text(each) for each in request.POST.getlist("given_several")}
    return {"several": sorted(chosen, key=lambda each: (isinstance(each, str), each))}


def _typed(text: str) -> str:
    try:
        return typed_number(text)
    except TwoNumbers as error:
        raise Invalid(str(error)) from error


def _number_or_text(text: str) -> Any:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() else number


def _posted_evidence(request: HttpRequest) -> list[dict[str, object]] | None:
    """Return the snippets of a click; a plain form may add one more, as text pasted into a field. None without any.

    Raises `Invalid` for anything but a list in JSON.
    """
    snippets: list[dict[str, object]] | None = posted_json(request, "evidence")
    if request.POST.get("evidence") and not isinstance(snippets, list):
        raise Invalid(gettext("“evidence” must be a JSON list. Reload the page and try again."))
    if quote := request.POST.get("quote", "").strip().replace("\r\n", "\n"):
        snippets = [*(snippets or ()), {"quote": quote}]
    return snippets


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
    """Return the place of the item that the address names, or else what `BenchList.first_open` returns."""
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


def _around(bench: BenchList, place: int | None) -> dict[str, int]:
    """Return the handles of the previous, the next and the next open line, as far as there are such lines. Pages
    without scripts have links to them.
    """
    if place is None:
        return {}
    found = {
        "previous": place - 1 or None,
        "next": place + 1 if place < len(bench) else None,
        "open": bench.first_open(after=place),
    }
    return {name: bench.handle_at(there) for name, there in found.items() if there is not None}


def _current_answer(assignment: Assignment, judgment: JudgmentInput, shown: Shown | None) -> dict[str, object]:
    """Return the current values of the fields that the page showed, to compare them.

    The note is among them only if it belongs to this criterion alone.
    """
    asked = shown.value if shown is not None and isinstance(shown.value, dict) else {}
    return {
        key: value for key, value in shown_grade(assignment, judgment.item, judgment.criterion).items() if key in asked
    }


def _next_page(request: HttpRequest, assignment: Assignment, judgment: JudgmentInput) -> HttpResponse:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    criterion = stage.criterion(judgment.criterion)
    name = name_of(criterion, judgment.value, judgment.given) if criterion is not None and judgment.is_answer else ""
    bench = BenchList(assignment, stage)
    place = bench.place_of(judgment.item.pk)
    line = bench.lines([place])[0] if place is not None else None
    onward = line.handle if line is not None else None
    if line is not None and line.is_settled:
        onward = _around(bench, line.place).get("open", onward)
    said = gettext("judged %(name)s") % {"name": name} if name else gettext("undone")
    label = " ".join((line.label if line is not None else judgment.item.text).split())
    called = label if len(label) <= CALLED else f"{label[: CALLED - 1].rstrip()}…"
    messages.success(request, f"{line.place if line is not None else ''} “{called}”: {said}")
    address = reverse("workbench", args=[assignment.campaign.slug, assignment.pk])
    return redirect(f"{address}?item={onward}" if onward is not None else address)
