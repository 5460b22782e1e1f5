"""Addresses sort and filter lists by allowed names; what the overview and the balancing count."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse

from assess.models import Assignment, Campaign, Item, Run
from assess.web.table import Column, make_table, rows_response
from tests import factories
from tests.pages import page_of


@pytest.fixture
def three_runs(campaign: Campaign, organiser: User) -> list[Run]:
    runs = [factories.run(campaign, tag, organiser, team=tag[:-1]) for tag in ("Alder1", "Birch1", "Cedar1")]
    Run.objects.filter(pk=runs[1].pk).update(state=Run.State.REJECTED, errors=7)
    return runs


def _tags(client: Client, campaign: Campaign, query: str) -> list[str]:
    table = client.get(reverse("runs", args=[campaign.slug]) + query).getvalue().decode()
    return [line.split(",")[0] for line in table.splitlines()[1:]]


@pytest.mark.parametrize(
    ("query", "tags"),
    [
        ("", ["Alder1", "Birch1", "Cedar1"]),
        ("&sort=-tag", ["Cedar1", "Birch1", "Alder1"]),
        ("&sort=-errors", ["Birch1", "Cedar1", "Alder1"]),
        ("&state=rejected", ["Birch1"]),
        ("&q=ced", ["Cedar1"]),
        ("&q=ced%00", ["Cedar1"]),
        ("&sort=submitted_by__password", ["Alder1", "Birch1", "Cedar1"]),
        ("&submitted_by__username=organiser", ["Alder1", "Birch1", "Cedar1"]),
        ("&state=nonsense", []),
    ],
)
def test_an_address_sorts_and_filters_by_allowed_names_alone(
    query: str, tags: list[str], three_runs: list[Run], campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    assert _tags(client, campaign, f"?format=csv{query}") == tags


@pytest.mark.parametrize(
    ("query", "tags"),
    [("", ["Alder1", "Birch1", "Cedar1"]), ("&state=rejected+", ["Birch1"]), ("&state=nonsense", [])],
)
def test_a_choice_among_very_many_is_typed(
    query: str,
    tags: list[str],
    three_runs: list[Run],
    campaign: Campaign,
    organiser: User,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("assess.web.table.CHOSEN_FROM", 1)
    client.force_login(organiser)
    assert _tags(client, campaign, f"?format=csv{query}") == tags
    typed = query.removeprefix("&state=").rstrip("+")
    page = page_of(client.get(reverse("runs", args=[campaign.slug]) + f"?{query}"))
    assert f'<input type="text" id="filter-state" name="state" value="{typed}">' in page


def test_a_list_is_paged(campaign: Campaign, organiser: User, client: Client) -> None:
    for number in range(51):
        factories.document(campaign, f"DOC-{number:03}")
    client.force_login(organiser)
    first = page_of(client.get(reverse("documents", args=[campaign.slug])))
    second = page_of(client.get(reverse("documents", args=[campaign.slug]) + "?page=2"))
    assert ("DOC-049" in first, "DOC-050" in first, "DOC-049" in second, "DOC-050" in second) == (
        True,
        False,
        False,
        True,
    )
    assert "1–50 of 51" in first


def test_rows_in_memory_sort_with_unknown_values_last() -> None:
    columns = [Column(key="value", label="Value", value=lambda row: row)]
    rows = [2.0, None, 3.0, 1.0]
    up = make_table(RequestFactory().get("/"), rows, columns=columns, order="value")
    down = make_table(RequestFactory().get("/?sort=-value"), rows, columns=columns, order="value")
    assert (up.rows, down.rows) == ([1.0, 2.0, 3.0, None], [3.0, 2.0, 1.0, None])


def test_csv_cells_never_start_a_formula() -> None:
    response = rows_response(header=("run", "value"), rows=[("=cmd()", -1.5), ("@x", None)], name="a.csv")
    assert response.getvalue() == b"run,value\n'=cmd(),-1.5\n'@x,\n"
    assert response["Content-Disposition"] == 'attachment; filename="a.csv"'


def test_a_carriage_return_in_a_csv_cell_begins_no_formula() -> None:
    response = rows_response(header=("note",), rows=[("kept\r=cmd()",), ("＝cmd()",)], name="a.csv")
    assert response.getvalue().decode() == "note\n\"kept\r'=cmd()\"\n'＝cmd()\n"


def test_the_overview_counts_add_up(three_runs: list[Run], campaign: Campaign, grading: Assignment) -> None:
    from assess.organising.queries.overview import campaign_counts, next_steps

    counts = campaign_counts(campaign)
    assert (counts.runs, counts.accepted, counts.rejected, counts.withdrawn) == (3, 2, 1, 0)
    assert (counts.assignments, counts.open, counts.started, counts.done) == (1, 0, 1, 0)
    assert (counts.topics, counts.series, counts.unassigned, counts.unassigned_topics) == (2, 1, 3, 2)
    assert counts.unpooled == ("squishy",)
    assert [(step.text, step.page) for step in next_steps(campaign, counts)] == [
        ("1 run failed the check, with no accepted version yet.", "runs"),
        ("The pool is not built for squishy.", "pool"),
        ("3 pooled items without a document to show.", "documents"),
        ("3 stages of 2 topics with nobody to judge.", "assignments"),
        ("1 assignment not done yet.", "progress"),
    ]


def test_missing_documents_are_counted_and_hold_up_no_other_step(
    three_runs: list[Run], campaign: Campaign, grading: Assignment
) -> None:
    from assess.organising.queries.overview import campaign_counts, next_steps

    factories.document(campaign, "PAGE-1", "A page.")
    topic = grading.topic
    topic.fields = {"pages": ["PAGE-1", "PAGE-2"], "documents": ["D1", 7]}
    topic.save()
    counts = campaign_counts(campaign)
    assert counts.named_without_document == 2
    steps = [step.text for step in next_steps(campaign, counts)]
    assert steps[2] == "3 stages of 2 topics with nobody to judge."
    assert steps[-2:] == [
        "3 pooled items without a document to show.",
        "2 documents or pages that topics name are not stored.",
    ]
    Assignment.objects.update(state="done")
    nothing_else = replace(counts, rejected_open=0, unpooled=(), unassigned=0, done=1, started=0)
    assert [step.action for step in next_steps(campaign, nothing_else)] == [
        "Freeze the campaign",
        "Load documents",
        "Load documents",
    ]


def test_balancing_keeps_a_series_together_and_evens_the_load(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, rigid_items: list[Item], client: Client
) -> None:
    other = factories.topic(campaign, "2", "Kites", task="")
    factories.pooled(factories.topic(campaign, "2.1", "Which kites?", task="rigid", parent=other), ["a kite"])
    client.force_login(organiser)
    page = page_of(client.get(reverse("assignments-balance", args=[campaign.slug])))
    assert "Hand out 7 assignments" in page
    client.post(reverse("assignments-balance", args=[campaign.slug]))
    authored = Assignment.objects.filter(role="primary")
    made = authored.values_list("topic__number", "assessor__username").distinct().order_by("topic__number")
    assert list(made) == [("1.1", "assessor"), ("1.2", "assessor"), ("2.1", "second_assessor")]
    client.post(reverse("assignments-balance", args=[campaign.slug]))
    assert Assignment.objects.count() == 7
