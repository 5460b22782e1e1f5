"""BioGen's assessment files, and the runs that come out of them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.base.errors import NotAllowed
from assess.campaigns.domain import create_campaign
from assess.models import Citation, Role, Run
from assess.protocol import RunForm
from assess.runs.domain.submitting import submit_run
from assess.topics.domain.loading import load_topics
from scoring.folding import answer_key
from scoring.records import Issue, ItemGrade
from scoring.release.recorded_acts import Judged
from tests import factories
from tests.pages import page_of
from tests.tracks.biogen_runs import context, of_2025
from tracks.biogen2024 import TRACK
from tracks.biogen2024.gold import relations_of
from tracks.biogen2024.published_judgments import read_assessments, rows_of, split_runs

ASSESSED = TRACK.submissions[1]


def assessed(**answer: object) -> list[dict[str, object]]:
    sentence = {
        "answer_sentence_id": "1",
        "answer_sentence": "Rest helps [11, 12].",
        "answer_sentence_relevance": "Required",
        "citation_assessment": [
            {"cited_pmid": 11, "evidence_support": "Rest helped.", "evidence_relation": "supporting"},
            {"cited_pmid": 11, "evidence_support": "Not in one group.", "evidence_relation": "contradicting"},
            {"cited_pmid": 12, "evidence_support": None, "evidence_relation": "invalid citation"},
        ],
    }
    whole = {"answer": "Rest helps [11, 12].", "is_answer_accurate": "Yes", "answer_sentences": [sentence]}
    return [{"question_id": 1, "question": "Why?", "machine_generated_answers": {"my run": whole | answer}}]


def test_an_assessment_file_gives_runs_and_judgments_of_the_same_items(tmp_path: Path) -> None:
    path = tmp_path / "assessments.json"
    path.write_text(json.dumps(assessed()))
    (run,) = split_runs([path])
    assert not isinstance(run, Issue)
    assert (run.form.tag, run.file_name, run.submission) == ("my_run", "my_run.jsonl", "assessed")
    (segment,) = ASSESSED.read(io.BytesIO(run.content), context())
    acts = [each[1] for each in read_assessments([path], context()) if not isinstance(each, Issue)]
    said = {(act.criterion, act.key): act.value for act in acts}  # type: ignore[union-attr]
    one, other = segment.citations
    assert said == {
        ("accuracy", answer_key("Rest helps.", "")): 1,
        ("necessity", segment.item_key): 3,
        ("support", one.item_key): 3,
        ("support", other.item_key): 0,
    }
    (mixed,) = [act for act in acts if getattr(act, "docno", "") == "11"]
    assert [(each.quote, each.value) for each in mixed.evidence] == [  # type: ignore[union-attr]
        ("Rest helped.", 4),
        ("Not in one group.", 3),
    ]


@pytest.mark.parametrize("contradicting", ["Not in one group.", None])
def test_a_supporting_row_without_a_snippet_counts_beside_a_contradicting_one(
    tmp_path: Path, contradicting: str | None
) -> None:
    """medaesqa_eval.py: a PMID with a supporting and a contradicting row counts in both rates, snippet or none"""
    file = assessed()
    (answer,) = file[0]["machine_generated_answers"].values()  # type: ignore[attr-defined]
    rows = answer["answer_sentences"][0]["citation_assessment"]
    rows[0]["evidence_support"], rows[1]["evidence_support"] = None, contradicting
    path = tmp_path / "assessments.json"
    path.write_text(json.dumps(file))
    acts = [each[1] for each in read_assessments([path], context()) if not isinstance(each, Issue)]
    (act,) = [each for each in acts if getattr(each, "docno", "") == "11"]
    assert isinstance(act, Judged)
    grade = ItemGrade(
        topic="1", kind="citation", key=act.key, criterion=act.criterion, value=act.value, docno="11",
        evidence=tuple({"quote": each.quote, "value": each.value} for each in act.evidence),
    )  # fmt: skip
    assert relations_of(grade) == {"supporting", "contradicting"}
    relations = {(row.relation, row.snippet) for row in rows_of("11", grade)}
    assert relations == {("supporting", ""), ("contradicting", contradicting or "")}


def test_unjudged_parts_of_an_assessment_file_give_no_judgment(tmp_path: Path) -> None:
    path = tmp_path / "assessments.json"
    bare = {"answer_sentence_id": "1", "answer_sentence": "Rest helps.", "answer_sentence_relevance": None}
    path.write_text(json.dumps(assessed(is_answer_accurate=None, answer_sentences=[bare])))
    assert list(read_assessments([path], context())) == []


# ---------------------------------------------------------------- on the site


def published_run() -> io.BytesIO:
    return of_2025(("Rest helps.", ["11", "12", "13", "14"]))


@pytest.mark.django_db
def test_participants_submit_no_runs_without_limits(organiser: User, settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    campaign = create_campaign(actor=organiser, slug="health", title="Health", track=TRACK.key)
    asked = io.BytesIO(b'[{"id": 1, "question": "Does it?"}]')
    load_topics(actor=organiser, campaign=campaign, file_key="topics", stream=asked, name="topics.json")
    participant = factories.member(campaign, "heather", Role.PARTICIPANT, team="Heath")
    given: dict[str, Any] = {"campaign": campaign, "form": RunForm(tag="Kite", team="Heath"), "file_name": "kite.jsonl"}
    with pytest.raises(NotAllowed, match="Only organisers"):
        submit_run(actor=participant, file=published_run(), submission=ASSESSED.key, **given)
    done = submit_run(actor=participant, file=published_run(), **given)
    assert (done.state, Citation.objects.filter(segment__response__run=done).count()) == (Run.State.ACCEPTED, 3)
    given["form"] = RunForm(tag="Gull", team="Heath")
    file = io.BytesIO(published_run().read().replace(b"Kite", b"Gull"))
    done = submit_run(actor=organiser, file=file, submission=ASSESSED.key, **given)
    assert (done.state, Citation.objects.filter(segment__response__run=done).count()) == (Run.State.ACCEPTED, 4)
    client = Client()
    for person, kinds in ((participant, 0), (organiser, 2)):
        client.force_login(person)
        page = page_of(client.get(reverse("run-new", args=("health",))))
        assert page.count("?submission=") == kinds
