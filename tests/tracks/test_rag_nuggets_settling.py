"""What adjudicators of TREC RAG's answers and nuggets settle: marks and support, and no votes, for there are none.

Issue 10 says that "`rag-nuggets` votes are listed as 57 “disagreements” to settle although their spread is the weight".
The votes are those of `tac2008-qa`, where they were so listed; `rag-nuggets` has no stage in which a vote can be cast.
"""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.adjudication.queries.disagreements import disputed_questions
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Campaign, Judgment
from assess.organising.domain import change_state
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of
from tests.tracks.track_folder import folder_of
from tracks import TRACKS

RAG = next(track for track in TRACKS if track.key == "rag-nuggets")


def test_no_vote_of_any_track_is_settled_one_by_one() -> None:
    voted = [stage for track in TRACKS for task in track.tasks for stage in task.stages if stage.work.key == "votes"]
    assert len(voted) > 0
    assert all(stage.spread_is_weight for stage in voted)


@pytest.mark.django_db
def test_a_campaign_judged_twice_lists_no_votes(organiser: User, client: Client, tmp_path: Path) -> None:
    folder = folder_of(RAG)
    load = ("load_campaign", "--track", "rag-nuggets", folder, "--slug", "rag", "--organiser", "organiser")
    assert run_command(*load)[0] == 0
    campaign = Campaign.objects.get(slug="rag")
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
    people = {json.loads(line)["by"] for line in (folder / "judgments.jsonl").read_text().splitlines()}
    for name in people:
        factories.member(campaign, name, "assessor")
    named = [word for name in sorted(people) for word in ("--person", f"{name}={name}")]
    assert run_command("import_judgments", "rag", folder / "judgments.jsonl", *named)[0] == 0
    judged_again(Judgment.objects.select_related("assignment__topic", "item").filter(criterion="support")[0])

    settler = factories.member(campaign, "settler", "adjudicator")
    assert [(each.stage.key, each.criterion.key) for each in disputed_questions(campaign, settler)] == [
        ("support", "support")
    ]
    client.force_login(settler)
    listed = client.get(reverse("api-disagreement-list", args=["rag"])).json()["results"]
    assert [row["stage"] for row in listed] == ["support"]
    page = page_of(client.get(reverse("adjudication", args=["rag"])))
    assert "Judge support" in page and "Vote on nuggets" not in page

    vote = {"by": min(people), "do": "vote", "importance": "okay", "number": 1, "topic": listed[0]["topic"]}
    (tmp_path / "votes.jsonl").write_text(json.dumps(vote) + "\n")
    status, _, said = run_command("import_judgments", "rag", tmp_path / "votes.jsonl", *named)
    assert status == 1
    assert "has no stage in which this is done" in said


def judged_again(row: Judgment) -> None:
    """Somebody else says otherwise of the same citation."""
    other = factories.member(row.assignment.campaign, "other", "assessor")
    work = factories.assignment(row.assignment.topic, "support", other, role="second")
    value = 0 if row.value else 2
    said = JudgmentInput(item=row.item, criterion="support", value=value, client_key=uuid4())
    record_judgment(actor=other, assignment=work, judgment=said)
