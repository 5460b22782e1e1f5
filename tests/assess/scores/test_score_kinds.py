"""Scores with other settings, of runs that judgments alone score, of runs whose scoring fails, under headings."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import NotFound
from assess.base.files import stored_path
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Item, Judgment
from assess.scores.domain import explain_score, score_campaign
from tests import factories
from tests.assess.toy_track import ToySettings
from tests.assess.toys import say, send
from tests.pages import page_of

pytestmark = pytest.mark.django_db

LINE = {"topic": "9-1_1", "sentences": [{"text": "Go."}, {"text": "Stay."}]}


def values(campaign: Campaign, settings: ToySettings | None = None) -> dict[str, dict[str, float | None]]:
    table = score_campaign(Snapshot(campaign), settings=settings).tables.of_topic()
    return {row.name: {key: cell.value for key, cell in row.cells.items()} for row in table.rows()}


def test_other_settings_give_other_values_and_change_nothing(toy: Campaign, organiser: User) -> None:
    send(toy, organiser, "A", LINE)
    assert values(toy) == {"A": {"sentences": 2.0, "depth": 2.0}}
    assert values(toy, ToySettings(passage_depth=9)) == {"A": {"sentences": 2.0, "depth": 9.0}}
    assert values(toy) == {"A": {"sentences": 2.0, "depth": 2.0}}


def test_columns_are_chosen_by_their_heading(toy: Campaign, organiser: User, client: Client) -> None:
    send(toy, organiser, "A", LINE)
    client.force_login(organiser)
    shown = {group: client.get(reverse("scores", args=["toy"]), {"group": group}).context for group in ("", "Passages")}
    assert {group: [each.key for each in page["measures"]] for group, page in shown.items()} == {
        "": ["sentences", "depth"],
        "Passages": ["depth"],
    }
    assert [page["all_groups"] for page in shown.values()] == [["Answers", "Passages"]] * 2


def test_a_run_that_judgments_alone_score_has_no_file(toy: Campaign, organiser: User, assessor: User) -> None:
    send(toy, organiser, "A", LINE)
    topic = toy.topics.get(number="9-1_1")
    item = Item.objects.create(topic=topic, kind="passage", key="P1", given=True)
    work = factories.assignment(topic, "passages", assessor)
    Judgment.objects.create(
        item=item, criterion="relevance", value=1, assessor=assessor, assignment=work, client_key="0" * 32, how="key"
    )
    assert values(toy) == {
        "A": {"sentences": 2.0, "depth": 2.0},
        "contractor": {"sentences": 0.0, "depth": 2.0},
    }
    assert explain_score(Snapshot(toy), "contractor", "all", "depth").run == "contractor"
    with pytest.raises(NotFound):
        explain_score(Snapshot(toy), "somebody", "all", "depth")


def test_a_run_whose_scoring_fails_takes_no_other_with_it(toy: Campaign, organiser: User) -> None:
    gone = send(toy, organiser, "Gone", {"topic": "10_1", "sentences": []}, priority=2)
    send(toy, organiser, "A", LINE)
    send(toy, organiser, "Bad", LINE, team="Other", priority=2)
    stored_path(gone.file).unlink()
    toy.settings = {"broken_runs": ["Bad"]}
    toy.save()
    found = score_campaign(Snapshot(toy))
    assert {row.name for row in found.tables.of_topic().rows() if row.cells} == {"A"}
    assert [(issue.code, issue.severity, issue.message) for issue in found.issues] == [
        (
            "score-failed",
            "error",
            "Bad has no values: the track's scoring broke off (ValueError). Whoever runs the site finds more in its "
            "log.",
        ),
        (
            "score-failed",
            "error",
            "Gone has no values: The file is not kept here any more. Restore the data folder, or upload it again. "
            "Whoever runs the site finds more in its log.",
        ),
    ]
    client = Client()
    client.force_login(organiser)
    page = client.get(reverse("scores", args=["toy"]))
    assert page.status_code == 200
    assert "Bad has no values" in page_of(page)


def test_a_topic_said_anew_is_scored_anew(toy: Campaign, organiser: User) -> None:
    send(toy, organiser, "A", LINE)
    first = score_campaign(Snapshot(toy))
    assert score_campaign(Snapshot(toy)).at == first.at
    say(toy, "9-1_1", s1="Something else.")
    assert score_campaign(Snapshot(toy)).at > first.at


def test_measures_stand_under_their_headings(toy: Campaign, organiser: User) -> None:
    send(toy, organiser, "A", LINE)
    client = Client()
    client.force_login(organiser)
    for name, query in (("scores", {}), ("score-topics", {"run": "A"})):
        page = page_of(client.get(reverse(name, args=["toy"]), query)).replace("> <", "><")
        assert '<th scope="colgroup" colspan="1">Answers</th><th scope="colgroup" colspan="1">Passages</th>' in page
