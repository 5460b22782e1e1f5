"""The workbench for votes: is each nugget of the frozen list vital, or only okay?"""

from __future__ import annotations

import json
from uuid import UUID, uuid4, uuid5

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from assess.assignments.access import access_assignment, held_work
from assess.assignments.models import Assignment
from assess.base.numbers import grouped
from assess.campaigns.queries import stage_of
from assess.campaigns.seats import access_seat
from assess.judging.domain import nothing_unseen, require_nothing_unseen
from assess.judging.views.bench_page import render_bench
from assess.ledger.models import How
from assess.ledger.newest import unless_sent
from assess.web.requests import person_of, posted_click, posted_number, wants_json
from nuggets.votes.bench import VoteBoard, VoteLine, vote_board, vote_desk
from nuggets.votes.models import NuggetVote
from nuggets.votes.record import add_vote, record_vote
from nuggets.writing.access import access_counting_list, access_nugget

FIELD = "vote-"


def page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show the nuggets to vote on. Each voter sees them in an order of their own, with their own votes."""
    seat = access_seat(request.user, assignment.campaign.slug)
    _, stage = stage_of(assignment.campaign, assignment.stage)
    board = vote_board(assignment)
    return render_bench(
        request,
        "nuggets/votes/bench.html",
        seat,
        assignment=assignment,
        stage=stage,
        board=board,
        shown=json.dumps(_votes(board)),
        client_key=str(uuid4()),
    )


@login_required
@require_POST
def vote(request: HttpRequest, slug: str, assignment_id: int) -> HttpResponse:
    """Record one vote that the outbox sends, or all votes that were changed in a plain form."""
    if not wants_json(request):
        return _votes_of_form(request, access_assignment(access_seat(request.user, slug), assignment_id))
    with held_work(request.user, slug, assignment_id) as held:
        assignment = held.assignment
        click = posted_click(request)
        sent = NuggetVote.objects.filter(client_key=click.key)
        nugget = access_nugget(access_counting_list(assignment), posted_number(request, "nugget"), sent=sent)
        with unless_sent(sent.exists):
            require_nothing_unseen(assignment, click=click, current=lambda: _current_vote(assignment, nugget.number))
        row = add_vote(
            actor=person_of(request),
            held=held,
            nugget=nugget,
            importance=request.POST.get("importance") or None,
            client_key=click.key,
            nugget_list=_list_shown(request),
            how=click.how,
        )
    return JsonResponse({"id": row.pk, "nugget": nugget.number, "importance": row.importance})


def _current_vote(assignment: Assignment, number: int) -> str:
    """Return the voter's current vote on a nugget, or ""."""
    desk = vote_desk(assignment)
    return desk.votes.get(number, "") if desk is not None else ""


def _votes_of_form(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    click = posted_click(request)
    nugget_list = access_counting_list(assignment)
    lines = board.lines if (board := vote_board(assignment)) else ()
    keys = [_key_of(click.key, line) for line in lines]
    with nothing_unseen(
        assignment,
        click=click,
        was_sent=NuggetVote.objects.filter(client_key__in=keys).exists,
        current=lambda: _votes(vote_board(assignment)),
    ):
        changed = [line for line in lines if _posted_vote(request, line) not in ("", line.vote)]
        for line in changed:
            record_vote(
                actor=person_of(request),
                assignment=assignment,
                nugget=access_nugget(nugget_list, line.number),
                importance=_posted_vote(request, line),
                client_key=_key_of(click.key, line),
                nugget_list=_list_shown(request),
                how=How.CLICK,
            )
    votes = len(changed)
    messages.success(
        request,
        ngettext("%(number)s vote saved.", "%(number)s votes saved.", votes) % {"number": grouped(votes)}
        if changed
        else gettext("Nothing was changed."),
    )
    return redirect("workbench", assignment.campaign.slug, assignment.pk)


def _list_shown(request: HttpRequest) -> int | None:
    """Return the id of the list that the page showed, or None if it does not say so."""
    return posted_number(request, "list") if request.POST.get("list") else None


def _votes(board: VoteBoard | None) -> dict[str, str]:
    """Return nugget's number -> the vote that the page shows, in the form in which a plain form sends it back."""
    return {str(line.number): line.vote for line in board.lines} if board is not None else {}


def _posted_vote(request: HttpRequest, line: VoteLine) -> str:
    return request.POST.get(f"{FIELD}{line.number}", "")


def _key_of(form: UUID, line: VoteLine) -> UUID:
    """Return the client key for one vote of a form, made from the key of the form."""
    return uuid5(form, f"nugget {line.number}")
