"""Lists cost the same queries with one row and with three; addresses sort and filter them by allowed names."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory
from django.urls import reverse

from assess.domain.activity import record_activity
from assess.models import Assignment, Campaign, HelpRequest, Item, Run
from assess.views.table import Column, make_table, rows_response
from tests import factories

Maker = Callable[[int], None]


@pytest.fixture
def makers(campaign: Campaign, organiser: User, grading: Assignment, rigid_items: list[Item]) -> dict[str, Maker]:
    """For each list, what adds its n-th row (and whatever hangs on it)."""

    def add_run(number: int) -> None:
        run = factories.run(campaign, f"Team{number}-1", organiser, team=f"Team{number}")
        factories.response(run, grading.topic, rigid_items)

    def add_topic(number: int) -> None:
        parent = campaign.topics.get(number="1")
        factories.topic(campaign, f"1.{number + 10}", "Which?", task="rigid", parent=parent, ordinal=number + 10)

    def add_work(number: int) -> None:
        topic = factories.topic(campaign, f"7.{number}", "Which?", task="rigid")
        person = factories.member(campaign, f"worker{number}", "assessor")
        factories.assignment(topic, "instances", person)

    def add_question(number: int) -> None:
        HelpRequest.objects.create(
            assignment=grading, item=rigid_items[0], text=f"Why {number}?", client_key=UUID(int=number)
        )

    def add_invitation(number: int) -> None:
        campaign.invitations.create(
            role="assessor", token_sha256=f"{number:064}", expires_at="2036-01-01T00:00Z", created_by=organiser
        )

    return {
        "runs": add_run,
        "pool": add_run,
        "topics": add_topic,
        "documents": lambda number: factories.document(campaign, f"DOC-{number}") and None,
        "people": add_invitation,
        "assignments": add_work,
        "progress": add_work,
        "questions": add_question,
        "activity": lambda number: record_activity(actor=organiser, action="topics.load", campaign=campaign) and None,
        "overview": add_work,
    }


QUERIES = {
    "runs": 6,
    "pool": 9,
    "topics": 7,
    "documents": 22,
    "people": 7,
    "assignments": 10,
    "progress": 9,
    "questions": 6,
    "activity": 6,
    "overview": 16,
}


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("rows", [1, 3])
def test_a_list_costs_the_same_queries_whatever_its_length(
    name: str,
    rows: int,
    makers: dict[str, Maker],
    campaign: Campaign,
    organiser: User,
    client: Client,
    django_assert_num_queries,
) -> None:
    for number in range(1, rows + 1):
        makers[name](number)
    client.force_login(organiser)
    address = reverse(name, args=[campaign.slug])
    with django_assert_num_queries(QUERIES[name]):
        answer = client.get(address)
    assert answer.status_code == 200


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
        ("&submitted_by__username=organiser&state=nonsense", ["Alder1", "Birch1", "Cedar1"]),
    ],
)
def test_an_address_sorts_and_filters_by_allowed_names_alone(
    query: str, tags: list[str], three_runs: list[Run], campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    assert _tags(client, campaign, f"?format=csv{query}") == tags


def test_a_list_is_paged(campaign: Campaign, organiser: User, client: Client) -> None:
    for number in range(51):
        factories.document(campaign, f"DOC-{number:03}")
    client.force_login(organiser)
    first = client.get(reverse("documents", args=[campaign.slug])).content.decode()
    second = client.get(reverse("documents", args=[campaign.slug]) + "?page=2").content.decode()
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


def test_the_overview_counts_add_up(three_runs: list[Run], campaign: Campaign, grading: Assignment) -> None:
    from assess.queries.overview import campaign_counts, next_steps

    counts = campaign_counts(campaign)
    assert (counts.runs, counts.accepted, counts.rejected, counts.withdrawn) == (3, 2, 1, 0)
    assert (counts.assignments, counts.open, counts.started, counts.done) == (1, 0, 1, 0)
    assert (counts.topics, counts.series, counts.unassigned, counts.unassigned_topics) == (2, 1, 3, 2)
    assert counts.unpooled == ("squishy",)
    assert [(step.text, step.page) for step in next_steps(campaign, counts)] == [
        ("1 run failed the check and came in no better since.", "runs"),
        ("The pool is not built for squishy.", "pool"),
        ("3 pooled items without a document to show.", "documents"),
        ("2 topics unassigned, with 3 stages.", "assignments"),
        ("1 piece of work not done yet.", "progress"),
    ]


def test_balancing_keeps_a_series_together_and_evens_the_load(
    campaign: Campaign, organiser: User, assessor: User, second_assessor: User, rigid_items: list[Item], client: Client
) -> None:
    other = factories.topic(campaign, "2", "Kites", task="")
    factories.topic(campaign, "2.1", "Which kites?", task="rigid", parent=other)
    client.force_login(organiser)
    page = client.get(reverse("assignments-balance", args=[campaign.slug])).content.decode()
    assert "Hand out 7 pieces of work" in page
    client.post(reverse("assignments-balance", args=[campaign.slug]))
    authored = Assignment.objects.filter(role="primary")
    made = authored.values_list("topic__number", "assessor__username").distinct().order_by("topic__number")
    assert list(made) == [("1.1", "assessor"), ("1.2", "assessor"), ("2.1", "second_assessor")]
    client.post(reverse("assignments-balance", args=[campaign.slug]))
    assert Assignment.objects.count() == 7
