"""The bench: a page with the items, and the address to which ticks are sent."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.html import format_html_join
from django.views.decorators.http import require_POST

from assess.assignments.access import access_assignment, access_work_item
from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.items.queries import pooled_items
from assess.models import Assignment
from assess.web.requests import person_of, posted_key, posted_number

from .current import own_ticks
from .record import record_tick


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    del request
    _, stage = stage_of(assignment.campaign, assignment.stage)
    said = own_ticks(assignment)
    lines = sorted(
        (handle_of(assignment, item.pk), item.text, said.get(item.pk, "open"))
        for item in pooled_items(assignment.topic, stage.item_kind)
    )
    return HttpResponse(format_html_join("\n", "<p id={}>{}: {}</p>", lines))


@login_required
@require_POST
def tick(request: HttpRequest, slug: str, assignment_id: int) -> JsonResponse:
    assignment = access_assignment(access_seat(request.user, slug), assignment_id)
    row = record_tick(
        actor=person_of(request),
        assignment=assignment,
        item=access_work_item(assignment, posted_number(request, "item")),
        value=posted_number(request, "value"),
        client_key=posted_key(request),
    )
    return JsonResponse({"id": row.pk})
