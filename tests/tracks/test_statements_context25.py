"""Statements of the Context25 README that no other test quotes."""

from __future__ import annotations

import io
import json

import pytest

from assess.protocol import CheckContext, TopicRecord
from scoring.figure_grammar import parse_label
from scoring.formats.context25_predictions import EvidenceRow, read_evidence_answers
from tests.tracks.context25_runs import load, run, scored
from tracks import find_track
from tracks.context25.checks import check_evidence, check_grounding
from tracks.context25.settings import Context25Settings

TRACK = find_track("context25")
assert TRACK is not None
ANSWER = {"id": "c1", "labels": ["kites"], "context": ["two kites"]}


def evidence(content: str) -> list[tuple[str, str]]:
    topics = (TopicRecord(number="c1", task="evidence", text="Claim"),)
    context = CheckContext(topics=topics, settings=Context25Settings())
    return [(each.severity, each.code) for each in check_evidence(io.BytesIO(content.encode()), context)]


def grounding(answer: object) -> list[tuple[str, str]]:
    topics = (TopicRecord(number="c1.context", task="grounding", text="Claim", fields={"documents": ["okafor2021"]}),)
    context = CheckContext(topics=topics, settings=Context25Settings(), document_text=lambda _docno: "two kites")
    found = check_grounding(io.BytesIO(json.dumps([answer]).encode()), context)
    return [(each.severity, each.code) for each in found]


@pytest.mark.parametrize("label", ["FIG 1A", "FIG S3D", "FIG 6", "TAB 1", "TAB 3A"])
def test_labels_of_the_readme_are_labels(label: str) -> None:
    """“FIG {optionaldesignation}{fignum}{optionalsublabel}, e.g., FIG 1A, or FIG S3D ..., or FIG 6”; “TAB 1, or TAB
    3A”."""
    assert str(parse_label(label)) == label
    assert evidence(f"id,labels\nc1,{label}\n") == []


def test_what_is_no_label_is_warned_of() -> None:
    """“These generated figure/table labels must conform to a specific format”."""
    assert evidence("id,labels\nc1,the graph\n") == [("warning", "label")]


@pytest.mark.parametrize("header", ["claimid,predictions", "a,b", "Claim,Figures"])
def test_the_names_in_the_header_do_not_matter(header: str) -> None:
    """“The names in the header row do not matter”."""
    rows = list(read_evidence_answers(io.BytesIO(f"{header}\nc1,FIG 1\n".encode())))
    assert [(row.claim, row.labels) for row in rows if isinstance(row, EvidenceRow)] == [("c1", ["FIG 1"])]
    assert evidence(f"{header}\nc1,FIG 1\n") == []


def test_a_file_without_a_header_loses_its_first_row() -> None:
    """“make sure your csv has a header row, otherwise the first row of your predictions will be skipped”."""
    assert ("error", "header-missing") in evidence("c1,FIG 1\n")


def test_a_file_of_ranked_labels_has_two_columns() -> None:
    """“Predictions for this task should be in a .csv file with two columns”."""
    assert ("error", "columns") in evidence("id,labels\nc1\n")
    assert evidence("id;labels\nc1;FIG 1\n") != []


@pytest.mark.parametrize("member", ["id", "labels", "context"])
def test_each_entry_has_its_three_fields(member: str) -> None:
    """“each entry has the following fields: 1. id ... 2. labels ... 3. context”."""
    assert grounding(ANSWER) == []
    found = grounding({name: value for name, value in ANSWER.items() if name != member})
    assert ("error", "missing") in found


def test_the_order_of_descriptions_and_snippets_is_free() -> None:
    """“Order is not important for the lists of descriptions and grounding snippets.”"""
    gold, one = load("task2-claims.json"), run("Dahlia.json")
    with one.open() as file:
        answers = json.load(file)
    turned = [answer | {name: answer[name][::-1] for name in ("labels", "context")} for answer in answers]
    other = type(one)(
        submission=one.submission, open=lambda: io.BytesIO(json.dumps(turned).encode()), context=one.context
    )
    first, second = ({(s.topic, s.measure): s.value for s in scored(gold, each)} for each in (one, other))
    assert first == pytest.approx(second, nan_ok=True)


def test_values_are_given_for_each_claim() -> None:
    """“dump scores for individual predicions for debugging/analysis”."""
    scores = scored(load("task1-claims.json"), run("Bobbin.csv"))
    of_claims = {score.topic for score in scores if score.measure == "NDCG@3"} - {"all"}
    assert len(of_claims) > 1


def test_labels_are_ranked_highest_first() -> None:
    """“comma-separated string of figure/table names, from highest to lowest ranking”."""
    (row,) = (
        row
        for row in read_evidence_answers(io.BytesIO(b'id,labels\nc1,"FIG 2,FIG 1,TAB 1"\n'))
        if isinstance(row, EvidenceRow)
    )
    assert row.labels == ["FIG 2", "FIG 1", "TAB 1"]


def test_both_columns_of_a_grounding_run_are_scored_whatever_the_category() -> None:
    """“we will not be scoring the descriptions and snippets separately by context ‘category’ (e.g. who/how/what)”."""
    measures = {score.measure for score in scored(load("task2-claims.json"), run("Dahlia.json"))}
    assert {"descriptions_ROUGE-1", "snippets_ROUGE-1"} <= measures
    assert not [name for name in measures if any(kind in name.lower() for kind in ("who", "what", "how"))]
