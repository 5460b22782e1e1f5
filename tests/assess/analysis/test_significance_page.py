"""Which runs a test tells apart: the order, the top group, every pair, and what is said about draws."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.analysis.domain import significance
from assess.analysis.domain.rankings import measure_title
from assess.analysis.domain.significance import TestRequest, compare_campaign_runs, draws_for, named_test, pair_effects
from assess.base.errors import Invalid
from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.protocol import MeasureColumn
from assess.scores import at_hand
from assess.scores.domain import score_campaign
from scoring.statistics.multiple_comparisons import TESTS, compare_runs
from tests.assess.pages import csv_rows, page_text
from tests.assess.worker import run_worker

pytestmark = pytest.mark.django_db

page = partial(page_text, name="significance")
rows = partial(csv_rows, name="significance")


@pytest.mark.parametrize("test", TESTS)
def test_pairs_are_those_of_the_library_the_better_run_first(ranked: Campaign, test: str) -> None:
    found = compare_campaign_runs(
        ranked, score_campaign(Snapshot(ranked)), asked=named_test(test, "holm"), measure="IP"
    )
    assert found.top.order == ("Alder1", "Birch1", "Cedar1")
    values = {run: found.level.values[run] for run in found.top.order}
    assert list(found.pairs) == compare_runs(values, test=test, correction="holm", draws=found.draws or 9_999)
    assert [(pair.run_a, pair.run_b) for pair in found.pairs] == [
        ("Alder1", "Birch1"), ("Alder1", "Cedar1"), ("Birch1", "Cedar1"),
    ]  # fmt: skip
    assert all(sizes.difference is not None and sizes.difference >= 0 for sizes in pair_effects(found, found.pairs))


def test_runs_left_out_are_in_no_pair(ranked: Campaign) -> None:
    found = compare_campaign_runs(
        ranked, score_campaign(Snapshot(ranked)), asked=TestRequest(), measure="IP", without=["Birch1"]
    )
    assert [(pair.run_a, pair.run_b) for pair in found.pairs] == [("Alder1", "Cedar1")]


@pytest.mark.parametrize(
    ("group", "label", "title"),
    [("F", "F, author", "F, author"), ("Nuggets", "V strict", "Nuggets: V strict"), ("", "AP", "AP")],
)
def test_a_measure_is_called_by_its_group_once(group: str, label: str, title: str) -> None:
    assert measure_title(MeasureColumn(key="m", label=label, help="", group=group)) == title


def test_the_worker_deals_with_the_scores_what_the_page_shows_first(
    ranked: Campaign, at_desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = reverse("significance", args=[ranked.slug])
    monkeypatch.setattr(at_hand, "AT_ONCE", 0)
    assert at_desk.get(address).status_code == 202
    run_worker()
    monkeypatch.setattr(significance, "compare_runs", None)
    assert at_desk.get(address).status_code == 200


def test_draws_are_bounded_by_runs_and_topics() -> None:
    assert draws_for("t", runs=60, topics=400) == (None, False)
    assert draws_for("tukey", runs=10, topics=50) == (9_999, False)
    assert draws_for("tukey", runs=60, topics=1_000) == (1_666, True)
    assert draws_for("tukey", runs=200, topics=10_000) == (999, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("z", "holm"), "There is no test “z”"),
        (("t", "z"), "There is no correction “z”"),
    ],
)
def test_unknown_words_are_refused(words: tuple[str, str], said: str) -> None:
    with pytest.raises(Invalid, match=said):
        named_test(*words)


@pytest.mark.parametrize("number", [{"alpha": 0.0}, {"alpha": 1.5}, {"alpha": float("nan")}, {"seed": -1}])
def test_unusable_numbers_are_refused(number: dict[str, float]) -> None:
    with pytest.raises(Invalid):
        named_test("t", "holm", **number)


def test_the_page_says_test_draws_seed_and_top_group(desk: Client, ranked: Campaign) -> None:
    shown = page(desk, ranked, "?measure=IP")
    assert "Tukey HSD, randomised" in shown and "9,999</span> draws, seed 0" in shown
    assert shown.count("★ top group") == 3
    assert 'Told apart at 0.05: <strong class="number">0</strong> of 3 pairs.' in shown
    assert "That they are not told apart does not show that they are equal." in shown
    bare = page(desk, ranked, "?measure=IP&test=t&correction=none&alpha=0.2")
    assert "p is not corrected" in bare and "draws, seed" not in bare.split("<h2")[0]


def test_no_correction_can_be_chosen_in_german(desk: Client, ranked: Campaign) -> None:
    german = Client(headers={"Accept-Language": "de"})
    german.cookies = desk.cookies
    shown = page(german, ranked, "?measure=IP&test=t&correction=none&alpha=0.2")
    assert '<option value="none" selected' in shown and 'value="keine"' not in shown


def test_pairs_can_be_narrowed_to_a_run(desk: Client, ranked: Campaign) -> None:
    shown = page(desk, ranked, "?measure=IP&run=Cedar1")
    table = shown.split('id="pairs-table"')[1].split("</table>")[0]
    assert table.count("<tr>") == 3  # the head and two pairs


def test_tables_come_as_csv(desk: Client, ranked: Campaign) -> None:
    runs = rows(desk, ranked, "?measure=IP&format=runs")
    assert (runs[0]["place"], runs[0]["run"], runs[0]["top_group"]) == ("1", "Alder1", "yes")
    pairs = rows(desk, ranked, "?measure=IP&test=sign&format=csv")
    assert tuple(pairs[0][name] for name in ("run_a", "run_b", "test", "topics")) == (
        "Alder1", "Birch1", "sign", "3",
    )  # fmt: skip
    assert 0 <= float(pairs[0]["superiority"]) <= 1


def test_the_plot_has_a_square_for_every_pair(desk: Client, ranked: Campaign) -> None:
    answer = desk.get(reverse("significance-plot", args=[ranked.slug]) + "?measure=IP&theme=dark")
    assert answer["Content-Type"] == "image/svg+xml" and "sandbox" in answer["Content-Security-Policy"]
    words = [word.strip() for word in ET.fromstring(answer.content).itertext()]
    assert words.count("Alder1") == 1 and words.count("1") == 2


def test_nonsense_in_the_address_changes_nothing(desk: Client, ranked: Campaign) -> None:
    shown = page(desk, ranked, "?measure=zz&test=zz&correction=zz&alpha=x&seed=y&show=z&run=z&sort=z&page=z")
    assert "Tukey HSD, randomised" in shown


def test_without_values_the_page_says_what_to_do(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    assert "Nothing to compare" in page(client, campaign)
    assert client.get(reverse("significance-plot", args=[campaign.slug])).status_code == 200
