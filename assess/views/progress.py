"""How far judging is, by topic, stage and assessor."""

from __future__ import annotations

import re

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from assess.domain.access import access_as_organiser
from assess.models import Assignment
from assess.queries.matrix import all_stages
from assess.queries.progress import Piece, Share, pieces_of, summed
from assess.views.page import render_page
from assess.views.table import Column, Filter, Option, csv_response, make_table


def _rounded(value: float | None) -> float | None:
    return round(value, 1) if value is not None else None


def _rank(piece: Piece) -> list[tuple[int, str]]:
    """So that topic 2.10 comes after 2.9."""
    parts = re.split(r"(\d+)", piece.assignment.topic.number)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]


COLUMNS = (
    Column(key="topic", label="Topic", value=lambda piece: piece.assignment.topic.number, rank=_rank),
    Column(key="stage", label="Stage", value=lambda piece: piece.stage_label),
    Column(key="assessor", label="Assessor", value=lambda piece: piece.assignment.assessor.username),
    Column(key="role", label="As", value=lambda piece: piece.assignment.get_role_display()),
    Column(key="state", label="State", value=lambda piece: piece.assignment.state),
    Column(key="done", label="Done", value=lambda piece: piece.tally.done, number=True),
    Column(key="left", label="Left", value=lambda piece: piece.tally.left, number=True),
    Column(key="pace", label="Seconds each", value=lambda piece: _rounded(piece.pace), number=True),
)


@login_required
@require_safe
def progress(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Every piece of work, and what it comes to."""
    seat = access_as_organiser(request.user, slug)
    pieces = pieces_of(seat.campaign)
    table = make_table(request, pieces, columns=COLUMNS, filters=_filters(pieces), order="topic")
    if table.wants_csv:
        return csv_response(table, name="progress.csv")
    labels = [stage.label for stage in all_stages(seat.campaign)]
    stages = sorted(summed(pieces, lambda piece: piece.stage_label), key=lambda share: labels.index(share.label))
    groups: list[tuple[str, str, list[Share]]] = [
        ("stages", "Stage", stages),
        ("assessors", "Assessor", sorted(summed(pieces, _name), key=lambda share: share.label)),
        ("topics", "Topic", summed(pieces, lambda piece: piece.assignment.topic.number)),
    ]
    everything = summed(pieces, lambda piece: "all")
    return render_page(
        request,
        "assess/progress.html",
        seat,
        table=table,
        groups=groups,
        all=everything[0] if everything else None,
        most=max((share.total for _, _, shares in groups for share in shares), default=1) or 1,
    )


def _name(piece: Piece) -> str:
    return piece.assignment.assessor.username


def _filters(pieces: list[Piece]) -> tuple[Filter, ...]:
    """What can be chosen is what there is."""
    states = tuple(
        Option(value=state.value, label=state.label, holds=lambda piece, state=state: piece.assignment.state == state)  # type: ignore[misc]
        for state in Assignment.State
        if state != Assignment.State.RETURNED
    )
    people = tuple(
        Option(value=name, label=name, holds=lambda piece, name=name: _name(piece) == name)  # type: ignore[misc]
        for name in sorted({_name(piece) for piece in pieces})
    )
    stages = tuple(
        Option(value=key, label=label, holds=lambda piece, key=key: piece.assignment.stage == key)  # type: ignore[misc]
        for key, label in sorted({piece.assignment.stage: piece.stage_label for piece in pieces}.items())
    )
    return (
        Filter(key="stage", label="Stage", options=stages),
        Filter(key="assessor", label="Assessor", options=people),
        Filter(key="state", label="State", options=states),
    )
