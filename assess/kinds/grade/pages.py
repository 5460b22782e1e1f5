"""The workbench for grading items one by one."""

from __future__ import annotations

import json

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from assess.assignments.access import access_assignment, access_work_item, held_work
from assess.assignments.models import Assignment
from assess.assignments.queries.waiting import unit_of
from assess.base.errors import Invalid, NotFound
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.items.models import Item
from assess.judging.domain import nothing_unseen
from assess.judging.models import Judgment
from assess.judging.queries.bench import BenchItem, bench_item, bench_items, shown_grade
from assess.judging.views import make_thing
from assess.kinds.base import Tally, noun_for
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.kinds.grade.tally import grade_tally
from assess.ledger.newest import Shown
from assess.pools.domain.growth import extend_quietly
from assess.protocol import Stage
from assess.web.page import render_page, wants_json
from assess.web.requests import person_of, posted_how, posted_key, posted_number, posted_seconds, posted_shown
from scoring.json_reading import BadJson, read_json

FILTERS = (("all", "all"), ("unjudged", "unjudged"), ("flagged", "flagged"))


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """The bench with the item that the address names, else the first that is open."""
    _, stage = stage_of(assignment.campaign, assignment.stage)
    lines = bench_items(assignment, stage)
    current = _current(request, lines)
    chosen = request.GET.get("filter", "all")
    seat = access_seat(request.user, assignment.campaign.slug)
    shown = {line.id for line in _filtered(lines, chosen)}
    timed = [line.seconds for line in lines if line.seconds is not None]
    return render_page(
        request,
        "assess/kinds/grade/bench.html",
        seat,
        assignment=assignment,
        stage=stage,
        rows=[(line, _said(line, stage), line.id in shown, _json(line)) for line in lines],
        filters=FILTERS,
        filter=chosen if chosen in dict(FILTERS) else "all",
        shown=len(shown),
        thing=make_thing(request, assignment, stage, current) if current is not None else None,
        tally=_tally(lines, stage),
        total=len(lines),
        seconds=sum(timed),
        timed=len(timed),
        around=_around(lines, current),
        grows=any(line.is_placed for line in lines),
    )


@login_required
@require_GET
def item(request: HttpRequest, slug: str, assignment_id: int, handle: int) -> HttpResponse:
    """One item of the bench, as the fragment that the page itself includes."""
    seat = access_seat(request.user, slug)
    assignment = access_assignment(seat, assignment_id)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    found = bench_item(assignment, stage, handle)
    if found is None:
        raise NotFound
    line, total = found
    return render_page(
        request,
        "assess/kinds/grade/item.html",
        seat,
        assignment=assignment,
        stage=stage,
        thing=make_thing(request, assignment, stage, line),
        total=total,
    )


@login_required
@require_POST
def judge(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Record one judgment: for the outbox as JSON, from a plain form by going on to the next open item."""
    with held_work(request.user, slug, assignment_id) as assignment:
        handle = posted_number(request, "item")
        judged = access_work_item(assignment, handle)
        value = posted_number(request, "value") if request.POST.get("value", "") else None
        judgment = JudgmentInput(
            item=judged,
            criterion=request.POST.get("criterion", ""),
            value=value,
            client_key=posted_key(request),
            how=posted_how(request),
            note=request.POST.get("note", "").replace("\x00", "").replace("\r\n", "\n"),
            evidence=_evidence(request),
            seconds=posted_seconds(request),
        )
        shown = posted_shown(request)
        with nothing_unseen(
            assignment,
            shown=shown,
            was_sent=Judgment.objects.filter(client_key=judgment.client_key).exists,
            stands=lambda: _stands(assignment, judgment, shown),
        ):
            row = record_judgment(actor=person_of(request), assignment=assignment, judgment=judgment)
    if wants_json(request):
        return JsonResponse({"id": row.pk, "item": handle, "criterion": row.criterion, "value": row.value})
    return _next_page(request, assignment, judged, value)


def missing(assignment: Assignment) -> str:
    """What is still to be judged, as a sentence; "" when nothing is. A pool that can still grow does so first."""
    extend_quietly(actor=assignment.assessor, assignment=assignment)
    tally = grade_tally([assignment])[assignment.pk]
    if not tally.left:
        return ""
    are = "is" if tally.left == 1 else "are"
    left = f"{tally.left} of {tally.total} {noun_for(tally.unit, tally.total)} {are} not judged yet."
    return f"{left} Judge them, or ask the organiser to excuse you."


def _current(request: HttpRequest, lines: list[BenchItem]) -> BenchItem | None:
    wanted = request.GET.get("item", "")
    named = next((line for line in lines if str(line.handle) == wanted), None)
    first_open = next((line for line in lines if not line.is_settled and not line.flag), None)
    return named or first_open or next((line for line in lines if not line.is_settled), lines[0] if lines else None)


def _around(lines: list[BenchItem], current: BenchItem | None) -> dict[str, BenchItem]:
    """The lines before and after, and the next open one, for pages without scripts."""
    if current is None:
        return {}
    index = current.place - 1
    onward = [*lines[index + 1 :], *lines[:index]]
    found = {
        "previous": lines[index - 1] if index else None,
        "next": lines[index + 1] if index + 1 < len(lines) else None,
        "open": next((line for line in onward if not line.is_settled), None),
    }
    return {name: line for name, line in found.items() if line is not None}


def _filtered(lines: list[BenchItem], chosen: str) -> list[BenchItem]:
    if chosen == "unjudged":
        return [line for line in lines if not line.is_settled]
    if chosen == "flagged":
        return [line for line in lines if line.flag or line.note]
    return lines


def _said(line: BenchItem, stage: Stage) -> str:
    """What the list says beside the line: the grades given, or how it stands."""
    grades = [
        criterion.grade(line.values[criterion.key]) for criterion in stage.criteria if criterion.key in line.values
    ]
    names = ", ".join(grade.name for grade in grades if grade is not None)
    return names or {"excused": "excused", "asked": "asked", "answered": "answered"}.get(line.flag, "open")


def _tally(lines: list[BenchItem], stage: Stage) -> Tally:
    done = sum(1 for line in lines if line.is_settled)
    return Tally(done=done, total=len(lines), unit=unit_of(stage))


def _stands(assignment: Assignment, judgment: JudgmentInput, shown: Shown | None) -> dict[str, object]:
    """What stands now of that which the page showed: its note only where a single question is asked of each item."""
    asked = shown.value if shown is not None and isinstance(shown.value, dict) else {}
    return {
        key: value for key, value in shown_grade(assignment, judgment.item, judgment.criterion).items() if key in asked
    }


def _json(line: BenchItem) -> str:
    """The snippets of a line for the script, or "" where there are none."""
    return json.dumps(line.evidence) if line.evidence else ""


def _evidence(request: HttpRequest) -> list[dict[str, object]] | None:
    value = request.POST.get("evidence", "")
    if not value:
        return None
    try:
        snippets = read_json(value)
    except BadJson as error:
        raise Invalid("“evidence” must be JSON. Reload the page and try again.") from error
    if not isinstance(snippets, list):
        raise Invalid("“evidence” must be a JSON list. Reload the page and try again.")
    return snippets


def _next_page(request: HttpRequest, assignment: Assignment, judged: Item, value: int | None) -> HttpResponse:
    _, stage = stage_of(assignment.campaign, assignment.stage)
    criterion = stage.criterion(request.POST.get("criterion", ""))
    grade = criterion.grade(value) if criterion is not None and value is not None else None
    lines = bench_items(assignment, stage)
    line = next((line for line in lines if line.id == judged.pk), None)
    onward = _around(lines, line).get("open", line) if line is not None and line.is_settled else line
    said = f"judged {grade.name}" if grade is not None else "taken back"
    messages.success(
        request,
        f"{line.place if line is not None else ''} {(line.label if line is not None else judged.text)[:60]}: {said}",
    )
    address = reverse("workbench", args=[assignment.campaign.slug, assignment.pk])
    return redirect(f"{address}?item={onward.handle}" if onward is not None else address)
