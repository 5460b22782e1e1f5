"""The log of what people did in a campaign, in words; as CSV with the recorded data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_safe

from assess.assignments.models import Assignment
from assess.assignments.queries.topics import all_stages
from assess.base.numbers import grouped
from assess.campaigns.activity import ACTIONS
from assess.campaigns.models import Activity, Campaign, Role
from assess.campaigns.seats import access_as_organiser
from assess.organising.views.activity_words import detail_word
from assess.web.page import render_page
from assess.web.table import Column, Filter, Option, csv_response, make_table

COLUMNS = (
    Column(
        key="when",
        label=gettext_lazy("When"),
        value=lambda row: row.created_at.isoformat(timespec="seconds"),
        order="id",
    ),
    Column(
        key="who",
        label=gettext_lazy("Who"),
        value=lambda row: row.actor.username if row.actor else "",
        order="actor__username",
    ),
    Column(
        key="action", label=gettext_lazy("What"), value=lambda row: ACTIONS.get(row.action, row.action), order="action"
    ),
    Column(key="about", label=gettext_lazy("About"), value=lambda row: f"{row.object_type} {row.object_id}".strip()),
    Column(
        key="data",
        label=gettext_lazy("Details"),
        value=lambda row: json.dumps(row.data, ensure_ascii=False) if row.data else "",
    ),
    Column(key="token", label=gettext_lazy("API token"), order="token", number=True),
    Column(key="point", label=gettext_lazy("Ledger point"), value=lambda row: row.id, order="id", number=True),
)

OBJECTS = {
    "apitoken": gettext_lazy("API token"),
    "assignment": gettext_lazy("work"),
    "nuggetlist": gettext_lazy("nugget list"),
    "membership": gettext_lazy("member"),
    "helprequest": gettext_lazy("question"),
}
"""The names of some activities' objects on pages. Others have their own name."""
PERSONS = ("assessor", "user", "machine")
"""Under these names an activity keeps the number of a person."""
HANDED_OVER = "assignment.hand_over"
DIGEST = re.compile("[0-9a-f]{64}")
SHOWN = 300


@login_required
@require_safe
def activity(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Show the recorded acts, newest first."""
    seat = access_as_organiser(request.user, slug)
    rows = Activity.objects.filter(campaign=seat.campaign).select_related("actor")
    table = make_table(
        request,
        rows,
        columns=COLUMNS,
        filters=(_by_action(rows),),
        search=("actor__username", "object_type", "object_id"),
        order="-when",
    )
    if table.wants_csv:
        return csv_response(table, name="activity.csv")
    words = words_of(seat.campaign, table.rows)
    lines = [(row, ACTIONS.get(row.action, row.action), about_of(row), data_text(row, words)) for row in table.rows]
    return render_page(request, "assess/organising/activity.html", seat, table=table, lines=lines)


def _by_action(rows: QuerySet[Activity]) -> Filter:
    """Return a filter by action, whose options are the actions that occurred in this campaign."""
    done = set(rows.order_by().values_list("action", flat=True).distinct())
    options = (Option(value=key, label=label, where=Q(action=key)) for key, label in ACTIONS.items() if key in done)
    return Filter(key="action", label=gettext("What"), options=tuple(options))


def data_text(row: Activity, words: Mapping[tuple[str, Any], str]) -> str:
    """Return the data of an activity as "name: value · name: value", without empty values.

    ``words`` maps a (name, value) pair to the words for that value.
    """
    pairs = ((key, _person_key(row.action, key), value) for key, value in row.data.items())
    said = (
        (key, _value_text(words.get((kind, value)) if _is_plain(value) else None, value)) for key, kind, value in pairs
    )
    return " · ".join(f"{detail_word(key)}: {text}" for key, text in said if text)


def words_of(campaign: Campaign | None, rows: Sequence[Activity]) -> dict[tuple[str, Any], str]:
    """Return the words for values of these rows: names of people, roles, states and, within a campaign, stages.

    One query if people are named.
    """
    ids = {
        value
        for row in rows
        for key, value in row.data.items()
        if _person_key(row.action, key) == "person" and isinstance(value, int)
    }
    words: dict[tuple[str, Any], str] = {
        ("person", pk): person.get_username() for pk, person in User.objects.in_bulk(ids).items()
    }
    words |= {("role", value): str(label) for value, label in [*Role.choices, *Assignment.Role.choices]}
    words |= {(key, value): str(label) for key in ("from", "to") for value, label in Campaign.State.choices}
    stages = all_stages(campaign) if campaign is not None else ()
    return words | {("stage", stage.key): stage.label for stage in stages}


def _person_key(action: str, key: str) -> str:
    is_person = key in PERSONS or (action == HANDED_OVER and key in ("from", "to"))
    return "person" if is_person else key


def about_of(row: Activity) -> str:
    """Return in words what an activity is about."""
    return f"{OBJECTS.get(row.object_type, row.object_type)} {row.object_id}".strip()


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int))


def _value_text(word: str | None, value: object) -> str:
    """Return a value as people read it: the word for it if there is one, "" for None, and long texts cut short."""
    if word is not None:
        return word
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, int):
        return grouped(value)
    if isinstance(value, dict):
        return _cut(", ".join(f"{key} {_value_text(None, each)}".strip() for key, each in value.items()))
    if isinstance(value, (list, tuple)):
        return _joined(value)
    text = "" if value is None else str(value)
    return f"{text[:12]}…" if DIGEST.fullmatch(text) else _cut(text)


def _joined(values: Iterable[object]) -> str:
    return _cut(", ".join(filter(None, (_value_text(None, each) for each in values))))


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
