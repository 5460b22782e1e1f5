"""Designs with lists of nuggets and what answers hold of them: the same work, files and values as the track has."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from assess.assignments.queries.work_items import handle_of
from assess.campaigns.queries import track_of
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Item
from assess.organising.design_versions import change_design
from assess.protocol.designs import DependentRecords
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.scores.domain import score_campaign
from nuggets.options import Matching
from scoring.__main__ import main as scoring
from tests import factories
from tests.tracks import track_folder
from tests.tracks.designs.campaigns import DATA, loaded
from tests.unpacked import unpack_release
from tracks.__main__ import main as tracks
from tracks.designs.checking import check_design
from tracks.designs.differences import changes_between
from tracks.designs.reading import track_of_text

ANSWERS = DATA / "tracks" / "rag-nuggets"
DESIGN = """design = 1
key = "nuggets-in-answers"
title = "Nuggets in answers"

[runs]
form = "answers"
words = 400
too_long = "cut"
citations = { most = 1, must_be_in_references = false }

[[stages]]
key = "list"
work = "nuggets"

[[stages]]
key = "found"
work = "matches"
from = "list"
item = "response"

[[stages]]
key = "support"
work = "grade"
item = "citation"

[[stages.questions]]
key = "support"
ask = "Does the document support the sentence?"
grades = "0-2"

[scores]
measures = ["V_strict", "A", "unjudged", "citation-precision"]
"""

VITAL, OKAY = '{ key = "vital", weight = 3 }', '{ key = "okay", weight = 0.2 }'
OWN = {
    'work = "nuggets"': f'work = "nuggets"\nimportance = [{VITAL}, {OKAY}]',
    'item = "response"': 'item = "response"\nmarks = [{ key = "full", value = 1 }, { key = "partial", value = 0.25 }]',
    '"V_strict", "A", "unjudged", "citation-precision"': '"V_strict", "V", "A_strict", "A", "W_strict", "W"',
}
WEIGHED = DESIGN
for before, after in OWN.items():
    WEIGHED = WEIGHED.replace(before, after)


@pytest.mark.django_db(transaction=True)
def test_a_design_has_the_values_of_the_track(
    organiser: User, tmp_path: Path, settings: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "mine.toml").write_text(DESIGN)
    campaign = loaded(organiser, tmp_path / "mine.toml", ANSWERS)
    assert [stage.work.key for stage in track_of(campaign).tasks[0].stages] == ["nuggets", "matches", "grade"]
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    campaign.refresh_from_db()
    content = (ANSWERS / "judgments.jsonl").read_bytes()
    track_folder.replay(campaign, organiser=organiser, content=content)
    expected = {}
    for line in (ANSWERS / "expected" / "scores.tsv").read_text().splitlines():
        run, topic, measure, value, *_ = line.split("\t")
        expected[run, topic, {"support_precision": "citation-precision"}.get(measure, measure)] = value
    scores = score_campaign(Snapshot(campaign)).scores
    assert {each.measure for each in scores} == {"V_strict", "A", "unjudged", "citation-precision"}
    for each in scores:
        told = expected[each.run, each.topic, each.measure]
        assert f"{each.value:.6f}" == f"{float(told):.6f}" if each.value is not None else told == "undefined", each
    weighed = WEIGHED.replace('"V_strict", "V", "A_strict"', '"citation-precision"')
    change_design(actor=organiser, campaign=campaign, text=weighed)  # which touches nothing that is recorded
    Campaign.objects.filter(pk=campaign.pk).update(state="frozen")
    campaign.refresh_from_db()
    unpack_release(make_release(actor=organiser, campaign=campaign), tmp_path / "release")
    capsys.readouterr()
    assert scoring(["verify", str(tmp_path / "release")]) == 0, capsys.readouterr()
    again = import_release(actor=organiser, path=tmp_path / "release", slug="again")
    assert values_of(again) == values_of(campaign)
    assert {measure for _, measure, _ in values_of(again)} == {"W", "W_strict", "A", "citation-precision"}


def values_of(campaign: Campaign) -> list[tuple[str, str, str]]:
    """The values without the names of runs, which a release gives others."""
    scores = score_campaign(Snapshot(campaign)).scores
    return sorted((each.topic, each.measure, str(each.value)) for each in scores)


def test_quotes_are_asked_of_lists_only_while_nothing_is_written() -> None:
    required = DESIGN.replace('work = "nuggets"', 'work = "nuggets"\nreferences = "required"')
    (asked,), (no_longer,) = changes_between(DESIGN, required).changes, changes_between(required, DESIGN).changes
    assert (asked.stands_on, no_longer.stands_on) == (DependentRecords(stage="list"), None)


def scored(tmp_path: Path, design: str) -> list[str]:
    """The call that scores an answer, with four nuggets marked in it, by a design."""
    nuggets = [("fur", "vital", "support"), ("paws", "vital", "partial_support"), ("tail", "okay", "support"),
               ("ears", "okay", "not_support")]  # fmt: skip
    listed = [{"text": text, "importance": importance} for text, importance, _ in nuggets]
    found = [{**each, "assignment": said} for each, (_, _, said) in zip(listed, nuggets, strict=True)]
    gold, answer = tmp_path / "gold", "A cat has fur."
    gold.mkdir()
    about = {"qid": "1", "query": "cats"}
    (gold / "nuggets.jsonl").write_text(json.dumps({**about, "nuggets": listed}))
    said = {**about, "run_id": "RUN", "answer_text": answer, "nuggets": found}
    (gold / "assignments.jsonl").write_text(json.dumps(said))
    (tmp_path / "mine.toml").write_text(design)
    run = {"run_id": "ash", "topic_id": "1", "topic": "cats", "references": [], "response_length": 4}
    (tmp_path / "ash.jsonl").write_text(json.dumps({**run, "answer": [{"text": answer, "citations": []}]}))
    return ["score", str(tmp_path / "mine.toml"), "--gold", str(gold), "--run", str(tmp_path / "ash.jsonl")]


def test_weights_and_shares_of_nuggets_count_as_the_design_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = scored(tmp_path, WEIGHED)
    assert tracks(call) == 0, capsys.readouterr()
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert {measure: float(value) for _, topic, measure, value, *_ in rows if topic == "1"} == {
        "V_strict": 0.5,  # 1 / 2
        "V": 0.625,  # (1 + 1/4) / 2
        "A_strict": 0.5,  # 2 / 4
        "A": 0.5625,  # (1 + 1/4 + 1) / 4
        "W_strict": 0.5,  # (3 + 0.2) / (3 + 3 + 0.2 + 0.2)
        "W": 0.617188,  # (3 + 3/4 + 0.2) / 6.4
    }
    assert tracks([*call, "--explain", "1", "W"]) == 0
    assert "W = 3.9500 / 6.4000 = 0.6172" in capsys.readouterr().out
    helps = {column.key: column.help for column in track_of_text(WEIGHED).scoring.measures}
    assert helps["W"] == "As A; a vital nugget weighs 3, an okay one 0.2."
    assert helps["V"] == "The same; a partly supported nugget counts 0.25."


@pytest.mark.parametrize("too_long", ["warning", "cut"])
def test_a_limit_that_a_request_states_does_not_cut_what_was_judged_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], too_long: str
) -> None:
    """RAGTIME's requests have a limit of characters: the score looked for an answer cut by it, which nobody judged."""
    call = scored(tmp_path, WEIGHED.replace('too_long = "cut"', f'too_long = "{too_long}"'))
    for name in ("gold/assignments.jsonl", "ash.jsonl"):
        (tmp_path / name).write_text(
            (tmp_path / name).read_text().replace("A cat has fur.", "A cat has fur. It purrs.")
        )
    run = json.loads((tmp_path / "ash.jsonl").read_text())
    run["answer"] = [{"text": text, "citations": []} for text in ("A cat has fur.", "It purrs.")]
    (tmp_path / "ash.jsonl").write_text(json.dumps(run))
    (tmp_path / "topics.jsonl").write_text('{"request_id": "1", "title": "cats", "limit": 15}\n')
    assert tracks([*call, "--topics", str(tmp_path / "topics.jsonl")]) == 0, capsys.readouterr()
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [value for _, topic, measure, value, *_ in rows if (topic, measure) == ("1", "A")] == ["0.562500"]


def test_measures_of_nuggets_may_have_labels_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    coverage = '{ measure = "W", label = "coverage", help = "Of all that was wanted." }'
    call = scored(tmp_path, WEIGHED.replace('"A", "W_strict", "W"', f'"A", "W_strict", {coverage}'))
    assert tracks(call) == 0, capsys.readouterr()
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [(topic, value) for _, topic, measure, value, *_ in rows if measure == "coverage"] == [
        ("1", "0.617188"),
        ("all", "0.617188"),
    ]
    assert "W" not in {measure for _, _, measure, *_ in rows}
    for topic in ("1", "all"):
        assert tracks([*call, "--explain", topic, "coverage"]) == 0
        assert "= 0.6172" in capsys.readouterr().out
    (column,) = (
        each for each in track_of_text((tmp_path / "mine.toml").read_text()).scoring.measures if each.key == "coverage"
    )
    assert (column.label, column.help) == ("coverage", "Of all that was wanted.")


def test_a_design_may_have_nuggets_found_whole_or_not(tmp_path: Path) -> None:
    whole = DESIGN.replace('item = "response"', 'item = "response"\nmarks = [{ key = "full", value = 1 }]')
    works = [track_of_text(text).tasks[0].stages[1].work for text in (DESIGN, whole)]
    assert works == [Matching(partial=True), Matching()]
    (less,), (more,) = changes_between(DESIGN, whole).changes, changes_between(whole, DESIGN).changes
    assert (less.stands_on, more.stands_on) == (DependentRecords(stage="found"), None)
    assert [each.stands_on for each in changes_between(DESIGN, WEIGHED).changes] == [None, None, None]


LIST, FOUND = 'work = "nuggets"\nimportance = ', 'item = "response"\nmarks = '
BROKEN_WEIGHTS = [
    (LIST + '[{ key = "have", weight = 4 }]', "stages.list.importance.have.key", "Not yet known: the importance have;"),
    (LIST + '[{ key = "vital", press = "1" }]', "stages.list.importance.vital.press", "Not yet known: press of an"),
    (LIST + '[{ key = "vital", weight = -1 }]', "stages.list.importance.vital.weight", "A nugget weighs 0 or more."),
    (LIST + '[{ key = "okay", weight = 0 }]', "stages.list.importance", "No nugget weighs anything"),
    (LIST + '[{ key = "okay" }, { key = "okay" }]', "stages.list.importance", "An importance is named twice"),
    (FOUND + '[{ key = "full", value = 2 }]', "stages.found.marks.full.value", "held in full counts 1."),
    (FOUND + '[{ key = "partial", value = 0.5 }]', "stages.found.marks", "Marks need full"),
    (FOUND + '[{ key = "full", value = 1 }, { key = "partial", value = 2 }]', "stages.found.marks.partial.value",
     "counts from 0 to 1."),
    (FOUND + '[{ key = "full", value = 1, wins = true }]', "stages.found.marks.full.wins", "Not yet known: a mark"),
    (FOUND + '[{ key = "contradicts", value = -1 }]', "stages.found.marks.contradicts.key", "Not yet known: the mark"),
]  # fmt: skip


@pytest.mark.parametrize(("after", "member", "words"), BROKEN_WEIGHTS)
def test_weights_that_can_not_be_counted_are_told_by_line(after: str, member: str, words: str) -> None:
    text = DESIGN.replace('"V_strict", "A"', '"W"')
    before = after.split("\n")[0]
    line = text.splitlines().index(before) + 2
    design, faults = check_design(text.replace(before, after))
    assert (design, [(each.line, each.member) for each in faults if words in each.message]) == (
        None,
        [(line, member)],
    ), faults


def test_weights_that_nothing_counts_are_refused() -> None:
    for before, after, words in (
        ('"W_strict", "W"', '"unjudged"', "Weights count in W and W_strict alone"),
        (', "V", "A_strict", "A", "W_strict", "W"', ', "W_strict"', "What is held in part counts in V, A and W alone"),
    ):
        assert [words in each.message for each in check_design(WEIGHED.replace(before, after))[1]] == [True], words


LATER = "Not yet known"
BROKEN = [
    ('from = "list"', 'from = "lst"', 18, "stages.found.from", "There is no stage “lst” before this one. Did you"),
    ('from = "list"', 'from = "found"', 18, "stages.found.from", "There is no stage “found” before this one."),
    ('from = "list"\n', "", 15, "stages.found", "The stage found needs from"),
    ('from = "list"', 'from = "list"\nmarks = []\nnone = { press = "0" }', 20, "stages.found.none", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nlines = "questions"', 14, "stages.list.lines", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nsettle = "fuse"', 14, "stages.list.settle", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nsettle = "adjudicator"', 14, "stages.list.settle", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nmost = 10', 14, "stages.list.most", LATER),
    ('work = "nuggets"', 'work = "nuggets"\npeople = 3', 14, "stages.list.people", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nfile = "x.tsv"', 14, "stages.list.file", LATER),
    ('work = "nuggets"', 'work = "nuggets"\nwithout_runs = true', 14, "stages.list.without_runs", LATER),
    ('work = "nuggets"', 'work = "nugget"', 13, "stages.list.work", "Did you mean nuggets?"),
    ('item = "citation"', 'item = "sentence"', 24, "stages.support.item", LATER),
    ('"A"', '{ measure = "A", question = "support" }', 32, "scores.measures.2.question", "A counts nuggets"),
    ('"V_strict"', '"V_strikt"', 32, "scores.measures.1", "No measure is called"),
]


@pytest.mark.parametrize(("before", "after", "line", "member", "words"), BROKEN)
def test_what_is_wrong_is_told_by_line_and_name(before: str, after: str, line: int, member: str, words: str) -> None:
    assert before in DESIGN and check_design(DESIGN)[1] == []
    design, faults = check_design(DESIGN.replace(before, after, 1))
    told = [(each.line, each.member) for each in faults if words in each.message]
    assert (design, told) == (None, [(line, member)]), faults


def test_a_design_of_nuggets_alone_has_the_usual_measures() -> None:
    text = DESIGN[: DESIGN.index('[[stages]]\nkey = "support"')]
    track = track_of_text(text)
    assert [column.key for column in track.scoring.measures] == ["V_strict", "V", "A_strict", "A"]
    assert [export.name for export in track.exports] == ["nuggets.jsonl", "assignments.jsonl", "judgments.jsonl"]


@pytest.mark.django_db(transaction=True)
def test_a_string_opens_the_documents_that_its_sentences_cite(
    organiser: User, tmp_path: Path, settings: Any, client: Client
) -> None:
    settings.DATA_DIR = tmp_path / "data"
    (tmp_path / "mine.toml").write_text(DESIGN)
    campaign = loaded(organiser, tmp_path / "mine.toml", ANSWERS)
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    here = set(campaign.documents.values_list("docno", flat=True))
    strings = Item.objects.filter(topic__campaign=campaign, kind="response", pool_items__isnull=False)
    cited = {
        item.pk: list(
            dict.fromkeys(docno for part in item.fields["parts"] for docno in part["docnos"] if docno in here)
        )
        for item in strings
    }
    item = strings.get(pk=next(pk for pk, docnos in cited.items() if len(docnos) > 1))
    work = factories.assignment(item.topic, "list", factories.member(campaign, "ada", "assessor"), state="open")
    client.force_login(work.assessor)
    address = reverse("string-document", args=["own", work.pk, handle_of(work, item.pk)])
    for asked, docno in ({}, cited[item.pk][0]), ({"cited": cited[item.pk][1]}, cited[item.pk][1]):
        page = client.get(address, asked).content.decode()
        assert re.findall(r'data-document="([^"]+)"', page) == [docno]
        assert re.findall(r"cited=[^\"]+\" data-view\s+(aria-current=\"true\")?>([^<]+)", page) == [
            ('aria-current="true"' if each == docno else "", each) for each in cited[item.pk]
        ]
