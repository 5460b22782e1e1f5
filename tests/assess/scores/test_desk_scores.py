"""The pages of scores show what scoring says, open every value, and draw names from outside as plain text."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from assess.base.files import store_file
from assess.campaigns.queries import ledger_point
from assess.models import Assignment, Campaign, Item, Judgment, Run, Topic
from assess.scores.plots import bars_svg
from assess.scores.states import CampaignScores
from nuggets.classes.record import create_class
from scoring.records import Issue
from scoring.release.score_columns import columns_of
from tests import factories
from tests.assess.pages import page_text

DOCNO = "BLOG06-20060101-000-0000000001"
LINES = f"1.1 Harbor1 {DOCNO} blue bicycle\n1.1 Harbor1 {DOCNO} red bicycle\n"


@pytest.fixture
def scored(campaign: Campaign, assessor: User, grading: Assignment, rigid_items: list[Item], settings, tmp_path) -> int:
    """Blue and green are the two answers, red is wrong; Harbor1 returns blue and red. Gives the ledger point before."""
    settings.DATA_DIR = tmp_path
    before = ledger_point(campaign)
    for number, (item, value) in enumerate(zip(rigid_items, (1, 1, -1), strict=True)):
        Judgment(
            item=item,
            criterion="correctness",
            value=value,
            assessor=assessor,
            assignment=grading,
            client_key=UUID(int=number + 1),
            how="key",
        ).save()
    Assignment.objects.filter(pk=grading.pk).update(state="done")
    grouping = factories.assignment(grading.topic, "classes", assessor)
    for number, item in enumerate(rigid_items[:2]):
        create_class(actor=assessor, assignment=grouping, items=[item], client_key=UUID(int=number + 10))
    Assignment.objects.filter(pk=grouping.pk).update(state="done")
    kept = store_file(io.BytesIO(LINES.encode()))
    run = factories.run(campaign, "Harbor1", assessor)
    Run.objects.filter(pk=run.pk).update(file=kept.sha256)
    return before


def test_the_csv_holds_every_value(scored: int, campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    table = client.get(reverse("scores", args=[campaign.slug]) + "?format=csv").getvalue().decode()
    values = {(row["run"], row["topic"], row["measure"]): row["value"] for row in csv.DictReader(io.StringIO(table))}
    assert [values["Harbor1", "1.1", measure] for measure in ("IR", "IP", "F")] == ["0.5", "0.5", "0.5"]


def test_notes_are_apart_from_problems() -> None:
    fault = Issue(where="", code="no-answer-class", message="An answer is in no class.", severity="warning")
    note = Issue(where="", code="no-bertscore", message="BERTScore is not installed.", severity="note")
    found = CampaignScores(
        as_of=1, measures=(), runs=(), columns=columns_of(()), issues=(fault, note), at=timezone.now()
    )
    shown = " ".join(render_to_string("assess/scores/parts/score_issues.html", {"scores": found}).split())
    problems, notes = shown.split("</details>")[:2]
    assert (
        "1 problem found in judgments and runs" in problems
        and fault.message in problems
        and note.message not in problems
    )
    assert "Notes (1)" in notes and note.message in notes and "problem" not in notes


def test_the_table_shows_one_topic_and_links_every_value(
    scored: int, campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    shown = page_text(client, campaign, "?topic=1.1", name="scores")
    assert "0.5000" in shown
    explain = reverse("score-explain", args=[campaign.slug])
    assert f'{explain}?topic=1.1&amp;run=Harbor1&amp;measure=IR"' in shown
    by_topic = page_text(client, campaign, "?run=Harbor1", name="score-topics")
    assert "0.5000" in by_topic


def test_many_topics_come_in_pages_and_are_found_by_number(
    scored: int, campaign: Campaign, organiser: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(organiser)

    def topics(query: str) -> list[str]:
        return re.findall(r'<th scope="row">([^<]+)', page_text(client, campaign, query, name="score-topics"))

    every = topics("?run=Harbor1")
    monkeypatch.setattr("assess.scores.views.pages.TOPICS", 1)
    assert [topics(f"?run=Harbor1&page={number}") for number in (1, len(every))] == [every[:1], every[-1:]]
    last = page_text(client, campaign, f"?run=Harbor1&page={len(every)}", name="score-topics")
    assert "measure" in last and "page=" not in "".join(re.findall(r'href="[^"]*explain[^"]*"', last))

    assert '<select id="score-topic"' in page_text(client, campaign, "", name="scores")
    monkeypatch.setattr("assess.scores.views.pages.CHOSEN_FROM", 0)
    found = [page_text(client, campaign, query, name="scores") for query in ("?topic=", "?topic=1.1", "?topic=9.9")]
    shown = [re.findall(r'<input id="score-topic" name="topic" value="([^"]*)"', each) for each in found]
    assert shown == [[""], ["1.1"], ["9.9"]]
    assert ["Harbor1" in each for each in found] == [True, True, False]


def test_a_value_opens_to_its_formula_and_rows(
    scored: int, campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    shown = page_text(client, campaign, "?run=Harbor1&topic=1.1&measure=IR", name="score-explain")
    assert "IR = 0.500000" in shown
    assert "1 / 2" in shown or "1/2" in shown
    assert "blue bicycle" in shown
    assert "red bicycle" in shown


def test_an_earlier_point_gives_the_earlier_values(
    scored: int, campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    answer = client.get(reverse("scores", args=[campaign.slug]) + f"?format=csv&as_of={scored}")
    values = {
        (row["topic"], row["measure"]): row["value"] for row in csv.DictReader(io.StringIO(answer.getvalue().decode()))
    }
    assert values["1.1", "IR"] == ""
    assert answer["Content-Disposition"] == f'attachment; filename="scores-{scored}.csv"'


@pytest.mark.parametrize(
    "query",
    ["?run=Nobody1&topic=1.1&measure=IR", "?run=Harbor1&topic=9.9&measure=IR", "?run=Harbor1&topic=1.1&measure=X"],
)
def test_a_value_that_is_none_is_not_found(
    query: str, scored: int, campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    assert client.get(reverse("score-explain", args=[campaign.slug]) + query).status_code == 404


def test_the_plot_is_an_image_that_can_do_nothing(
    scored: int, campaign: Campaign, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    query = f"?topic=1.1&measure=IR&as_of={ledger_point(campaign)}"
    answer = client.get(reverse("score-plot", args=[campaign.slug]) + query)
    assert answer["Cache-Control"] == "private, no-store"  # settings and the runs accepted may change at any point
    assert answer["Content-Type"] == "image/svg+xml"
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert "sandbox" in answer["Content-Security-Policy"]
    text = "".join(ET.fromstring(answer.content).itertext())
    assert "Harbor1" in text
    assert "0.500" in text


def test_labels_from_outside_are_drawn_as_they_are() -> None:
    hostile = [(r"$\frac{1}{0}$", 0.5), ("<script>alert(1)</script>", 0.25), ("a\x07b" + "x" * 99, 0.1)]
    image = bars_svg(hostile, title="$F$")
    root = ET.fromstring(image)
    assert not [node for node in root.iter() if node.tag.endswith("script")]
    text = "".join(root.itertext())
    assert r"$\frac{1}{0}$" in text
    assert "<script>alert(1)</script>" in text
    assert "$F$" in text
    assert image == bars_svg(hostile, title="$F$")


def test_scores_cost_the_same_queries_for_one_run_and_three(
    scored: int, rigid: Topic, campaign: Campaign, organiser: User, client: Client, django_assert_num_queries
) -> None:
    client.force_login(organiser)
    page_text(client, campaign, name="scores")
    with django_assert_num_queries(14):
        page_text(client, campaign, name="scores")
    kept = store_file(io.BytesIO(LINES.encode()))
    for tag in ("Larch1", "Quill1"):
        Run.objects.filter(pk=factories.run(campaign, tag, organiser).pk).update(file=kept.sha256)
    page_text(client, campaign, name="scores")
    with django_assert_num_queries(14):
        page_text(client, campaign, name="scores")
