"""Real evaluations of answers and of ranked documents, and the pilot's stand-in: from one command to scores,
every stage judged by keyboard in a browser.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from assess.models import Assignment, Judgment
from nuggets.models import NuggetList, NuggetMatch
from tests.browser.keyboard import find_nuggets, finish, freeze, grade_all, picture, press_button, write_nuggets
from tests.browser.whole_campaign import WholeCampaign, in_test_all, part_of
from tests.tracks.track_folder import folder_of
from tracks.aquaint_definition import TRACK as AQUAINT

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OWN_TEXT = "A page in our own words, since the real one is not here. It says a little of everything."


def write_document(folder: Path, docno: str) -> Path:
    """A document with this docno, in our own words."""
    folder.mkdir(exist_ok=True)
    made = folder / f"{docno}.txt"
    made.write_text(OWN_TEXT, encoding="utf-8")
    return made


def saying(*keys: str) -> Callable[[str], list[str]]:
    """Of every string: the first nuggets are in it, in it in part, or not."""
    return lambda _text: list(keys)


# ---------------------------------------------------------------- answers and nuggets

NARRATIVE = "37"  # of RAG 2025, with few nuggets
LABELLED = "14"  # the dialogue of iKAT 2024 whose answers people compared with nuggets
EMPTY_TURN = "4_7"  # of iKAT 2024: answered by all runs, and the study found no nuggets


def cited_runs(folder: Path, place: Path) -> tuple[list[Path], str]:
    """Two runs of ours that answer the narrative and cite judged documents; the first document's docno."""
    with (folder / "qrels.rag25.test.txt").open(encoding="utf-8") as file:
        docnos = [line.split()[2] for line in file if line.startswith(NARRATIVE + " ")][:3]
    paths = []
    for number, texts in enumerate((("Families differ.", "Time together helps."), ("Divorce is hard on children.",))):
        made = {
            "run_id": f"harbour_answers_{number}",
            "topic_id": NARRATIVE,
            "references": docnos,
            "answer": [{"text": text, "citations": [place]} for place, text in enumerate(texts, start=number)],
        }
        paths.append(place / f"harbour_answers_{number}.jsonl")
        paths[-1].write_text(json.dumps(made) + "\n", encoding="utf-8")
    return paths, docnos[0]


@pytest.mark.shared
def test_rag_2025(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    folder = part_of(shared_data / "rag25-nuggets", tmp_path, {NARRATIVE, "14", "31"})
    whole.load("rag-nuggets", folder, "--person", "author=anna", people=("anna",))
    runs, docno = cited_runs(shared_data / "rag25-qrels", tmp_path)
    whole.submit(*runs)
    whole.call("load_documents", "real", str(write_document(tmp_path / "documents", docno).parent))
    for stage in ("matches", "support"):
        whole.hand_out(NARRATIVE, stage, "anna")
    page = whole.open(NARRATIVE, "nuggets", "anna")  # published as done
    press_button(page, "Take up again")
    press_button(page, "Begin a new version")
    expect(page.locator("[data-list]")).to_contain_text("draft, not frozen")
    count = NuggetList.objects.get(topic__number=NARRATIVE, frozen_at=None).nuggets.count()
    write_nuggets(page, ["Parents who listen"], first=count + 1)
    picture(page, "rag25-nuggets")
    freeze(page)
    page = whole.open(NARRATIVE, "matches", "anna")
    assert find_nuggets(page, saying("s", "h", "x"), name="rag25-matches") == 2
    finish(page)
    said = NuggetMatch.objects.filter(assessor__username="anna").values_list("value", flat=True)
    assert sorted(said) == ["absent", "absent", "full", "full", "partial", "partial"]
    page = whole.open(NARRATIVE, "support", "anna")
    keys = cycle("210")
    assert grade_all(page, lambda _page: [next(keys)], name="rag25-support") == 3
    finish(page)
    whole.require_every_stage()
    scores = whole.require_equal_scores(tmp_path)
    assert {scores[run, NARRATIVE, "support_precision"] for run in ("harbour_answers_0", "harbour_answers_1")} != {None}


@in_test_all
@pytest.mark.shared
def test_nugget_study_of_ikat_2024(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    folder = part_of(shared_data / "ikat2024-nuggets", tmp_path, {EMPTY_TURN.partition("_")[0], LABELLED})
    whole.load("rag-nuggets", folder, people=("anna",))
    for stage in ("nuggets", "matches"):
        whole.hand_out(EMPTY_TURN, stage, "anna")
    page = whole.open(EMPTY_TURN, "nuggets", "anna")
    write_nuggets(page, ["a first thing", "a second thing", "a third thing"])
    picture(page, "ikat24-nuggets")
    freeze(page)
    page = whole.open(EMPTY_TURN, "matches", "anna")
    assert find_nuggets(page, saying("s", "h", "x"), name="ikat24-matches") > 10
    finish(page)
    whole.require_every_stage(without="support")  # no run of the study cites anything
    scores = whole.require_equal_scores(tmp_path)
    assert scores["gpt4-QD1-rr", EMPTY_TURN, "A"] == 0.5


# ---------------------------------------------------------------- ad hoc

GRADES = "30213"


def grading() -> Callable[[Page], list[str]]:
    keys = iter(GRADES)
    return lambda _page: [next(keys)]


def ranked_run(path: Path, rankings: Iterable[tuple[str, list[str]]]) -> Path:
    lines = [
        f"{topic} Q0 {docno} {rank} {100 - rank} {path.stem}\n"
        for topic, docnos in rankings
        for rank, docno in enumerate(docnos, start=1)
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def judged_documents(qrels: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for line in qrels.read_text("utf-8").splitlines():
        found.setdefault(line.split()[0], []).append(line.split()[2])
    return found


@in_test_all
@pytest.mark.shared
def test_rag_2024_documents(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    real = shared_data / "rag25-qrels"
    judged = judged_documents(real / "qrels.rag24.test.txt")
    asked = (line.split("\t")[0] for line in (real / "topics.rag24.test.txt").read_text("utf-8").splitlines())
    topic = next(number for number in asked if number not in judged)
    folder = part_of(real, tmp_path, {topic, *sorted(judged)[:8], NARRATIVE})  # of which there are judgments alone
    judged = judged_documents(folder / "qrels.rag24.test.txt")
    whole.load("adhoc", folder, people=("anna",))
    unjudged = next(iter(judged.values()))[:5]
    whole.submit(
        ranked_run(
            tmp_path / "harbour_ranks.txt",
            [(topic, unjudged), *((number, docnos[:20]) for number, docnos in judged.items())],
        )
    )
    whole.call("load_documents", "real", str(write_document(tmp_path / "documents", unjudged[0]).parent))
    judge_documents(whole, topic, "adhoc-rag24")
    scores = whole.require_equal_scores(tmp_path)
    assert scores["harbour_ranks", topic, "P@5"] == 0.8
    assert len({number for _, number, measure in scores if measure == "AP"}) == len(judged) + 2


@pytest.mark.shared
def test_documents_of_trec_eval(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    """Its run and qrels, but for those of topic 303, of which we judge the first five."""
    real, folder = shared_data / "trec_eval", tmp_path / "given"
    (folder / "runs").mkdir(parents=True)
    (folder / "topics.tsv").write_text("301\tsmuggling\n302\ta vaccine\n303\ta telescope\n", encoding="utf-8")
    qrels = (real / "qrels.test").read_text("utf-8").splitlines(keepends=True)
    (folder / "qrels.txt").write_text("".join(line for line in qrels if not line.startswith("303 ")), encoding="utf-8")
    shutil.copy(real / "results.test", folder / "runs" / "results.txt")
    write_document(folder / "documents", "LA033090-0082")
    whole.load("adhoc", folder, "--set", "pool_depth=5", people=("anna",))
    judge_documents(whole, "303", "adhoc-trec-eval")
    scores = whole.require_equal_scores(tmp_path, "--set", "pool_depth=5")
    assert scores["STANDARD", "303", "P@5"] == 0.8


def judge_documents(whole: WholeCampaign, topic: str, name: str) -> None:
    whole.hand_out(topic, "documents", "anna")
    page = whole.open(topic, "documents", "anna")
    assert grade_all(page, grading(), name=name, picture_at=len(GRADES)) == len(GRADES)
    finish(page)
    given = Judgment.objects.filter(assessor=whole.people["anna"]).values_list("value", flat=True)
    assert sorted(given) == sorted(map(int, GRADES))
    whole.require_every_stage()


# ---------------------------------------------------------------- the pilot's stand-in

LAST = "5"


def without_last(place: Path) -> Path:
    """The published pilot in small, with nothing said of its last question yet."""
    folder = place / "pilot"
    shutil.copytree(folder_of(AQUAINT) / "published", folder, ignore=shutil.ignore_patterns("bad", "expected"))
    for name in ("author", "other", "sys.author", "sys.other"):
        (folder / f"{name}.{LAST}").unlink()
    lines = (folder / "holistic").read_text("utf-8").splitlines(keepends=True)
    (folder / "holistic").write_text("".join(line for line in lines if not line.startswith(LAST + " ")), "utf-8")
    return folder


@in_test_all
def test_definition_pilot(whole: WholeCampaign, tmp_path: Path) -> None:
    whole.load("aquaint-definition", without_last(tmp_path), people=("anna", "ben", "carla"))
    for stage in ("holistic", "nuggets", "matches"):
        whole.hand_out(LAST, stage, "anna")
    whole.hand_out(LAST, "contractor", "carla")
    judge_question(whole, "anna")
    page = whole.sign_in(whole.people["ben"])
    page.goto(f"{whole.site.url}/c/real/work/")
    page.keyboard.press("t")
    expect(page.get_by_text(f"Topic {LAST} is yours, as second assessor.")).to_be_visible()
    judge_question(whole, "ben")
    page = whole.open(LAST, "contractor", "carla")
    grade_all(page, lambda _page: ["8", "5"], name="aquaint-contractor")
    finish(page)
    whole.require_every_stage()
    roles = Assignment.objects.filter(topic__number=LAST, stage="matches").values_list("assessor__username", "role")
    assert set(roles) == {("anna", "primary"), ("ben", "second")}
    scores = whole.require_equal_scores(tmp_path)
    assert {scores[run.tag, LAST, "F_author"] for run in whole.campaign.runs.all()} != {None}


def judge_question(whole: WholeCampaign, person: str) -> None:
    page = whole.open(LAST, "holistic", person)
    grade_all(page, lambda _page: ["7", "6"], name=f"aquaint-holistic-{person}")
    finish(page)
    page = whole.open(LAST, "nuggets", person)
    write_nuggets(page, ["made of paper", f"what only {person} says"])
    picture(page, f"aquaint-nuggets-{person}")
    freeze(page)
    page = whole.open(LAST, "matches", person)
    found = find_nuggets(page, lambda text: ["1"] if "paper" in text else ["2"], name=f"aquaint-matches-{person}")
    assert found > 0
    finish(page)
