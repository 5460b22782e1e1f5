"""Runs of DRAGUN and RAGTIME from their files to their scores: loaded, shown on the benches, judged, scored."""

from __future__ import annotations

import json
from pathlib import Path
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Campaign, Citation, Item, Run
from assess.organising.domain import change_state
from assess.pools.domain.wanted_documents import named_docnos
from tests import factories
from tests.assess.commands import run_command
from tests.pages import page_of
from tests.tracks import track_folder

REQUEST = {
    "topic_id": "1007", "title": "The ferry", "limit": 30, "background": "I live on the island.",
    "problem_statement": "Why so early?",
}  # fmt: skip
DRAGUN = {
    "metadata": {
        "team_id": "north", "run_id": "north-2", "topic_id": "1007", "type": "automatic", "use_starter_kit": 1,
    },
    "responses": [
        {"text": "The ferry stopped in May.", "citations": ["d-17#0_7", "d-03#2_9"]},
        {"text": "Nobody says why.", "citations": []},
    ],
}  # fmt: skip
RAGTIME = {
    "metadata": {"team_id": "South (HES)", "run_id": "south-1", "topic_id": "1007", "run_desc": "by hand"},
    "responses": [{"text": "Fog and a strike stopped it.", "citations": {"d-03": 0.2, "d-17": 0.9}}],
    "references": ["d-17", "d-03"],
}
BANK = {
    "metadata": {"topic_id": "1007"},
    "nugget_bank": [
        {"question": "When did it stop?", "importance": "vital", "answers": [{"answer": "May", "references": ["d-17"]}]}
    ],
}


def loaded(folder: Path, organiser: User) -> Campaign:
    for name, written in (
        ("topics.jsonl", json.dumps(REQUEST)),
        ("runs/north.jsonl", json.dumps(DRAGUN)),
        ("runs/south.json", json.dumps([RAGTIME], indent=2)),
        ("nuggets_1007.json", json.dumps(BANK, indent=2)),
    ):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(written)
    load = ("load_campaign", "--track", "rag-nuggets", folder, "--slug", "rag", "--organiser", organiser.username)
    status, out, said = run_command(*load, "--set", "judged_citations=2")
    assert status == 0, (out, said)
    campaign = Campaign.objects.get(slug="rag")
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
    return campaign


@pytest.mark.django_db
def test_reports_are_loaded_shown_judged_and_scored(organiser: User, client: Client, tmp_path: Path) -> None:
    campaign = loaded(tmp_path, organiser)
    runs = {run.tag: (run.state, run.team) for run in campaign.runs.all()}
    assert {tag: state for tag, (state, _) in runs.items()} == {
        "north-2": Run.State.ACCEPTED, "south-1": Run.State.ACCEPTED
    }  # fmt: skip
    warnings = [(run.tag, run.warnings) for run in campaign.runs.order_by("tag")]
    assert warnings == [("north-2", 1), ("south-1", 0)], "a request says how many characters a report may have"
    cited = Citation.objects.order_by("segment__response__run__tag", "ordinal").values_list("docno", flat=True)
    assert list(cited) == ["d-17#0_7", "d-03#2_9", "d-17", "d-03"], "an object is read by its values"
    assert named_docnos(campaign) >= {"d-17", "d-03"}

    client.force_login(organiser)
    given = {"team": "north", "automatic": "yes", "check": "yes"}
    for content, shown in (
        (DRAGUN, "sentence 1 · cites d-17#0_7, d-03#2_9"),
        (BANK, "This is a file of another kind: nugget banks (NuggetBank), not a run of answers."),
    ):
        upload = SimpleUploadedFile("north.jsonl", json.dumps(content).encode())
        page = page_of(client.post(reverse("run-new", args=["rag"]), {**given, "file": upload}, follow=True))
        assert shown in page

    judge = factories.member(campaign, "judge", "assessor")
    topic = campaign.topics.get()
    client.force_login(judge)
    matches = factories.assignment(topic, "matches", judge)
    page = page_of(client.get(reverse("workbench", args=["rag", matches.pk])))
    for words in (
        "I live on the island.",
        "Why so early?",
        "The ferry stopped in May.",
        "When did it stop?",
        "answer: May (references: d-17)",
    ):
        assert words in page
    assert "Nobody says why." not in page, "the second sentence is beyond the 30 characters that the request allows"
    support = factories.assignment(topic, "support", judge)
    page = page_of(client.get(reverse("workbench", args=["rag", support.pk])))
    assert "Does the document support the sentence?" in page
    for word in ("north", "south", "South", "by hand"):
        assert word not in page
    for item in Item.objects.filter(topic=topic, kind="citation"):
        said = JudgmentInput(item=item, criterion="support", value=2, client_key=uuid4())
        record_judgment(actor=judge, assignment=support, judgment=said)

    files = track_folder.exported(campaign, organiser=organiser)
    written = [json.loads(line) for line in files["nuggets.jsonl"].decode().splitlines()]
    assert [nugget["answers"] for nugget in written[0]["nuggets"]] == [[{"answer": "May", "references": ["d-17"]}]]
    values = {}
    for line in track_folder.scored(campaign).decode().splitlines():
        run, topic_number, measure, value, *_ = line.split("\t")
        values[run, topic_number, measure] = value
    assert values["north-2", "1007", "support_precision"].startswith("1.0")
    assert values["north-2", "1007", "support_recall"].startswith("1.0"), "one sentence is within the limit, and cites"
    assert values["south-1", "1007", "support_recall"].startswith("1.0")
