"""The definition pilot on the site: its own files loaded, its analysis for the organiser, what assessors see."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from functools import partial

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.adjudication.queries.disagreements import disputed_questions
from assess.analysis.domain.rankings import analyse_campaign
from assess.analysis.views import rankings
from assess.base.errors import BadFile
from assess.judging.snapshots import Snapshot
from assess.models import Assignment, Campaign, Item
from assess.topics.domain.loading import load_topics
from scoring.records import Issue
from tests import factories
from tests.assess.pages import csv_rows, page_text
from tests.pages import page_of
from tests.tracks import track_folder
from tracks.aquaint_definition import TRACK, context
from tracks.aquaint_definition.settings import AquaintDefinitionSettings

FOLDER = track_folder.folder_of(TRACK)
RUNS = ("Alder", "Birch", "Cedar", "Dogwood", "Elm")

page = partial(page_text, name="analysis")
table = partial(csv_rows, name="analysis")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since `pilot` takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture(scope="module")
def organiser(pilot: Campaign) -> User:
    return User.objects.get(username="olga")


@pytest.fixture(scope="module")
def pilot(db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    """The campaign in the pilot's own files, a file a question, loaded by the command."""
    with override_settings(DATA_DIR=tmp_path_factory.mktemp("pilot")), transaction.atomic():
        olga = factories.user("olga")
        yield track_folder.load(TRACK, organiser=olga, slug="pilot", folder=FOLDER / "published")
        transaction.set_rollback(True)


def test_identical_responses_are_judged_each_by_itself(pilot: Campaign) -> None:
    responses = Item.objects.filter(topic__campaign=pilot, topic__number="5", kind="response")
    assert responses.filter(text="a paper lamp").count() == 2
    assert responses.count() == 5
    strings = Item.objects.filter(topic__campaign=pilot, topic__number="5", kind="string", text="a paper lamp")
    assert sorted(strings.values_list("docno", flat=True)) == ["", "HRB19981127.0054"]


def test_every_assessors_work_is_there_and_done(pilot: Campaign) -> None:
    work = Assignment.objects.filter(campaign=pilot)
    assert set(work.values_list("state", flat=True)) == {"done"}
    assert {(stage, role) for stage, role in work.values_list("stage", "role")} == {
        ("holistic", "primary"),
        ("holistic", "second"),
        ("contractor", "primary"),
        ("nuggets", "primary"),
        ("nuggets", "second"),
        ("matches", "primary"),
        ("matches", "second"),
    }
    assert work.count() == 7 * 5


def test_holistic_scores_that_differ_are_nothing_to_settle(pilot: Campaign) -> None:
    """The pilot: "the final average score was computed for each system using each of the three assessor's scores"."""
    assert {each.stage.key for each in disputed_questions(pilot)}.isdisjoint({"holistic", "contractor"})


def test_the_two_lists_of_a_question_are_nothing_to_settle(pilot: Campaign, organiser: User, client: Client) -> None:
    """The pilot: "Remember that the author and other assessors have different lists": F follows from each."""
    assert disputed_questions(pilot) == []
    client.force_login(organiser)
    shown = page_of(client.get(reverse("adjudication", args=["pilot"])))
    assert "Write nuggets" not in shown
    assert client.get(reverse("adjudicate", args=["pilot", "nuggets", "list"])).status_code == 404


def test_the_analysis_ranks_by_every_measure_and_by_controls(pilot: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    shown = page(client, pilot)
    for ranking in ("F, author", "F, other assessor", "Holistic, contractor", "random", "constant"):
        assert f'<th scope="row">{ranking}</th>' in shown
    assert "Content, author" in shown
    assert 'value="content_author"' not in shown  # a mean that ranks nothing
    places = table(client, pilot, "?format=rankings")
    assert [row["run"] for row in places if row["ranking"] == "F_author"] == [
        "Alder",
        "Birch",
        "Cedar",
        "Dogwood",
        "Elm",
    ]
    assert [row["run"] for row in places if row["ranking"] == "constant"] == list(RUNS)
    taus = {(row["first"], row["second"]): row for row in table(client, pilot, "?format=csv")}
    assert taus["F_author", "F_other"] == {
        "first": "F_author",
        "second": "F_other",
        "tau_b": "1.0",
        "runs": "5",
        "ties": "no",
    }
    assert len(taus) == 9 * 8 / 2


def test_other_settings_change_the_order_and_nothing_else(pilot: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    query = "?measure=F_author&measure=holistic_author&set_beta=1"
    shown = page(client, pilot, query)
    assert "With other settings than the campaign" in shown
    assert "Beta (changed)" in shown
    order = [row["run"] for row in table(client, pilot, query + "&format=rankings") if row["ranking"] == "F_author"]
    assert order[:2] == ["Birch", "Alder"]
    pilot.refresh_from_db()
    assert "beta" not in pilot.settings or pilot.settings["beta"] == 5
    assert "The usual values are used" in page(client, pilot, "?set_beta=-3")
    assert "must be a number" in page(client, pilot, "?set_beta=-3")


def test_any_run_is_left_out(pilot: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    query = "?without=Elm&without=Cedar&format=csv"
    assert {row["runs"] for row in table(client, pilot, query)} == {"3"}
    assert "left out" in page(client, pilot, "?without=Elm")
    assert "Nothing to compare" in page(client, pilot, "?" + "&".join(f"without={run}" for run in RUNS))


def test_many_runs_come_a_page_at_a_time_and_whole_in_files(
    client: Client, pilot: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.force_login(organiser)
    for name in ("BEST", "MEANS"):
        monkeypatch.setattr(rankings, name, 2)
    shown = page(client, pilot, "?measure=F_author&page=2")
    assert f"… and {len(RUNS) - 2} more" in shown
    means = shown[shown.index('id="means-table"') : shown.index("<tfoot>")]
    assert ([run for run in RUNS if f">{run}</th>" in means], "page=2" in means) == (list(RUNS[2:4]), False)
    assert "page 2 of 3" in shown
    (birch,) = [row for row in table(client, pilot, "?without=Birch&format=means") if row["run"] == "Birch"]
    assert birch["left out"] == "yes" and float(birch["F_author"]) > 0
    assert [row["run"] for row in table(client, pilot, "?format=means")] == list(RUNS)


def test_the_random_control_is_drawn_as_the_pilots_was_and_can_be_drawn_again(pilot: Campaign) -> None:
    first = analyse_campaign(Snapshot(pilot), measures=["random"], seed=4).rankings[0]
    assert first == analyse_campaign(Snapshot(pilot), measures=["random"], seed=4).rankings[0]
    assert first != analyse_campaign(Snapshot(pilot), measures=["random"], seed=5).rankings[0]
    assert all(0 <= value <= 100 for value in first.values.values())
    assert max(first.values.values()) > 1


def test_scores_by_other_settings_are_those_of_the_settings(pilot: Campaign) -> None:
    own = analyse_campaign(Snapshot(pilot), measures=["F_secondary_author"]).rankings[0]
    tried = analyse_campaign(
        Snapshot(pilot), measures=["F_author"], settings=AquaintDefinitionSettings(beta=2)
    ).rankings[0]
    assert own.values == tried.values


@pytest.mark.parametrize(
    "query", ["?measure=nothing", "?seed=x&as_of=", "?set_beta=nan", "?set_allowance=1e9", "?plot=x"]
)
def test_an_address_made_by_hand_breaks_nothing(pilot: Campaign, organiser: User, client: Client, query: str) -> None:
    client.force_login(organiser)
    page(client, pilot, query)
    page(client, pilot, query, name="analysis-plot")


def test_the_plots_are_images_that_can_do_nothing(pilot: Campaign, organiser: User, client: Client) -> None:
    client.force_login(organiser)
    for plot in ("heat", "bump"):
        for theme in ("", "&theme=dark"):
            answer = client.get(reverse("analysis-plot", args=[pilot.slug]) + f"?plot={plot}{theme}")
            assert answer["Content-Type"] == "image/svg+xml"
            assert "default-src 'none'" in answer["Content-Security-Policy"]
            text = "".join(ET.fromstring(answer.content).itertext())
            assert "Holistic, author" in text
            assert ("Dogwood" in text) == (plot == "bump")


def test_nobody_but_organisers_sees_the_analysis(pilot: Campaign, client: Client) -> None:
    for person in (factories.user("stranger"), factories.member(pilot, "colleague", "assessor")):
        client.force_login(person)
        assert client.get(reverse("analysis", args=[pilot.slug])).status_code == 404


def test_definitions_are_added_to_their_questions(pilot: Campaign, organiser: User) -> None:
    topic = pilot.topics.get(number="1")
    assert topic.text == "Who is Mirela Dostan?"
    assert topic.fields["author_summary"].startswith("Mirela Dostan is a cellist")
    questions = (FOLDER / "questions").read_bytes()
    loaded = load_topics(
        actor=organiser, campaign=pilot, file_key="questions", stream=io.BytesIO(questions), name="questions"
    )
    assert (loaded.changed, loaded.unchanged) == (0, 5)
    stream = io.BytesIO(b"<9>\nNobody knows.\n")
    with pytest.raises(BadFile) as refused:
        load_topics(actor=organiser, campaign=pilot, file_key="author_summaries", stream=stream, name="more")
    assert [(issue.where, issue.code) for issue in refused.value.issues] == [(1, "unknown-topic")]


def test_the_definition_is_shown_closed_beside_the_work() -> None:
    topic, *_ = track_folder.topic_records(TRACK)
    assert not isinstance(topic, Issue)
    (part,) = context(topic, ())
    assert (part.heading, part.is_open, len(part.lines)) == ("The author's definition", False, 2)
