"""The page of agreement: what is compared, the numbers, the matrix that opens, and what is undefined."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.kinds.grade.agreement_questions import grade_questions
from assess.models import Campaign, Run
from tests import factories
from tests.assess.pages import csv_rows, page_text

pytestmark = pytest.mark.django_db

page = partial(page_text, name="agreement")
rows = partial(csv_rows, name="agreement")


@pytest.fixture
def desk(compared: Campaign, organiser: User, client: Client) -> Client:
    client.force_login(organiser)
    return client


def test_without_a_choice_author_and_other_are_compared(desk: Client, compared: Campaign) -> None:
    shown = page(desk, compared)
    assert '<strong class="number">7</strong> items of <span class="number">1</span> topic.' in shown
    assert "0.7143" in shown and "seed 0" in shown
    text = " ".join(re.sub(r"<[^>]+>", "", shown).split())
    assert "primary assessor and second assessor: both judged 7 items of 1 topic. " in text
    assert "Judged by one alone, and so not compared: 1 by primary assessor. From the ledger" in text


def test_the_matrix_opens_on_the_things_themselves(desk: Client, compared: Campaign) -> None:
    shown = page(desk, compared)
    assert "first=1&amp;second=-1" in shown
    listed = page(desk, compared, "?judge=primary&judge=second&first=1&second=-1", name="agreement-items")
    assert "bicycle 3" in listed and "bicycle 6" not in listed
    assert "that primary assessor called correct and second assessor incorrect" in listed
    both = page(desk, compared, name="agreement-items")
    assert "bicycle 3" in both and "bicycle 6" in both and "bicycle 0" not in both


def test_no_run_is_named_beside_a_disagreement(desk: Client, compared: Campaign, organiser: User) -> None:
    run = factories.run(compared, "Harbor7", organiser)
    Run.objects.filter(pk=run.pk).update(state="accepted")
    assert "Harbor7" not in page(desk, compared, name="agreement-items")


def test_what_is_undefined_says_why(desk: Client, compared: Campaign) -> None:
    shown = page(desk, compared, "?as_of=0")
    assert "No two of them judged the same thing." in shown
    assert "undefined: No two of them judged the same thing." in shown


def test_an_undefined_value_of_a_topic_says_why_below_the_table(desk: Client, compared: Campaign) -> None:
    assert "– is undefined" not in page(desk, compared)
    below = (
        "– is undefined: None of them called anything relevant here, so there is no set to overlap (0 / 0). Intervals"
    )
    assert below in page(desk, compared, "?relevant=3")


def test_places_have_no_overlap_since_only_what_both_picked_is_compared(organiser: User) -> None:
    claims = factories.campaign(organiser=organiser, slug="claims", track="context25")
    picked = [each for each in grade_questions(claims) if each.note.startswith("Only what both picked is compared")]
    assert [(each.stage, each.relevant) for each in picked] == [("figures", None)]


def test_people_can_be_compared_three_at_a_time(desk: Client, compared: Campaign) -> None:
    shown = page(desk, compared, "?judge=assessor-1&judge=assessor-2&judge=official&pair=1-2")
    assert "Fleiss" in shown and "Cohen&#x27;s kappa" not in shown
    assert "Rows: second_assessor (assessor-2). Columns: official." in shown


def test_tables_come_as_csv(desk: Client, compared: Campaign) -> None:
    values = {row["measure"]: row for row in rows(desk, compared, "?format=measures")}
    assert float(values["agreement"]["value"]) == 5 / 7 and values["agreement"]["items"] == "7"
    by_topic = {(row["topic"], row["measure"]): row["value"] for row in rows(desk, compared, "?format=csv")}
    assert by_topic["1.1", "agreement"] == by_topic["all", "agreement"] == str(5 / 7)
    matrix = rows(desk, compared, "?format=matrix")
    assert [row["all"] for row in matrix] == ["2", "1", "0", "4", "7"]
    listed = rows(desk, compared, "?format=csv", name="agreement-items")
    assert sorted((row["primary"], row["second"]) for row in listed) == [("1", "-1"), ("2", "1")]


def test_the_plot_holds_topics_and_all(desk: Client, compared: Campaign) -> None:
    answer = desk.get(reverse("agreement-plot", args=[compared.slug]))
    assert answer["Content-Type"] == "image/svg+xml" and "sandbox" in answer["Content-Security-Policy"]
    words = list(ET.fromstring(answer.content).itertext())
    assert "1.1" in words and "all topics" in words


def test_nonsense_in_the_address_changes_nothing(desk: Client, compared: Campaign) -> None:
    shown = page(desk, compared, "?question=no/such&judge=nobody&relevant=x&measure=y&pair=9-9&first=q")
    assert "Choose two judges or more" in shown
    assert "Raw agreement" in page(desk, compared, "?relevant=nan&measure=y&pair=9-9&sort=z&page=x")


def test_a_campaign_with_one_judge_says_what_to_do(
    campaign: Campaign, grading: object, organiser: User, client: Client
) -> None:
    client.force_login(organiser)
    shown = page(client, campaign)
    assert "nothing is chosen" in shown or "Nobody to compare yet" in shown
    assert "Nothing is compared" in page(client, campaign, name="agreement-items")
