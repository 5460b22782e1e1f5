"""Rankings under other judgments and other settings: what is compared, how alike, who moves."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.analysis import api
from assess.analysis.domain import rankings as sides
from assess.analysis.domain.rankings import (
    SideChoice,
    Sides,
    distinct_sides,
    ranking_measures,
    shared_measure,
    usual_sides,
)
from assess.analysis.domain.stability import compare_rankings
from assess.analysis.views import stability as pages
from assess.base.errors import Invalid
from assess.campaigns.queries import settings_of
from assess.exports.writing import collect_records, export_lines, find_export
from assess.judging.queries.current import official_judgments
from assess.judging.queries.judges import counting_of, judges_of
from assess.judging.snapshots import Snapshot
from assess.models import Campaign
from assess.scores.domain import score_campaign
from scoring.release.score_columns import columns_of
from scoring.statistics.rankings import RunRanking
from tests.assess.pages import csv_rows, page_text
from tests.pages import page_of

pytestmark = pytest.mark.django_db

page = partial(page_text, name="stability")
rows = partial(csv_rows, name="stability")


def judge_named(campaign: Campaign, key: str):
    return next(each for each in judges_of(campaign) if each.key == key)


def test_another_assessors_words_count_in_their_snapshot_alone(ranked: Campaign) -> None:
    other = counting_of(judge_named(ranked, "second"))
    usual = set(official_judgments(Snapshot(ranked)).values_list("assignment__role", flat=True))
    inside = official_judgments(Snapshot(ranked, counting=other))
    assert (set(inside.values_list("assignment__role", flat=True)), usual) == ({"second"}, {"primary"})


def test_records_read_late_are_those_of_their_snapshot(ranked: Campaign) -> None:
    """The context in which another set of judgments counted ended before a lazy collector had read anything."""
    export = find_export(ranked, "instances.tsv")
    assert export is not None
    second = Snapshot(ranked, counting=counting_of(judge_named(ranked, "second")))
    at_once = list(collect_records(second, export))
    late = iter(collect_records(second, export))
    official = iter(collect_records(Snapshot(ranked), export))
    read = list(zip(late, official, strict=False))
    assert [mine for mine, _ in read] + list(late) == at_once
    assert at_once != list(collect_records(Snapshot(ranked), export))


def test_exports_are_official_whatever_was_scored(ranked: Campaign) -> None:
    export = find_export(ranked, "instances.tsv")
    assert export is not None
    before = list(export_lines(Snapshot(ranked), export))
    score_campaign(Snapshot(ranked, counting=counting_of(judge_named(ranked, "assessor-2"))))
    assert list(export_lines(Snapshot(ranked), export)) == before


def test_scores_of_the_author_are_the_official_ones_without_an_adjudicator(ranked: Campaign) -> None:
    primary = score_campaign(Snapshot(ranked, counting=counting_of(judge_named(ranked, "primary"))))
    person = score_campaign(Snapshot(ranked, counting=counting_of(judge_named(ranked, "assessor-1"))))
    assert primary.scores == person.scores == score_campaign(Snapshot(ranked)).scores


def test_the_second_assessor_orders_the_runs_otherwise(ranked: Campaign) -> None:
    found = compare_rankings(
        Sides(Snapshot(ranked)),
        first=SideChoice(judge="official", measure="IP"),
        second=SideChoice(judge="second", measure="IP"),
    )
    assert found.topics == ("1.1", "1.3")  # 1.4 has no second judgment
    assert found.first.ranking.order == ("Alder1", "Birch1", "Cedar1")
    assert found.second.ranking.order == ("Cedar1", "Alder1", "Birch1")
    assert {row.run: row.moved for row in found.runs} == {"Alder1": -1, "Birch1": -1, "Cedar1": 2}
    tau = {each.measure: each.value for each in found.estimates}
    assert tau["tau_b"] == pytest.approx(-1 / 3)
    assert all(each.interval is None or each.interval.units == 2 for each in found.estimates)


def test_nothing_is_compared_with_itself(ranked: Campaign, desk: Client) -> None:
    with pytest.raises(Invalid, match="Both rankings are the same"):
        compare_rankings(Sides(Snapshot(ranked)), first=SideChoice(measure="IP"), second=SideChoice(measure="IP"))
    shown = page(desk, ranked, "?a=official&b=official&a_measure=IP&b_measure=IP")
    assert "Both rankings are the same" in shown and "<h2>How alike</h2>" not in shown
    plot = desk.get(reverse("stability-plot", args=[ranked.slug]) + "?a=official&b=official")
    assert plot.status_code == 200


def test_settings_that_change_nothing_leave_the_order(ranked: Campaign) -> None:
    settings = replace(settings_of(ranked), beta=1.0)
    found = compare_rankings(
        Sides(Snapshot(ranked)), first=SideChoice(measure="IP"), second=SideChoice(measure="IP", settings=settings)
    )
    assert found.topics == ("1.1", "1.3", "1.4")
    assert {each.value for each in found.estimates if each.measure == "tau"} == {1.0}
    assert [row.moved for row in found.runs] == [0, 0, 0]


def test_unasked_judges_are_those_who_judged_the_same(ranked: Campaign) -> None:
    usual = usual_sides(Sides(Snapshot(ranked)))
    assert usual is not None and [side.judge for side in usual] == ["official", "second"]
    assert (
        usual[0].measure
        == usual[1].measure
        == shared_measure(Sides(Snapshot(ranked)), SideChoice(), SideChoice(judge="second"))
    )
    assert distinct_sides(Sides(Snapshot(ranked)), SideChoice(), SideChoice()) == usual
    assert (
        distinct_sides(Sides(Snapshot(ranked)), SideChoice(measure="IP"), SideChoice(measure="IP"))[1].judge == "second"
    )
    chosen = SideChoice(judge="primary"), SideChoice(measure="IP")
    assert distinct_sides(Sides(Snapshot(ranked)), *chosen) == chosen


def test_judgments_that_tell_no_run_from_another_are_not_compared_first(
    ranked: Campaign, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def scored(snapshot, settings=None):
        """Whoever is not official gives every run 0."""
        scores = score_campaign(snapshot, settings)
        if snapshot.counting.is_official:
            return scores
        return replace(scores, columns=columns_of(replace(each, value=0.0) for each in scores.scores))

    usual = usual_sides(Sides(Snapshot(ranked), scored))
    assert usual is not None and [side.judge for side in usual] == ["official", "official"]
    assert usual[0].measure != usual[1].measure
    monkeypatch.setattr(pages, "scores_at_hand", lambda actor, **options: scored)
    assert "<h2>How alike</h2>" in page(desk, ranked)


def test_what_is_unknown_is_refused(ranked: Campaign) -> None:
    with pytest.raises(Invalid, match="There is no judge “nobody”"):
        compare_rankings(Sides(Snapshot(ranked)), first=SideChoice(judge="nobody"), second=SideChoice())
    with pytest.raises(Invalid, match="There is no measure “x”"):
        compare_rankings(Sides(Snapshot(ranked)), first=SideChoice(measure="x"), second=SideChoice())


def test_the_page_compares_official_and_other_assessor_first(desk: Client, ranked: Campaign) -> None:
    shown = page(desk, ranked, "?a=official&b=second&a_measure=IP&b_measure=IP")
    assert 'Compared on <strong class="number">2</strong> topics' in shown
    assert "both official and second assessor said something" in shown
    assert "Kendall&#x27;s tau-b" in shown and "seed 0" in shown and "Moving most" in shown
    assert 'value="second" selected' in page(desk, ranked)


def test_one_of_very_many_judges_is_typed(desk: Client, ranked: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assess.analysis.views.stability.CHOSEN_FROM", 1)
    shown = page(desk, ranked, "?a=+second&b=nobody")
    assert re.findall(r'name="[ab]" value="([^"]*)" list="judges"', shown) == ["second", "official"]
    assert (shown.count("<datalist"), "There is no judge “nobody”." in shown) == (1, True)


def test_other_settings_are_a_side_of_their_own(desk: Client, ranked: Campaign) -> None:
    shown = page(desk, ranked, "?a=official&b=official&b_set_beta=1")
    assert shown.count("(changed)") == 1
    refused = page(desk, ranked, "?a=official&b=official&b_set_beta=-3")
    assert "Second ranking uses the campaign's own settings" in refused


def test_tables_come_as_csv(desk: Client, ranked: Campaign) -> None:
    query = "?a=official&b=second&a_measure=IP&b_measure=IP&format="
    heads = page(desk, ranked, query.removesuffix("&format=")).split('id="runs-table"')[1].split("</thead>")[0]
    assert [word for word in ("First: IP", "Second: IP") if word in heads] == ["First: IP", "Second: IP"]
    runs = {row["run"]: row for row in rows(desk, ranked, query + "csv")}
    assert runs["Alder1"]["first_place"] == "1.0" and set(runs) == {"Alder1", "Birch1", "Cedar1"}
    assert [row["measure"] for row in rows(desk, ranked, query + "correlations")] == [
        "tau", "tau_b", "tau_ap", "tau_ap_b", "rbo",
    ]  # fmt: skip


def test_the_plot_names_every_run_at_both_ends(desk: Client, ranked: Campaign) -> None:
    answer = desk.get(reverse("stability-plot", args=[ranked.slug]) + "?a=official&b=second&a_measure=IP&b_measure=IP")
    assert answer["Content-Type"] == "image/svg+xml" and "sandbox" in answer["Content-Security-Policy"]
    words = list(ET.fromstring(answer.content).itertext())
    assert words.count("Alder1") == 2


@pytest.mark.parametrize("name", ["stability", "stability-plot", "api-stability-list"])
def test_each_side_is_scored_once_and_judges_are_read_once(
    name: str, ranked: Campaign, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def noted(function, word):
        def call(*arguments):
            asked.append(word if word == "judges" else f"{arguments[1]} {arguments[0].counting}")
            return function(*arguments)

        return call

    for module in (pages, api):
        monkeypatch.setattr(module, "scores_at_hand", lambda actor, **options: noted(score_campaign, "scores"))
    monkeypatch.setattr(sides, "judges_of", noted(judges_of, "judges"))
    assert desk.get(reverse(name, args=[ranked.slug])).status_code == 200
    assert len(asked) == len(set(asked)) == 3


def test_places_are_taken_once_for_each_side(ranked: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    usual = RunRanking.places.fget
    assert usual is not None
    monkeypatch.setattr(RunRanking, "places", property(lambda self: taken.append(self.key) or usual(self)))
    compare_rankings(Sides(Snapshot(ranked)), first=SideChoice(), second=SideChoice(judge="second"))
    assert len(taken) == 2


def test_without_values_the_page_says_what_to_do(campaign: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    assert "Nothing to rank" in page(client, campaign)
    assert client.get(reverse("stability-plot", args=[campaign.slug])).status_code == 200


def test_unasked_rankings_are_by_a_measure_that_both_sides_have(
    ranked: Campaign, desk: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = score_campaign(Snapshot(ranked))
    official = next(each for each in ranking_measures(whole) if each.official)

    def scored(snapshot, settings=None):
        """The other assessor judged nothing that the official measure is of."""
        scores = score_campaign(snapshot, settings)
        if snapshot.counting.is_official:
            return scores
        return replace(scores, columns=columns_of(each for each in scores.scores if each.measure != official.key))

    monkeypatch.setattr(pages, "scores_at_hand", lambda actor, **options: scored)
    found = compare_rankings(Sides(Snapshot(ranked), scored), first=SideChoice(), second=SideChoice(judge="second"))
    assert found.first.measure == found.second.measure != official
    assert page(desk, ranked).count(f'<option value="{found.first.measure.key}" selected>') == 2

    asked = f"?a=official&a_measure={official.key}&b=second&b_measure={official.key}"
    answer = desk.get(reverse("stability", args=[ranked.slug]) + asked)
    assert answer.status_code == 422
    text = page_of(answer)
    assert f"Judgments of second assessor: “{official.label}” has no value on any topic." in text
    assert 'name="b_measure"' in text  # the form stays, so that another measure can be chosen


def test_the_plot_and_the_downloads_are_of_the_sides_that_the_page_opens_with(ranked: Campaign, desk: Client) -> None:
    plot = page_of(desk.get(reverse("stability-plot", args=[ranked.slug]) + "?theme=dark"))
    assert "second assessor: " in plot
    shown = compare_rankings(Sides(Snapshot(ranked)), first=SideChoice(), second=SideChoice(judge="second"))
    tau_b = next(each.value for each in shown.estimates if each.measure == "tau_b")
    told = {row["measure"]: row["value"] for row in rows(desk, ranked, "?format=correlations")}
    assert float(told["tau_b"]) == pytest.approx(tau_b)
