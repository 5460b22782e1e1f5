"""The designs whose runs rank nothing: loaded, judged, scored, released, verified and imported."""

from __future__ import annotations

import csv
import json
import re
import shutil
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from assess.base.errors import Invalid
from assess.campaigns.queries import track_of
from assess.judging.snapshots import Snapshot
from assess.kinds.grade.record import JudgmentInput, record_judgment
from assess.models import Assignment, Campaign, Item
from assess.organising.domain import freeze_campaign
from assess.pools.domain.wanted_documents import wanted_docnos
from assess.protocol import Criterion
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.scores.domain import score_campaign
from scoring.__main__ import main as scoring
from scoring.folding import answer_key
from tests import factories
from tests.pages import page_of
from tests.tracks.designs.campaigns import ADHOC, DATA, DESIGNS, judge_all, loaded, means_of
from tests.unpacked import unpack_release
from tracks.__main__ import main as tracks

CLAIMS = DATA / "designs" / "claims"
ANSWERS = DATA / "tracks" / "rag-nuggets"
OTHER_FORMS = (
    ("claims", CLAIMS),
    ("passages-for-answers", ANSWERS),
    ("supported-answers", ANSWERS),
    ("report-verdicts", DATA / "designs" / "report-verdicts"),
)


NAMES = ("run", "topic", "measure")
WORKED: dict[str, tuple[str, dict[str, float]]] = {
    "claims": ("alpha", {"mean": 4.25, "share": 1, "judged": 1}),
    "report-verdicts": (
        "north-2",
        {"supportive": (4 * (1 + 0.5) / 2 / 5 + 0) / 2, "contradictory": (0 + 2 / 6) / 2, "judged": 1},
    ),
    "passages-for-answers": (
        "moss",
        {"mean": (2 + 2.5 + 2.5 + 3) / 4, "share": 1, "judged": 1},
    ),
    "supported-answers": (
        "moss",
        {
            "citation-precision": (0.5 + 0.75 + 0.75 + 1) / 4,
            "citation-recall": (0.5 + 0.75 / 2 + 0.75 + 1 / 2) / 4,
            "usefulness": 4,
        },
    ),
}
"""A run of each, and its means by the grades below, worked by hand; of topic 7_1 nothing is cited or judged."""


def worth(item: Item, criterion: Criterion) -> int:
    """The top grade for a first document, one less for a second, else the lowest; 4 for whole answers."""
    if criterion.key == "usefulness":
        return 4
    values = sorted((each.value for each in criterion.grades), reverse=True)
    return values[{"1": 0, "2": 1}.get(item.docno[-1:], -1)]


@pytest.fixture(autouse=True)
def _folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"


def released(organiser: User, campaign: Campaign, folder: Path) -> Path:
    """The campaign's release, unpacked."""
    freeze_campaign(actor=organiser, campaign=campaign, despite="documents are gone")
    campaign.refresh_from_db()
    unpack_release(make_release(actor=organiser, campaign=campaign), folder)
    return folder


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "folder"), OTHER_FORMS, ids=[name for name, _ in OTHER_FORMS])
def test_it_is_judged_scored_released_verified_and_imported(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, folder: Path
) -> None:
    campaign = loaded(organiser, DESIGNS / f"{name}.toml", folder)
    judge_all(campaign, {"claims": truth, "report-verdicts": said}.get(name, worth))
    run, worked = WORKED[name]
    assert means_of(campaign, run) == pytest.approx(worked)
    release = released(organiser, campaign, tmp_path / "release")
    exports = {f"grades-{each.key}.jsonl" for stage in track_of(campaign).tasks[0].stages for each in stage.criteria}
    exports |= {"rows-verdict.csv"} if name == "report-verdicts" else set()
    assert {path.name for path in (release / "exports").iterdir()} == {*exports, "judgments.jsonl"}
    capsys.readouterr()
    assert scoring(["verify", str(release)]) == 0, capsys.readouterr()
    measures = [column.key for column in track_of(campaign).scoring.measures]
    means = [line.split("\t") for line in (release / "scores" / "means.tsv").read_text().splitlines()]
    count = campaign.runs.filter(state="accepted").count()
    assert count >= 2 and len(means) == count * len(measures), means
    again = import_release(actor=organiser, path=release, slug="again")
    assert track_of(again).key == campaign.track
    assert Item.objects.filter(topic__campaign=again).count() == Item.objects.filter(topic__campaign=campaign).count()


def truth(item: Item, criterion: Criterion) -> int:
    """5 for what swallows do, 1 for letters and moss on the north side, else 4."""
    del criterion
    return 5 if "drink" in item.text else 1 if "ice" in item.text or "north" in item.text else 4


REPORT = "The study was paid for by the mill's owner, and nobody knows when."
NORTH = f"source-{answer_key(REPORT, '')[:16]}"


def said(item: Item, criterion: Criterion) -> int:
    """Who paid is said by the report from the north alone, and in part; of the reef all reports say the contrary."""
    del criterion
    if "shrunk" in item.text:
        return 0
    in_part = {"He paid half of it.": NORTH, "It was made in May 2019.": ""}
    if item.text in in_part:
        return 2 if (item.docno == NORTH) == (in_part[item.text] == NORTH) else 1
    return 3 if "mill" in item.text and item.docno == NORTH else 1


@pytest.mark.django_db(transaction=True)
def test_verdicts_on_reports_are_scored_and_given_out_as_the_command_has_them(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The site's values are those of `scoring nuggets --verdicts` of the exported file, to the last digit."""
    data = DATA / "designs" / "report-verdicts"
    campaign = loaded(organiser, DESIGNS / "report-verdicts.toml", data)
    assert Item.objects.filter(topic__campaign=campaign).count() == 8
    judge_all(campaign, said)
    call_command("export", "own", str(tmp_path / "export"), stdout=StringIO())
    written = (tmp_path / "export" / "rows-verdict.csv").read_text().splitlines()
    assert (written[0], len(written)) == ("topic_id,run_tag,answer_id,annotation", 9)
    assert [line for line in written if "supports" in line or "contradicts" in line] == [
        "leaf-1,north-2,na-1,supports", "reef-2,north-2,na-1,contradicts", "reef-2,south-1,na-1,contradicts",
    ]  # fmt: skip
    call = ["nuggets", "--verdicts", str(tmp_path / "export" / "rows-verdict.csv"), "--format", "json"]
    with (data / "items.csv").open() as file:
        rows = list(csv.DictReader(file))
    for topic in ("leaf-1", "reef-2"):
        own = [row for row in rows if row["topic_id"] == topic]
        questions = [
            {
                "question_id": name, "question_text": name, "importance": level,
                "short_answers": [
                    {"answer_id": answer, "answer_text": "."}
                    for answer in sorted({row["answer_id"] for row in own if row["question_id"] == name})
                ],
            }
            for name, level in sorted({(row["question_id"], row["importance"]) for row in own})
        ]  # fmt: skip
        (tmp_path / topic).write_text(json.dumps({"topic_id": topic, "rubrics": questions}))
        call += ["--rubrics", str(tmp_path / topic)]
    capsys.readouterr()
    assert scoring(call) == 0
    by_command = {tuple(row[name] for name in NAMES): row["value"] for row in json.loads(capsys.readouterr().out)}
    found = score_campaign(Snapshot(campaign)).scores
    assert by_command == {(s.run, s.topic, s.measure): s.value for s in found if s.measure != "judged"}
    assert by_command["south-1", "leaf-1", "supportive"] == 0.1
    assert [by_command[run, "reef-2", "contradictory"] for run in ("north-2", "south-1")] == [1 / 3, 1 / 3]
    assert scoring(["convert", "--from", "report-verdicts", "--to", "report-verdicts", call[2]]) == 0
    assert capsys.readouterr().out.splitlines() == written


@pytest.mark.django_db(transaction=True)
def test_a_claim_of_two_systems_is_judged_once_and_counts_for_both(organiser: User) -> None:
    campaign = loaded(organiser, DESIGNS / "claims.toml", CLAIMS)
    assert sorted(campaign.runs.values_list("tag", "state")) == [("alpha", "accepted"), ("beta", "accepted")]
    assert campaign.topics.count() == 2 and Item.objects.filter(topic__campaign=campaign).count() == 5
    judge_all(campaign, truth)
    table = score_campaign(Snapshot(campaign)).scores
    values = {(each.run, each.topic, each.measure): each.value for each in table}
    assert [values["alpha", topic, "mean"] for topic in ("2", "1", "all")] == [4, 4.5, 4.25]
    assert [values["beta", topic, "mean"] for topic in ("2", "1", "all")] == [1, 3, 2]
    assert [values[run, "all", "share"] for run in ("alpha", "beta")] == [1, 0.25]


@pytest.mark.django_db
def test_no_assessor_learns_whose_a_claim_is(organiser: User, client: Client) -> None:
    campaign = loaded(organiser, DESIGNS / "claims.toml", CLAIMS)
    Campaign.objects.filter(pk=campaign.pk).update(state="judging")
    campaign.refresh_from_db()
    assessor = factories.member(campaign, "anna", "assessor")
    work = factories.assignment(campaign.topics.get(text="swallows"), "claims", assessor, state="started")
    client.force_login(assessor)
    address = reverse("workbench", args=["own", work.pk])
    first = page_of(client.get(address))
    handles = set(re.findall(r"item=(\d+)", first))
    pages = [page_of(client.get(f"{address}?item={handle}")) for handle in handles]
    assert sorted("said on: a leaflet" in page for page in pages) == [False, False, True]
    assert not [page for page in (first, *pages) if "alpha" in page or "beta" in page]


@pytest.mark.django_db(transaction=True)
def test_rows_may_bring_the_documents_that_open_beside_them(organiser: User, tmp_path: Path) -> None:
    design = (DESIGNS / "claims.toml").read_text()
    design = design.replace('document = "source"', 'source = "text"').replace('systems = ["system"]\n', "")
    (tmp_path / "mine.toml").write_text(design.replace('topic = "subject"', "batch = 2"))
    rows = tmp_path / "rows"
    rows.mkdir()
    content = [
        {"claim": "Tea is hot.", "said on": "", "text": "Tea, which is hot, cools."},
        {"claim": "Tea is cold.", "said on": "a cup", "text": "Tea, which is hot, cools."},
        {"claim": "Tea is cold.", "said on": "a cup", "text": "Tea, which is hot, cools."},
        {"claim": "Ice is cold.", "said on": "", "text": "Ice is frozen."},
    ]
    (rows / "items.jsonl").write_text("\n".join(map(json.dumps, content)))
    campaign = loaded(organiser, tmp_path / "mine.toml", rows)
    assert list(campaign.topics.order_by("number").values_list("number", "text")) == [("1", "1 to 2"), ("2", "3 to 3")]
    assert campaign.documents.count() == 2 and list(campaign.runs.values_list("tag", flat=True)) == ["items"]
    judge_all(campaign)
    snippet = {"quote": "which is hot"}
    item = Item.objects.get(topic__campaign=campaign, text="Tea is cold.")
    work = campaign.assignments.get(topic=item.topic)
    Assignment.objects.filter(pk=work.pk).update(state="started")
    row = JudgmentInput(item=item, criterion="truth", value=1, evidence=[snippet], client_key=uuid4())
    kept = record_judgment(actor=work.assessor, assignment=work, judgment=row)
    assert kept.evidence is not None and kept.evidence[0]["start"] == 5


STRINGS = """design = 1
key = "strings"
title = "Answer strings"

[runs]
form = "strings"
limit = 2

[[stages]]
key = "strings"
work = "grade"
item = "string"

[[stages.questions]]
key = "right"
ask = "Does the string answer the question?"
evidence_ask = "Select what says so"
grades = "0-1"

[scores]
measures = ["share", "judged", "total"]
"""


@pytest.mark.django_db(transaction=True)
def test_strings_are_judged_scored_released_and_verified(
    organiser: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.toml").write_text(STRINGS)
    folder = tmp_path / "strings"
    (folder / "runs").mkdir(parents=True)
    shutil.copy(ADHOC / "topics.txt", folder)
    shutil.copytree(ADHOC / "documents", folder / "documents")
    (folder / "runs" / "pear.txt").write_text("1 pear HIVE-01 a hive\n1 pear HIVE-02 two hives\n")
    (folder / "runs" / "plum.txt").write_text("1 plum HIVE-01 a  hive\n")
    campaign = loaded(organiser, tmp_path / "mine.toml", folder)
    assert sorted(Item.objects.filter(topic__campaign=campaign).values_list("docno", "text")) == [
        ("HIVE-01", "a hive"), ("HIVE-02", "two hives"),
    ]  # fmt: skip
    judge_all(campaign, lambda item, criterion: int(item.docno == "HIVE-01"))
    scores = score_campaign(Snapshot(campaign)).scores
    values = {(each.run, each.measure): each.value for each in scores if each.topic == "all"}
    assert [values["pear", name] for name in ("share", "judged", "total")] == [0.5, 1, 1]
    assert [values["plum", name] for name in ("share", "judged", "total")] == [1, 1, 1]
    release = released(organiser, campaign, tmp_path / "release")
    capsys.readouterr()
    assert scoring(["verify", str(release)]) == 0, capsys.readouterr()
    three = folder / "three.txt"
    three.write_text("1 pear HIVE-01 a\n1 pear HIVE-01 b\n1 pear HIVE-01 c\n2 pear HIVE-01 d\n")
    assert tracks(["check", str(tmp_path / "mine.toml"), "--topics", str(folder / "topics.txt"), str(three)]) == 1
    assert "Topic 1 has 3 strings; 2 are allowed." in capsys.readouterr().out


def test_gains_of_what_is_not_ranked_may_be_parts_of_one(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    design = (DESIGNS / "supported-answers.toml").read_text()
    half = design.replace('name = "partial support"', 'name = "partial support", gain = 0.5')
    half = half.replace('name = "full support"', 'name = "full support", gain = 1').replace(
        "[scores]", "[scores]\nrelevant_from = 0.5"
    )
    half = half.replace('  "citation-precision",', '  "citation-precision",\n  "mean",')
    (tmp_path / "mine.toml").write_text(half)
    assert tracks(["design", "check", str(tmp_path / "mine.toml")]) == 0
    sentences = ["One.", "Two.", "Three."]
    (tmp_path / "run.jsonl").write_text(json.dumps({
        "metadata": {"team_id": "t", "run_id": "r", "topic_id": "1"}, "references": ["D1"],
        "responses": [{"text": text, "citations": ["D1"]} for text in sentences],
    }))  # fmt: skip
    grades = [
        {"criterion": "support", "docno": "D1", "key": answer_key(text, "D1"), "kind": "citation", "topic": "1"}
        | {"value": value}
        for text, value in zip(sentences, (2, 1, 0), strict=True)
    ]
    (tmp_path / "grades-support.jsonl").write_text("\n".join(map(json.dumps, grades)))
    gold = str(tmp_path / "grades-support.jsonl")
    capsys.readouterr()
    call = ["score", str(tmp_path / "mine.toml"), "--gold", gold, "--run", str(tmp_path / "run.jsonl")]
    assert tracks(call) == 0
    values = {tuple(line.split("\t")[1:3]): line.split("\t")[3] for line in capsys.readouterr().out.splitlines()}
    assert {float(values["1", name]) for name in ("citation-precision", "mean")} == {0.5}


@pytest.mark.django_db
def test_documents_are_passed_over_where_nothing_that_is_judged_names_one(organiser: User, tmp_path: Path) -> None:
    lines = (DESIGNS / "claims.toml").read_text().splitlines()
    text = "\n".join(line for line in lines if not line.startswith(("document =", "evidence_ask =")))
    (tmp_path / "mine.toml").write_text(text)
    said = StringIO()
    by = ("--track", str(tmp_path / "mine.toml"), "--slug", "own", "--organiser", organiser.username)
    call_command("load_campaign", str(CLAIMS), *by, stdout=said, stderr=StringIO())
    campaign = Campaign.objects.get(slug="own")
    assert "documents: passed over, since nothing that is judged names one" in said.getvalue()
    assert (campaign.topics.count(), campaign.documents.count()) == (2, 0)
    with pytest.raises(Invalid, match=r"Nothing that is judged here names a document.*Or store all documents"):
        wanted_docnos(campaign)
