"""Acts on many assignments from the page *Who judges what*: first a preview, then the act."""

from __future__ import annotations

from collections.abc import Iterable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from assess.assignments.models import Assignment
from assess.assignments.queries.topics import topics_to_judge
from assess.assignments.queries.who_can_be_given_work import assessors_of
from assess.base.errors import Invalid
from assess.base.numbers import grouped
from assess.campaigns.seats import Seat, access_as_organiser
from assess.web.page import render_page
from assess.web.table import searched
from assess.work.bulk import ACTS, BulkOutcome, Selection, SomeRefused, act_on_selection, preview
from assess.work.domain import cells_named

SHOWN = 300


@login_required
@require_POST
def assignments_bulk(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what an act would change and what would be refused. Once confirmed, do it."""
    seat = access_as_organiser(request.user, slug)
    given = request.POST
    act, role = given.get("act", "hand-out"), given.get("role", Assignment.Role.PRIMARY)
    selection = _selection(request, seat)
    to = _person(seat, given.get("assessor", "")) if act in ("hand-out", "hand-over") else None
    status = 200
    if given.get("sure") == "yes":
        try:
            outcome = act_on_selection(
                actor=seat.user, campaign=seat.campaign, act=act, selection=selection, to=to, role=role
            )
        except SomeRefused:
            status = 409  # somebody else was quicker: show what is left
        else:
            messages.success(request, _done(act, len(outcome.done)))
            return redirect("assignments", slug)
    outcome = preview(actor=seat.user, campaign=seat.campaign, act=act, selection=selection, to=to, role=role)
    return render_page(
        request,
        "assess/work/bulk.html",
        seat,
        act=act,
        label=ACTS[act],
        to=to,
        role=role,
        role_label=Assignment.Role(role).label,
        outcome=outcome,
        done=outcome.done[:SHOWN],
        refused=outcome.refused[:SHOWN],
        status=status,
        **_named(outcome),
    )


def _done(act: str, number: int) -> str:
    said = {
        "hand-out": ngettext("%(number)s assignment handed out.", "%(number)s assignments handed out.", number),
        "hand-over": ngettext("%(number)s assignment handed over.", "%(number)s assignments handed over.", number),
        "take-back": ngettext("%(number)s assignment taken back.", "%(number)s assignments taken back.", number),
        "reopen": ngettext("%(number)s assignment opened again.", "%(number)s assignments opened again.", number),
    }
    return said[act] % {"number": grouped(number)}


SEARCHED = ("number", "text")
"""The fields in which the page searches when its table is narrowed."""


def _selection(request: HttpRequest, seat: Seat) -> Selection:
    """Return the selection that the form marks. Refuse a form that no page makes.

    The preview page repeats all of it in two fields, since it may have thousands of entries. If all topics that match a
    search are selected, columns are limited to these topics.
    """
    given = request.POST
    pieces = [*given.getlist("piece"), *given.get("pieces", "").split()]
    cells = [*given.getlist("cell"), *given.get("cells", "").split()]
    of = given.get("of", "")
    fitting = frozenset(_fitting(seat, given.get("q", ""))) if given.get("fitting") == "yes" else frozenset()
    return Selection(
        pieces=frozenset(_numbers(pieces)),
        cells=frozenset(cells_named(cells)),
        rows=frozenset(_numbers(given.getlist("row"))) | fitting,
        columns=frozenset(given.getlist("column")),
        both=bool(fitting and given.getlist("column")),
        of=next(iter(_numbers([of]))) if of else None,
    )


def _fitting(seat: Seat, words: str) -> list[int]:
    """Return the ids of all topics that match a search, on any page of the table."""
    return list(searched(topics_to_judge(seat.campaign), words, SEARCHED).values_list("pk", flat=True))


def _named(outcome: BulkOutcome) -> dict[str, str]:
    return {
        "pieces": " ".join(str(each.work.pk) for each in outcome.done if each.work is not None),
        "cells": " ".join(f"{each.topic.pk}:{each.stage}" for each in outcome.done if each.work is None),
    }


def _numbers(texts: Iterable[str]) -> list[int]:
    found = [text for text in texts if text]
    if not all(text.isascii() and text.isdigit() and len(text) <= 18 for text in found):
        raise Invalid(gettext("The form was not filled in by this page. Reload it and try again."))
    return [int(text) for text in found]


def _person(seat: Seat, pk: str) -> User:
    """Return the assessor who gets the work. Raise Invalid if they do not judge in this campaign."""
    person = next((each for each in assessors_of(seat.campaign) if str(each.pk) == pk), None)
    if person is None:
        raise Invalid(gettext("Choose an assessor who gets the work, then press the button again."), field="assessor")
    return person
