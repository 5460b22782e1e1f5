"""Score reports: a team's runs beside median and best, when and to whom they are shown, and nobody else's runs."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.base.errors import Conflict, NotFound
from assess.campaigns.queries import ledger_point
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Judgment, Release, Run
from assess.organising.domain import change_settings
from assess.scores.api import ReportLineOut
from assess.scores.plots import TOPICS_A_PLOT, differences_svg, topics_svg
from assess.scores.reports import (
    HEADER,
    PAGE,
    TABLE,
    MeasureReport,
    MeasureStanding,
    report_page,
    report_rows,
    score_report,
    teams_with_runs,
    write_report,
)
from assess.web.shapes import DataSerializer
from nuggets.models import NuggetList
from tests.assess.commands import run_command
from tests.assess.judged_campaign import item
from tests.remembered import remembered

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def campaign(frozen: NuggetList) -> Campaign:
    return Campaign.objects.get(slug="opinions")


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return User.objects.get(username="organiser")


@pytest.fixture
def assessor(campaign: Campaign) -> User:
    return User.objects.get(username="assessor")


@pytest.fixture
@remembered
def judged(campaign: Campaign) -> Campaign:
    return campaign


@pytest.fixture
def released(judged: Campaign, organiser: User) -> Release:
    return Release.objects.create(
        campaign=judged, as_of=ledger_point(judged), manifest={}, archive="0" * 64, code_version="test", published=True,
        created_by=organiser,
    )  # fmt: skip


def f_of(campaign: Campaign, team: str) -> MeasureReport:
    found = score_report(Snapshot(campaign), team=team).measure("F")
    assert found is not None
    return found


def page(client: Client, campaign: Campaign, person: str, query: str = "", name: str = "score-report") -> str:
    client.force_login(User.objects.get(username=person))
    answer = client.get(reverse(name, args=[campaign.slug]) + query)
    assert answer.status_code == 200
    return (answer.getvalue() if answer.streaming else answer.content).decode()  # type: ignore[attr-defined]


# ---------------------------------------------------------------- what it says


def test_a_topic_has_median_best_and_the_rank_of_each_run(judged: Campaign) -> None:
    line = next(line for line in f_of(judged, "Basil").topics if line.topic == "1.1")
    (basil,) = line.runs
    assert (line.median, line.best, line.count) == (0.4, 1.0, 3)
    assert (basil.run, basil.value, basil.difference, basil.rank) == ("Basil1", 0.4, 0.0, 2)
    (amber,) = next(line for line in f_of(judged, "Amber").topics if line.topic == "1.1").runs
    assert (amber.value, amber.difference, amber.rank) == (1.0, 0.6, 1)


def test_official_measures_come_first_and_counts_rank_nothing(judged: Campaign) -> None:
    report = score_report(Snapshot(judged), team="Amber")
    official = [measure.column.official for measure in report.measures]
    assert official == sorted(official, reverse=True) and official[0]
    unjudged = report.measure("unjudged")
    assert unjudged is not None and unjudged.overall.best is None
    assert [each.rank for each in unjudged.overall.runs] == [None]


def test_the_lines_of_a_call_are_those_that_their_fields_would_give(judged: Campaign) -> None:
    lines = [line for measure in score_report(Snapshot(judged), team="Amber").measures for line in measure.topics]
    by_fields = [DataSerializer.to_representation(ReportLineOut(line), line) for line in lines]
    assert [ReportLineOut(line).data for line in lines] == by_fields and lines


def test_a_team_without_an_accepted_run_has_no_report(judged: Campaign) -> None:
    assert teams_with_runs(judged) == ["Amber", "Basil", "Coral"]
    Run.objects.filter(team="Coral").update(state=Run.State.WITHDRAWN)
    for team in ("Coral", "Nobody", ""):
        with pytest.raises(NotFound):
            score_report(Snapshot(judged), team=team)


def test_rows_hold_every_value_of_the_team_and_of_nobody_else(judged: Campaign) -> None:
    rows = [
        dict(zip(HEADER, row, strict=True)) for row in report_rows(score_report(Snapshot(judged), team="Basil"), {})
    ]
    assert {row["run"] for row in rows} == {"Basil1"}
    found = {(row["measure"], row["topic"]): (row["value"], row["median"], row["rank"]) for row in rows}
    assert found["F", "1.1"] == (0.4, 0.4, 2)


def test_a_rank_says_who_shares_it(judged: Campaign, organiser: User, client: Client) -> None:
    (each,) = next(line.runs for line in f_of(judged, "Basil").topics if line.topic == "1.1")
    assert (each.rank, each.sharing) == (2, 1)
    assert MeasureStanding(run="Amber1").sharing is None
    shown = render_to_string(
        "assess/scores/parts/report_rank.html", {"each": replace(each, rank=2, sharing=2), "count": 3}
    )
    assert re.sub(r"<[^>]+>", "", shown).strip() == "2 of 3, shared by 2 runs"
    client.force_login(organiser)
    told = client.get(f"/api/v1/campaigns/{judged.slug}/scores/report/", {"team": "Basil"}).json()
    (line,) = (line for each in told["measures"] if each["measure"] == "F" for line in each["topics"]
               if line["topic"] == "1.1")  # fmt: skip
    assert line["runs"] == [{"run": "Basil1", "value": 0.4, "difference": 0.0, "rank": 2, "sharing": 1}]
    asked = {"team": "Basil", "measure": "combined"}
    some = client.get(f"/api/v1/campaigns/{judged.slug}/scores/report/", asked).json()
    assert [each["overall"] for each in some["measures"]] == [each["overall"] for each in told["measures"]]
    in_full = {"combined", *(each["measure"] for each in told["measures"] if each["official"])}
    assert {each["measure"] for each in some["measures"] if each["topics"]} == {
        each["measure"] for each in told["measures"] if each["topics"] and each["measure"] in in_full
    }


def test_a_hostile_tag_is_no_formula_in_the_table(judged: Campaign, organiser: User, tmp_path: Path) -> None:
    Run.objects.filter(team="Basil").update(tag="=1+1")
    report = score_report(Snapshot(judged), team="Basil")
    _, table = write_report(actor=organiser, report=report, released={}, folder=tmp_path)
    tags = {row["run"] for row in csv.DictReader(table.open())}
    assert tags == {"'=1+1"}


# ---------------------------------------------------------------- who sees it, and when


def test_participants_see_nothing_before_the_release(judged: Campaign, client: Client) -> None:
    text = page(client, judged, "amber")
    assert "Not yet" in text
    assert "Your runs are being judged" in text
    Campaign.objects.update(state="frozen")
    frozen = page(client, judged, "amber")
    assert "Judging is over, and the campaign is not released yet. Scores come out" in frozen
    assert "being judged" not in frozen
    Campaign.objects.update(state="judging")
    assert not re.search(r"0\.\d{3}", text)
    plot = reverse("score-report-plot", args=[judged.slug]) + "?measure=F&plot=topics"
    assert client.get(plot).status_code == 404
    explained = reverse("score-explain", args=[judged.slug]) + "?run=Amber1&topic=all&measure=combined"
    assert client.get(explained).status_code == 404
    assert client.get(f"/api/v1/campaigns/{judged.slug}/scores/report/").status_code == 404


def test_participants_see_their_team_and_no_other_after_it(released: Release, client: Client) -> None:
    campaign = released.campaign
    for own, others in (("amber", ("Basil", "Coral")), ("basil", ("Amber", "Coral"))):
        texts = [
            page(client, campaign, own),
            page(client, campaign, own, "?measure=F"),
            page(client, campaign, own, "?format=csv"),
            page(client, campaign, own, "?measure=combined&plot=topics", "score-report-plot"),
            client.get(f"/api/v1/campaigns/{campaign.slug}/scores/report/").content.decode(),
        ]
        for text in texts:
            assert f"{own.capitalize()}1" in text
            assert [team for team in others if team in text] == []


def test_many_topics_come_in_pages_without_plots(
    judged: Campaign, organiser: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def topics(query: str = "") -> tuple[list[str], bool]:
        text = page(client, judged, "organiser", f"?team=Amber&measure=F{query}")
        *_, section, _ = text.split('<section class="measure">')  # the measure asked for; all measures over all topics
        return re.findall(r'<th scope="row" title="[^"]*"[^>]*>([^<]+)', section), '<img class="plot"' in section

    every = [line.topic for line in f_of(judged, "Amber").topics]
    assert topics() == (every, True)
    monkeypatch.setattr("assess.scores.views.reports.ROWS", 1)
    assert topics() == (every[:1], False)
    assert topics(f"&topics-F={len(every)}") == (every[-1:], False)


def test_another_teams_report_is_not_there(released: Release, client: Client) -> None:
    campaign = released.campaign
    client.force_login(User.objects.get(username="amber"))
    for name, query in (
        ("score-report", "?team=Basil"),
        ("score-report-plot", "?team=Basil&measure=F&plot=topics"),
        ("score-report-plot", "?measure=F&plot=differences&run=Basil1"),
        ("score-explain", "?run=Basil1&topic=all&measure=combined"),
        ("score-judgments", "?run=Basil1&topic=1.1&measure=F&row=2.1"),
    ):
        assert client.get(reverse(name, args=[campaign.slug]) + query).status_code == 404, (name, query)
    base = f"/api/v1/campaigns/{campaign.slug}/scores/"
    for address in ("report/?team=Basil", "explain/?run=Basil1&topic=all&measure=combined"):
        assert client.get(base + address).status_code == 404


def test_a_campaign_that_is_released_shows_scores_without_a_release_row(judged: Campaign, client: Client) -> None:
    Campaign.objects.filter(pk=judged.pk).update(state=Campaign.State.RELEASED)
    assert "Amber1" in page(client, judged, "amber")


def test_participants_see_the_state_of_the_release_whatever_came_later(released: Release, client: Client) -> None:
    campaign = released.campaign
    row = Judgment.objects.filter(item=item(campaign, "red")).get()
    row.pk, row.value, row.client_key = None, -1, "00000000-0000-0000-0000-00000000abcd"
    row.id = 0
    row.save()
    assert f'As of ledger point <span class="number">{released.as_of:,}' in page(client, campaign, "amber")
    assert "F on" in page(client, campaign, "amber", "?run=Amber1&topic=1.1&measure=F&row=2.1", "score-judgments")
    assert "<h1>F = 1.000000" in page(client, campaign, "amber", "?run=Amber1&topic=1.1&measure=F", "score-explain")
    as_organiser = page(client, campaign, "organiser", "?run=Amber1&topic=1.1&measure=F", "score-explain")
    assert "<h1>F = 0.666667" in as_organiser
    as_of_now = f"?run=Amber1&topic=1.1&measure=F&as_of={ledger_point(campaign)}"
    assert "<h1>F = 1.000000" in page(client, campaign, "amber", as_of_now, "score-explain")


def test_a_correction_shows_participants_no_other_scores_than_were_released(
    released: Release, organiser: User, client: Client
) -> None:
    """Runs, topics, pools and settings are those of now, also at the ledger point of the release."""
    campaign = released.campaign
    change_settings(actor=organiser, campaign=campaign, values={"beta": 1.0})
    shown = page(client, campaign, "amber")
    assert "What was released is being corrected" in shown
    assert "Amber1" not in shown
    value = "?run=Amber1&topic=1.1&measure=F"
    for name, asked in (("score-explain", value), ("score-report-plot", value), ("api-score-report", "")):
        assert client.get(reverse(name, args=[campaign.slug]) + asked).status_code == 409, name
    assert "Amber1" in page(client, campaign, "organiser", "?team=Amber")
    Release.objects.create(
        campaign=campaign, as_of=ledger_point(campaign), manifest={}, archive="1" * 64, code_version="test",
        published=True, created_by=organiser,
    )  # fmt: skip
    assert "Amber1" in page(client, campaign, "amber")


def test_organisers_preview_any_team_at_any_time(judged: Campaign, client: Client) -> None:
    text = page(client, judged, "organiser", "?team=Coral")
    assert "Coral1" in text
    body = text.partition("<header>\n  <h1>Scores of")[2]
    assert body and "Amber1" not in body and "Basil1" not in body


# ---------------------------------------------------------------- files


def test_the_command_writes_a_page_that_needs_nothing_else(judged: Campaign, tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    status, out, _ = run_command("score_report", judged.slug, "--team", "Basil", folder)
    assert (status, out.split()) == (0, [str(folder / PAGE), str(folder / TABLE)])
    text = (folder / PAGE).read_text("utf-8")
    assert "Basil1" in text and "Amber" not in text and "Coral" not in text
    assert re.findall(r'(?:src|href)="(?!data:image/svg)([^"]+)', text) == []
    assert "@media print" in text
    rows = list(csv.DictReader(io.StringIO((folder / TABLE).read_text("utf-8"))))
    assert {row["run"] for row in rows} == {"Basil1"}
    status, _, err = run_command("score_report", judged.slug, "--team", "Basil", folder)
    assert status == 1 and "holds a score report already" in err


def test_a_report_is_never_written_over(judged: Campaign, organiser: User, tmp_path: Path) -> None:
    report = score_report(Snapshot(judged), team="Amber")
    write_report(actor=organiser, report=report, released={}, folder=tmp_path)
    with pytest.raises(Conflict):
        write_report(actor=organiser, report=report, released={}, folder=tmp_path)


def test_texts_from_outside_are_text(judged: Campaign) -> None:
    hostile = "<script>alert(1)</script>"
    Run.objects.filter(team="Amber").update(team=hostile)
    Campaign.objects.filter(pk=judged.pk).update(title=hostile)
    text = report_page(score_report(Snapshot(Campaign.objects.get(pk=judged.pk)), team=hostile))
    assert hostile not in text and "&lt;script&gt;" in text


# ---------------------------------------------------------------- plots


def test_plots_are_drawings_with_names_as_text_and_the_same_bytes() -> None:
    lines = [("$a_b$", 0.5, 0.9, {"_Run$1$": 0.7}), ("<b>", None, None, {})]
    for dark in (False, True):
        image = topics_svg(lines, ["_Run$1$"], title="F $x$", dark=dark)
        assert image == topics_svg(lines, ["_Run$1$"], title="F $x$", dark=dark)
        texts = "".join(ET.fromstring(image).itertext())
        assert all(name in texts for name in ("$a_b$", "<b>", "_Run$1$", "F $x$"))


def test_many_topics_are_cut_into_plots() -> None:
    differences = [(f"t{number}", number / 10) for number in range(TOPICS_A_PLOT + 1)]
    second = "".join(ET.fromstring(differences_svg(differences, title="F", part=2)).itertext())
    assert f"t{TOPICS_A_PLOT}" in second and "t0" not in second
