"""What the site makes of a folder of claims: items, documents, reports of runs, warnings beside scores, annotations."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from assess.base.errors import Conflict
from assess.judging.snapshots import Snapshot
from assess.management.campaign_folder import form_for
from assess.models import Campaign, Document, Item
from assess.protocol import RunForm
from assess.scores.domain import score_campaign
from assess.topics.queries import topic_docnos
from nuggets.writing.export import annotated_topics
from nuggets.writing.lists import freeze_list, start_list
from nuggets.writing.record import add_nugget, edit_nugget
from nuggets.writing.sources import add_source
from scoring.records import ItemGrade
from scoring.release.recorded_acts import NuggetWritten
from tests import factories
from tests.tracks import track_folder
from tracks.context25 import TRACK


@pytest.fixture
def campaign(settings, tmp_path: Path, organiser: User) -> Campaign:
    settings.DATA_DIR = tmp_path
    return track_folder.load(TRACK, organiser=organiser, slug="claims")


@pytest.mark.django_db
def test_a_label_keeps_the_spelling_that_came_with_the_claim(campaign: Campaign) -> None:
    items = Item.objects.filter(topic__campaign=campaign, kind="figure")
    assert items.get(topic__number="kite-7Qa2_x", key="FIG S1").text == "SUPP FIG S1"  # ranked by a run, too
    assert items.get(topic__number="quiz-8Hs0-q", key="TAB 1").text == "TAB 1"  # ranked by a run alone


@pytest.mark.django_db
def test_papers_and_pages_are_stored_because_claims_name_them(campaign: Campaign) -> None:
    stored = dict(Document.objects.filter(campaign=campaign).values_list("docno", "media_type"))
    assert stored.keys() <= topic_docnos(campaign)
    assert (stored["haddad2019quizzes"], stored["kites-p3.png"]) == ("text/plain", "image/png")
    assert sorted(topic_docnos(campaign) - stored.keys()) == [
        *("bread-p6.png", "bread-p9.png", "kites-p6.png", "pigeons-p5.png", "quizzes-p4.png", "quizzes-p5.png"),
    ]


@pytest.mark.django_db
def test_quotes_are_compared_with_papers_that_were_loaded_first(campaign: Campaign) -> None:
    report = campaign.runs.get(tag="Ember").report
    assert [(row["where"], row["code"]) for row in report] == [
        ("$[0].context[1]", "quote"),
        ("$[0].context[2]", "quote-spacing"),
    ]


@pytest.mark.django_db
def test_only_runs_of_the_same_task_are_said_not_to_be_pooled(campaign: Campaign) -> None:
    (message,) = [issue.message for issue in score_campaign(Snapshot(campaign)).issues if issue.code == "not-pooled"]
    assert message.startswith("Grounding: Fathom was not pooled")


@pytest.mark.django_db
def test_annotations_follow_their_topics(campaign: Campaign, organiser: User) -> None:
    track_folder.replay(campaign, organiser=organiser, content=track_folder.recorded(TRACK))
    evidence = list(annotated_topics(Snapshot(campaign), task="evidence", kind="figure", criteria=("support",)))
    picks = [(each.topic, each.key, each.value) for each in evidence if isinstance(each, ItemGrade)]
    assert sorted(picks) == [
        ("bread-3Xc8", "FIG 1A", 1),
        ("bread-3Xc8", "FIG 1B", 2),
        ("kite-7Qa2_x", "FIG 1", 2),
        ("kite-7Qa2_x", "FIG 1B", 1),
        ("pigeon-2Tz6", "FIG S3", 2),
        ("pigeon-2Tz6", "TAB 2", 1),
        ("quiz-8Hs0-q", "FIG 1", 1),
    ]
    with CaptureQueriesContext(
        connection,
    ) as queries:
        grounding = list(annotated_topics(Snapshot(campaign), task="grounding"))
    assert sum(isinstance(each, NuggetWritten) for each in grounding) == 5
    assert len(queries) <= 12
    before = list(annotated_topics(Snapshot(campaign, 0), task="evidence", kind="figure", criteria=("support",)))
    assert not any(isinstance(each, ItemGrade) for each in before)


def test_a_run_that_says_nothing_of_itself_is_named_after_its_file(tmp_path: Path) -> None:
    path = tmp_path / "baseline.csv"
    path.write_text("id,labels\n", encoding="utf-8")
    form = form_for(path, {}, TRACK.submissions[0])
    assert form == RunForm(tag="baseline", team="baseline", priority=1)


@pytest.mark.django_db
def test_a_list_is_frozen_only_with_a_quote_and_the_type_of_each_description(organiser: User) -> None:
    """ "one or more grounding snippets … verbatim quotes"; "What …, How …, Who(m)" (Context25, Task 2)"""
    campaign = factories.campaign(organiser=organiser, slug="claims", track="context25")
    campaign.topics.all().delete()
    topic = factories.topic(campaign, "c1.context", "Kites fly higher at noon.", task="grounding")
    paper = factories.document(campaign, "okafor2021", "We flew two kites over the lake.")
    ada = factories.member(campaign, "ada", "assessor")
    work = factories.assignment(topic, "context", ada)
    draft = start_list(actor=ada, assignment=work)

    def refused() -> str:
        with pytest.raises(Conflict) as refusal:
            freeze_list(actor=ada, nugget_list=draft, client_key=uuid4())
        return refusal.value.code

    for text in ("two kites", "over the lake"):
        add_nugget(actor=ada, nugget_list=draft, text=text, importance="okay", client_key=uuid4())
    assert refused() == "no-group"
    edit_nugget(actor=ada, nugget_list=draft, number=1, group="what", client_key=uuid4())
    with pytest.raises(Conflict, match="no type on line 2"):
        freeze_list(actor=ada, nugget_list=draft, client_key=uuid4())
    edit_nugget(actor=ada, nugget_list=draft, number=2, group="who", client_key=uuid4())
    assert refused() == "no-quote"
    add_source(actor=ada, nugget_list=draft, number=2, client_key=uuid4(), quote="over the lake", document=paper)
    assert freeze_list(actor=ada, nugget_list=draft, client_key=uuid4()).is_frozen
