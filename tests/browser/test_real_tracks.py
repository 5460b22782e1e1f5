"""Real evaluations of TREC and SDProc, from one command to scores, every stage judged by keyboard in a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from playwright.sync_api import Page, expect

from assess.judging.snapshots import Snapshot
from assess.models import Judgment
from nuggets.classes.export import answer_classes
from nuggets.writing.export import annotated_topics
from tests.browser.keyboard import finish, freeze, grade_all, picture, saved
from tests.browser.whole_campaign import WholeCampaign, part_of
from tracks.context25.gold import evidence_claims, grounding_claims

pytestmark = [pytest.mark.browser, pytest.mark.shared, pytest.mark.slow]

# ---------------------------------------------------------------- BioGen

QUESTION = "204"  # the one with the fewest sentences and citations


def abstracts(folder: Path, place: Path) -> list[str]:
    """Write abstracts in our own words of two documents that the answers to the question cite; their PMIDs."""
    runs = (json.loads(line) for path in sorted(folder.glob("system-*.jsonl")) for line in path.open(encoding="utf-8"))
    cited = sorted(
        {
            pmid
            for run in runs
            if run["metadata"]["topic_id"] == QUESTION
            for response in run["responses"]
            for pmid in response["citations"]
        }
    )[:2]
    rows = [
        {"pmid": pmid, "title": f"A made-up trial {pmid}", "abstract": "We asked a hundred people. Most got better."}
        for pmid in cited
    ]
    place.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return cited


def judge_citation(page: Page) -> list[str]:
    """A citation whose abstract is here is supported by its second sentence; of the others nobody can say."""
    label = page.locator(".thing-label").first.inner_text()
    if page.locator("[data-text]").count() == 0 or "We asked a hundred" not in page.locator("[data-text]").inner_text():
        return ["5"]
    page.keyboard.press("v")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 1 of")
    for _ in range(10):
        if "Most got better" in page.locator("[data-did]").inner_text():
            break
        page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("[data-snippets] q")).to_have_text("Most got better.")
    picture(page, f"biogen-citation-{label.split()[1]}")
    return ["1"]


def test_biogen(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "biogen2025-runs"
    whole.load("biogen2024", folder, people=("anna",))
    pmids = abstracts(folder, tmp_path / "pubmed.jsonl")
    whole.call("load_documents", "real", str(tmp_path / "pubmed.jsonl"))
    for stage in ("answers", "sentences", "citations", "aspects"):
        whole.hand_out(QUESTION, stage, "anna")
    page = whole.open(QUESTION, "answers", "anna")
    assert grade_all(page, lambda page: ["1"], name="biogen-answers") == 5
    finish(page)
    page = whole.open(QUESTION, "sentences", "anna")
    grade_all(
        page,
        lambda page: ["1" if len(page.locator("[data-answer]").inner_text()) % 2 else "2"],
        name="biogen-sentences",
    )
    finish(page)
    page = whole.open(QUESTION, "citations", "anna")
    grade_all(page, judge_citation, name="biogen-citations")
    finish(page)
    supported = Judgment.objects.filter(criterion="support", value=4, assignment__campaign=whole.campaign)
    assert {row.item.docno for row in supported} == set(pmids)
    assert {snippet["quote"] for row in supported for snippet in row.evidence} == {"Most got better."}
    page = whole.open(QUESTION, "aspects", "anna")
    for key in ("Space", "j", "Space", "n"):  # two sentences that say the same
        page.keyboard.press(key)
    page.keyboard.type("Our own words")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_contain_text("2 required sentences in the new class 1")
    picture(page, "biogen-aspects")
    page.keyboard.press("A")  # the others stand alone
    saved(page)
    finish(page)
    assert len(list(answer_classes(Snapshot(whole.campaign)))) > 1
    whole.require_every_stage()
    scores = whole.require_equal_scores(tmp_path)
    assert {scores[run.tag, QUESTION, "accuracy"] for run in whole.campaign.runs.all()} == {1.0}


# ---------------------------------------------------------------- Context25

EVIDENCE = "dg-social-media-polarization-NTikknFZ7"  # three figures, three pages
GROUNDING = "akamatsulab-RniLbP0dj.context"  # the shortest full text
PAPER = "avinoam2015endocytic"
CLAIMS = (  # beside these two, some with figures, some with quotes, and one of each test set
    EVIDENCE,
    GROUNDING.removesuffix(".context"),
    *("akamatsulab-1YXRXmgXU", "akamatsulab-9E0jVhav_", "akamatsulab-dFhjWUgD7", "akamatsulab-3YkqDzf-k"),
)
QUOTED = "two sentences of the paper"


def page_image(folder: Path, place: Path) -> Path:
    """Draw a page of the claim's paper, none of which is among the real files, under its name."""
    claims = json.loads((folder / "task1-train-dev.json").read_bytes())
    (claim,) = [each for each in claims if each["id"] == EVIDENCE]
    drawn = place / claim["necessary_pages"][0]
    image = Image.new("RGB", (600, 800), "white")
    ImageDraw.Draw(image).text((40, 40), "FIG 3. A page drawn for a test.", fill="black")
    image.save(drawn)
    return drawn


def test_context25(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    folder = part_of(shared_data / "context25", tmp_path, {*CLAIMS, PAPER}, within=("expected",))
    whole.load("context25", folder, people=("anna",))
    whole.call("load_documents", "real", str(page_image(folder, tmp_path)))
    whole.hand_out(EVIDENCE, "figures", "anna")
    for stage in ("context", "rate-descriptions", "rate-snippets"):
        whole.hand_out(GROUNDING, stage, "anna")
    pick_figures(whole.open(EVIDENCE, "figures", "anna"))
    ground(whole.open(GROUNDING, "context", "anna"))
    page = whole.open(GROUNDING, "rate-descriptions", "anna")
    assert grade_all(page, lambda page: ["3", "2"], name="context25-descriptions") == 1
    finish(page)
    page = whole.open(GROUNDING, "rate-snippets", "anna")
    assert grade_all(page, lambda page: ["3"], name="context25-snippets") == 5
    finish(page)
    campaign = whole.campaign
    figures = evidence_claims(
        annotated_topics(Snapshot(campaign), task="evidence", kind="figure", criteria=("support",))
    )
    assert [(each.id, each.findings) for each in figures if each.is_annotated] == [(EVIDENCE, ("FIG 3", "FIG 1A"))]
    claims = {each.id: each for each in grounding_claims(annotated_topics(Snapshot(campaign), task="grounding"))}
    grounded = claims[GROUNDING.removesuffix(".context")]
    papers = json.loads((folder / "full-texts-task2-train-dev.json").read_bytes())
    assert [(entity.text, entity.kind) for entity in grounded.entities or ()] == [(QUOTED, "how")]
    (quote,) = grounded.snippets or ()
    assert quote in papers[PAPER]
    whole.require_every_stage()
    scores = whole.require_equal_scores(tmp_path)
    assert {topic for _, topic, _ in scores} > {EVIDENCE, GROUNDING, "all"}


def pick_figures(page: Page) -> None:
    expect(page.locator("body")).to_contain_text("not stored here")  # the other pages
    page.keyboard.press("i")
    page.keyboard.type("fig 3")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    page.keyboard.press("a")
    page.keyboard.type("figure 1a")
    page.keyboard.press("Enter")
    expect(page.locator(".picked-label")).to_have_text(["FIG 3", "FIG 1A"])
    saved(page)
    picture(page, "context25-figures")
    finish(page)


def ground(page: Page) -> None:
    expect(page.locator(".opened-document")).to_have_attribute("data-opened-docno", PAPER)
    page.keyboard.press("t")
    expect(page.locator("[data-did]")).to_contain_text(", likely 1 of ")
    page.keyboard.press("Home")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 1 of")
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-did]")).to_contain_text("Sentence 2 of")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_contain_text("Press n for a new")
    page.keyboard.press("n")
    page.keyboard.press("Control+a")
    page.keyboard.type(QUOTED)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("[data-did]")).to_contain_text("written")
    picture(page, "context25-context")
    freeze(page)


# ---------------------------------------------------------------- iKAT

TURN = "12-1_1"  # not judged by the organisers, and few statements
ANSWERS = ("Ask your new colleagues for help.", "A timetable may help you.")


def own_runs(folder: Path, place: Path) -> list[Path]:
    """Two runs over all turns: judged passages, where the turn has any, else passages whose text is there."""
    judged: dict[str, list[str]] = {}
    for line in (folder / "qrels.txt").read_text("utf-8").splitlines():
        turn, _, docno, _ = line.split()
        judged.setdefault(turn, []).append(docno)
    with (folder / "2023_test_topics_psg_text.jsonl").open("rb") as file:
        texts = [json.loads(next(file)) for _ in range(3)]
    known = [f"{each['doc_id']}:{each['passage_id']}" for each in texts]
    turns = [
        (f"{dialogue['number']}_{turn['turn_id']}", dialogue["ptkb"])
        for dialogue in json.loads((folder / "2023_test_topics.json").read_bytes())
        for turn in dialogue["turns"]
    ]
    paths = []
    for number, answer in enumerate(ANSWERS):
        given = [
            {
                "turn_id": turn,
                "responses": [
                    {
                        "rank": 1,
                        "text": answer,
                        "ptkb_provenance": [{"id": "6", "text": statements["6"], "score": 1.0}] if turn == TURN else [],
                        "passage_provenance": [
                            {"id": docno, "text": "", "score": 1 / place, "used": place == 1}
                            for place, docno in enumerate(judged.get(turn, known)[number : number + 5], start=1)
                        ],
                    }
                ],
            }
            for turn, statements in turns
        ]
        path = place / f"harbour_mist_{number}.json"
        path.write_text(json.dumps({"run_name": path.stem, "run_type": "automatic", "turns": given}), encoding="utf-8")
        paths.append(path)
    return paths


def test_ikat(whole: WholeCampaign, shared_data: Path, tmp_path: Path) -> None:
    folder = part_of(shared_data / "ikat2023", tmp_path, {"9-1", TURN.partition("_")[0]})
    whole.load("ikat2023", folder, people=("anna",))
    whole.submit(*own_runs(folder, tmp_path))
    for stage in ("passages", "ptkb", "responses"):
        whole.hand_out(TURN, stage, "anna")
    page = whole.open(TURN, "passages", "anna")
    assert grade_all(page, lambda page: ["4"], name="ikat-passages") == 3
    finish(page)
    page = whole.open(TURN, "ptkb", "anna")
    assert grade_all(page, statement_key, name="ikat-ptkb") == 6
    finish(page)
    page = whole.open(TURN, "responses", "anna")
    assert grade_all(page, lambda page: ["3", "2"], name="ikat-responses") == 2
    finish(page)
    whole.require_every_stage()
    scores = whole.require_equal_scores(tmp_path)
    assert scores["harbour_mist_0", TURN, "nDCG@3"] == 1.0
    assert 0 < (scores["harbour_mist_1", TURN, "nDCG@3"] or 0) < 1  # returned two of the three
    assert scores["harbour_mist_0", TURN, "response_relevance"] == 3.0


def statement_key(page: Page) -> list[str]:
    return ["1" if "teacher" in page.locator("[data-answer]").inner_text() else "0"]
