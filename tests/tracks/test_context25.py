"""Context25 beyond the conformance test: quotes, what counts as gold, both forms, BERTScore, the released data."""

from __future__ import annotations

import io
import json
import sys
import types
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assess.protocol import CheckContext, RunContent, TopicRecord
from scoring.formats.context25_claims import EvidenceClaim, read_evidence_claims
from scoring.measures.text_overlap import BERTSCORE_MODEL
from scoring.records import Issue, ItemGrade
from scoring.release.recorded_acts import NuggetWritten, Source
from tests.tracks.contents import content_of_file
from tests.tracks.context25_runs import FOLDER, TRACK, load, run, scored
from tracks.__main__ import main
from tracks.context25 import topic_context
from tracks.context25.checks import check_evidence, check_grounding
from tracks.context25.files import read_evidence_topics, read_figures, read_grounding_topics, write_evidence_topics
from tracks.context25.gold import (
    build_gold,
    evidence_claims,
    grounding_claims,
    load_gold,
    write_evidence_gold,
    write_grounding_gold,
)
from tracks.context25.scores import ndcg_name
from tracks.context25.settings import OFFICIAL, STRICT, Context25Settings

assert TRACK is not None
PAPER = "We flew two kites over the lake.\nReadings were \ufb01ne."


def topics(name: str) -> tuple[TopicRecord, ...]:
    read = read_evidence_topics if "task1" in name else read_grounding_topics
    return tuple(each for each in read(io.BytesIO((FOLDER / name).read_bytes())) if isinstance(each, TopicRecord))


# ---------------------------------------------------------------- claims and labels


def claims(*found: dict[str, Any]) -> io.BytesIO:
    pages = {"claim": "C", "dataset": "d", "necessary_pages": ["a.png", "b.png", "c.png"]}
    return io.BytesIO(json.dumps([pages | each for each in found]).encode())


def test_the_citekey_and_all_members_survive() -> None:
    """ "citekey": "banksPolarizedFeedsThreeExperiments2021" in a claim of the evidence task (Context25, Task 1)"""
    given = {"id": "c1", "citekey": "banks2021", "findings": ["FIG 6", "TAB 2"], "note": {"by": ["x"]}}
    (topic,) = [each for each in read_evidence_topics(claims(given)) if isinstance(each, TopicRecord)]
    (written,) = json.loads("\n".join(write_evidence_gold([topic])))
    assert written == {"claim": "C", "dataset": "d", "necessary_pages": ["a.png", "b.png", "c.png"], **given}
    (asked,) = json.loads("\n".join(write_evidence_topics([topic])))
    assert asked == {key: written[key] for key in ("id", "claim", "citekey", "dataset", "necessary_pages")}
    labels = [{"entity": "two kites", "type": "how", "color": ["red"]}, {"entity": "n", "type": "who"}]
    grounding = {"id": "c1", "claim": "C", "citekey": "k", "dataset": "d", "entity_labels": labels, "url": "u"}
    raw = io.BytesIO(json.dumps([grounding]).encode())
    found = [each for each in read_grounding_topics(raw) if isinstance(each, TopicRecord)]
    assert json.loads("\n".join(write_grounding_gold(found))) == [grounding]


@pytest.mark.parametrize(("pages", "warned"), [(2, True), (3, False), (4, True)])
def test_a_claim_has_three_pages(pages: int, warned: bool) -> None:
    """ "Given a scientific claim and a subset of `3` pages (as images) from the relevant research paper" (Context25)"""
    found = list(read_evidence_topics(claims({"id": "c1", "necessary_pages": [f"{n}.png" for n in range(pages)]})))
    codes = [(each.code, each.severity) for each in found if isinstance(each, Issue)]
    assert codes == ([("page-count", "warning")] if warned else [])
    assert any(isinstance(each, TopicRecord) for each in found)


@pytest.mark.parametrize("words", [("c1",), ("c1=none",), ("=first",), ("c1=first", "c1=last")])
def test_a_choice_names_a_claim_once_and_what_counts(words: tuple[str, ...]) -> None:
    assert set(Context25Settings(claims_chosen=words).problems()) == {"claims_chosen"}
    assert Context25Settings.from_mapping({"claims_chosen": "c1=first, c=2=all"}).choices == {
        "c1": "first",
        "c=2": "all",
    }


@pytest.mark.parametrize(
    ("which", "findings"), [("last", ["FIG 2"]), ("first", ["FIG 1", "TAB 1"]), ("all", ["FIG 1", "TAB 1", "FIG 2"])]
)
def test_of_a_claim_given_twice_the_organiser_chooses_the_findings(which: str, findings: list[str]) -> None:
    """ "Gold annotations for figures/tables that ground the key results behind each claim" (Context25)"""
    found = list(
        read_evidence_topics(claims({"id": "c1", "findings": ["FIG 1", "TAB 1"]}, {"id": "c1", "findings": ["FIG 2"]}))
    )
    (issue,) = [each for each in found if isinstance(each, Issue)]
    assert "FIG 1, TAB 1 there, FIG 2 here" in issue.message
    assert "claims_twice" in issue.message
    (topic,) = [each for each in found if isinstance(each, TopicRecord)]
    lines = "\n".join(write_evidence_gold([topic]))
    read = [each for each in read_evidence_claims(io.BytesIO(lines.encode())) if isinstance(each, EvidenceClaim)]
    for records in ([topic], read):
        gold = build_gold({"task1-gold.json": records}, Context25Settings(claims_twice=which), lambda issue: None)
        assert list(gold.evidence["c1"].findings or ()) == findings
        given = Context25Settings(claims_twice="last" if which != "last" else "first", claims_chosen=(f"c1={which}",))
        gold = build_gold({"task1-gold.json": records}, given, lambda issue: None)
        assert list(gold.evidence["c1"].findings or ()) == findings
        others = replace(given, claims_chosen=("c2=all",), claims_twice=which)
        gold = build_gold({"task1-gold.json": records}, others, lambda issue: None)
        assert list(gold.evidence["c1"].findings or ()) == findings
    assert "claims_chosen (c1=first)" in issue.message
    assert Context25Settings(claims_twice="none").problems() == {"claims_twice": "Write last, first or all."}


def test_of_a_claim_given_twice_all_members_and_pages_are_kept() -> None:
    """ "Given a scientific claim and a subset of 3 pages … predict … key figures or tables from those page images" """
    first = {"id": "c1", "findings": ["FIG 1"], "necessary_pages": ["a.png", "b.png", "c.png"], "note": "n", "z": 1}
    last = {"id": "c1", "findings": ["FIG 2"], "necessary_pages": ["b.png", "d.png", "e.png"], "claim": "It was."}
    raw = claims(first, {"id": "c0"}, last).getvalue()
    topics = [each for each in read_evidence_topics(io.BytesIO(raw)) if isinstance(each, TopicRecord)]
    assert [topic.number for topic in topics] == ["c1", "c0"]
    (part,) = topic_context(topics[0], ())
    assert part.lines[-1] == ("Also worded", "C")
    assert topics[0].fields["pages"] == ["b.png", "d.png", "e.png", "a.png", "c.png"]
    given = json.loads(raw)
    assert json.loads("\n".join(write_evidence_gold(topics))) == [given[0], given[2], given[1]]
    asked = json.loads("\n".join(write_evidence_topics(topics)))
    assert [each["necessary_pages"] for each in asked] == [
        each["necessary_pages"] for each in (given[0], given[2], given[1])
    ]
    assert not any({"findings", "note"} & each.keys() for each in asked)


def test_of_a_grounding_claim_given_twice_both_papers_are_shown_and_all_is_kept() -> None:
    given = [
        {
            "id": "c1",
            "claim": "It is.",
            "citekey": key,
            "context": [f"Quote {key}."],
            "dataset": "d",
            "entity_labels": [],
        }
        for key in ("old2020", "new2021")
    ]
    (topic,) = [
        each for each in read_grounding_topics(io.BytesIO(json.dumps(given).encode())) if isinstance(each, TopicRecord)
    ]
    assert topic.fields["documents"] == ["new2021", "old2020"]
    assert json.loads("\n".join(write_grounding_gold([topic]))) == given


@pytest.mark.parametrize(
    "row",
    [
        *('c1,"FIG 1, TAB 1"', 'c1, "FIG 1, TAB 1"', 'c1,"""FIG 1, TAB 1"""', "c1,'FIG 1, TAB 1'"),
        *("c1,\"'FIG 1',TAB 1\"", 'c1, "FIG 1", "TAB 1"', 'c1,"FIG 1", "TAB 1"', 'c1,"""FIG 1"", ""TAB 1"""'),
        *("c1,\"'FIG 1', 'TAB 1'\"", "c1,“FIG 1”, “TAB 1”", 'c1, "FIG 1",TAB 1', 'c1,"""FIG 1"",TAB 1"'),
        *("c1,'FIG 1', 'TAB 1'", 'c1,"""\'FIG 1\', \'TAB 1\'"""', "c1,‘FIG 1’, ‘TAB 1’"),
        *(
            "c1,\"['FIG 1', 'TAB 1']\"",
            'c1,"[""FIG 1"", ""TAB 1""]"',
            'c1,"[FIG 1,TAB 1]"',
            "c1,\"('FIG 1', 'TAB 1')\"",
        ),
    ],
)
def test_labels_in_quotes_are_read_in_the_strict_columns(row: str) -> None:
    """megacoglab-W3sdOb60i,"FIG 1, TAB 1" (Context25, Task 1): half right by the script, right by the grammar"""
    topic = TopicRecord(number="c1", task="evidence", text="C", fields={"gold": {"findings": ["FIG 1", "TAB 1"]}})
    gold = build_gold({"task1-gold.json": [topic]}, Context25Settings(), lambda issue: None)
    assert TRACK is not None
    context = CheckContext(topics=(topic,), settings=Context25Settings())
    raw = f"claimid,predictions\n{row}\n".encode()
    content = RunContent(submission=TRACK.submissions[0], open=lambda: io.BytesIO(raw), context=context)
    values = {score.measure: score.value or 0 for score in scored(gold, content) if score.topic == "all"}
    assert values[ndcg_name(STRICT, 3)] == 1
    assert values[ndcg_name(OFFICIAL, 3)] < 1
    assert [each.docno for each in read_figures(io.BytesIO(raw), context)] == ["FIG 1", "TAB 1"]
    issues = list(check_evidence(io.BytesIO(raw), context))
    assert not [each for each in issues if each.severity == "error"]
    assert {"label-quotes", "label-space"} & {each.code for each in issues}


@pytest.mark.parametrize(
    ("labels", "told"),
    [
        ("FIG 1,,TAB 1,", [("label", "A label is empty: there is a comma too many.")]),
        ("FIG\u00a01", [
            ("label-form", "In “FIG 1” stand other blanks than the one of the keyboard. Write FIG 1."),
        ]),
        ("SEC 1,SEC 1", [("label", "“SEC 1” is no label of a figure or table. Write FIG 1A, TAB 3, FIG S3D.")]),
        ("FIG 1,fig 1", [
            ("label-form", "“fig 1” is not as the official measure compares it: FIG 1."),
            ("label-twice", "FIG 1 is given twice. Take one of them out."),
        ]),
        ("FIGURE 1,TAB 1", [("label-form", "“FIGURE 1” is not as the official measure compares it: FIG 1.")]),
        ("TABLE 2", [("label-form", "“TABLE 2” is not as the official measure compares it: TAB 2.")]),
        ("FIGS. 3", [("label-form", "“FIGS. 3” is not as the official measure compares it: FIG 3.")]),
        ("FIG S3D,SUPP CAPTION FIGS5,FIG 2(E)", []),
    ],
)  # fmt: skip
def test_what_follows_from_a_broken_label_is_not_said(labels: str, told: list[tuple[str, str]]) -> None:
    context = CheckContext(topics=(), settings=Context25Settings())
    issues = list(check_evidence(io.BytesIO(f'claimid,predictions\nc1,"{labels}"\n'.encode()), context))
    assert [(each.code, each.message) for each in issues if each.code.startswith("label")] == told


@pytest.mark.parametrize("between", [";", "\t", "|"])
def test_columns_that_no_comma_parts_are_one_line(between: str) -> None:
    rows = ["claimid,predictions", 'c1,"FIG 1,TAB 1"', 'c2,"FIG 2,TAB 3"', "c3,FIG 4"]
    raw = "\n".join(row.replace(",", between, 1) for row in rows).encode()
    context = CheckContext(topics=(), settings=Context25Settings())
    (issue,) = check_evidence(io.BytesIO(raw), context)
    assert (issue.where, issue.code) == (1, "columns") and issue.message.endswith("Write commas there, on all lines.")


def test_topic_files_are_told_by_content_or_by_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """ "task1-test.json and task2-test.json … the same organizational structure" (Context25), by any name"""
    swapped, either = tmp_path / "task1.json", tmp_path / "claims.json"
    swapped.write_bytes((FOLDER / "task2-claims.json").read_bytes())
    claims_of_both = json.loads(swapped.read_bytes())
    either.write_text(json.dumps([claim | {"necessary_pages": []} for claim in claims_of_both]), encoding="utf-8")
    good = str(FOLDER / "runs" / "good" / "Dahlia.json")
    documents = ["--documents", str(FOLDER / "documents")]

    def unknown(*arguments: str) -> bool:
        main(["check", "context25", "--topics", *arguments, *documents, good])
        return "unknown-claim" in capsys.readouterr().out

    assert not unknown(str(swapped))
    assert not unknown(str(swapped), "--task", "grounding")
    assert not unknown(str(either), "--task", "grounding")
    assert unknown(str(either))


# ---------------------------------------------------------------- quotes


def quote_issues(snippets: list[str], text: str | None = PAPER) -> list[tuple[Any, str]]:
    topic = TopicRecord(number="c1.context", task="grounding", text="Claim", fields={"documents": ["okafor2021"]})
    context = CheckContext(topics=(topic,), settings=Context25Settings(), document_text=lambda _docno: text)
    file = io.BytesIO(json.dumps([{"id": "c1", "labels": ["kites"], "context": snippets}]).encode())
    return [(issue.where, issue.code) for issue in check_grounding(file, context)]


@pytest.mark.parametrize(
    "snippet", ["We flew two kites", "We flew two kites over the lake. (p. 5)", "two kites (pp. 5-6)", "were \ufb01ne."]
)
def test_verbatim_quotes_pass_with_or_without_a_page_mark(snippet: str) -> None:
    assert quote_issues([snippet]) == []


@pytest.mark.parametrize(
    ("snippet", "code"),
    [
        ("we flew two kites", "quote"),
        ("two kites (p. 5) over", "quote"),
        ("were fine.", "quote"),
        ("We flew  two kites", "quote-spacing"),
        ("lake. Readings were", "quote-spacing"),
    ],
)
def test_quotes_that_are_none_are_named_with_their_index(snippet: str, code: str) -> None:
    assert quote_issues(["two kites", snippet]) == [("$[0].context[1]", code)]


def test_a_page_alone_is_no_quote_and_empty_gold_is_said() -> None:
    """ "one or more grounding snippets from the paper … (restricted to verbatim quotes from the paper)" (Context25)"""
    answer = [{"id": "kite-7Qa2_x", "labels": ["two kites"], "context": ["(p. 5)", " (pp. 5–6)"]}]
    found = check_grounding(
        io.BytesIO(json.dumps(answer).encode()),
        CheckContext(topics=topics("task2-claims.json"), settings=Context25Settings()),
    )
    named = [(each.where, each.code) for each in found if each.code == "no-quote"]
    assert named == [("$[0].context[0]", "no-quote"), ("$[0].context[1]", "no-quote")]
    claim = {"id": "c1", "claim": "C", "citekey": "k", "dataset": "d"}
    gold = [claim | {"context": [], "entity_labels": []}, claim | {"id": "c2", "context": ["(p. 5)"]}]
    issues = [each for each in read_grounding_topics(io.BytesIO(json.dumps(gold).encode())) if isinstance(each, Issue)]
    assert [(each.where, each.code, each.severity) for each in issues] == [
        ("$[0].context", "empty-list", "warning"),
        ("$[0].entity_labels", "empty-list", "warning"),
        ("$[1].context[0]", "no-quote", "warning"),
    ]


@pytest.mark.parametrize(
    ("pages", "said"),
    [
        (["a.png"], ["There is 1 page; a claim has 3. Add what is missing, or take out what is too much."]),
        (["a.png", "b.png", "a.png"], ["a.png is named twice; it is shown once. Name the page that was meant."]),
        (["a.png", "b.png", "c.png"], []),
    ],
)
def test_pages_that_are_missing_or_named_twice_are_said(pages: list[str], said: list[str]) -> None:
    """ "Each claim corresponds to a set of 3 pages" (Context25)"""
    found = read_evidence_topics(claims({"id": "c1", "findings": ["FIG 1"], "necessary_pages": pages}))
    assert [each.message for each in found if isinstance(each, Issue)] == said


def test_quotes_without_a_paper_are_counted_once() -> None:
    assert quote_issues(["a", "b"], text=None) == [("", "no-full-text")]


# ---------------------------------------------------------------- gold


def test_gold_is_nothing_that_assessors_see() -> None:
    assert TRACK is not None and TRACK.context is not None
    for topic in (*topics("task1-claims.json"), *topics("task2-claims.json")):
        shown = " ".join(text for part in TRACK.context(topic, ()) for _, text in part.lines)
        gold = topic.fields.get("gold", {})
        entities = [entity["entity"] for entity in gold.get("entity_labels", ())]
        assert not any(text in shown for text in (*gold.get("findings", ()), *gold.get("context", ()), *entities))


def test_a_claim_of_both_tasks_is_two_topics() -> None:
    numbers = [topic.number for topic in (*topics("task1-claims.json"), *topics("task2-claims.json"))]
    assert len(set(numbers)) == len(numbers)
    assert {"kite-7Qa2_x", "kite-7Qa2_x.context"} <= set(numbers)


def picked(label: str, place: int | None, role: str = "") -> ItemGrade:
    return ItemGrade(
        topic="kite-7Qa2_x", kind="figure", key=label, text=label, criterion="support", value=place, role=role
    )


def test_what_was_picked_takes_the_place_of_what_was_released() -> None:
    topic = topics("task1-claims.json")[0]
    (claim,) = evidence_claims([topic, picked("FIG 2", 2), picked("FIG 1A", 1)])
    assert (claim.findings, claim.is_annotated) == (("FIG 1A", "FIG 2"), True)
    (claim,) = evidence_claims([topic])
    assert (claim.findings, claim.is_annotated) == (("FIG 1B",), False)


def test_an_adjudicators_list_counts_as_a_whole() -> None:
    picks = [picked("FIG 2", 1), picked("FIG 1A", 2), picked("TAB 1", 1, "adjudicator")]
    (claim,) = evidence_claims([topics("task1-claims.json")[0], *picks])
    assert claim.findings == ("TAB 1",)


def test_descriptions_with_quotes_take_the_place_of_what_was_released() -> None:
    topic = topics("task2-claims.json")[0]
    sources = (Source(docno="okafor2021kites", quote="two kites"), Source(docno="okafor2021kites", quote="24 days"))
    written = [
        NuggetWritten(
            by="a", topic=topic.number, number=number, importance="okay", text=text, group="what", sources=sources
        )
        for number, text in ((2, "second"), (1, "first"))
    ]
    (claim,) = grounding_claims([topic, *written])
    assert claim.snippets == ("two kites", "24 days")
    assert [(entity.text, entity.kind) for entity in claim.entities or ()] == [("first", "what"), ("second", "what")]


def test_nothing_to_score_is_said() -> None:
    issues: list[Issue] = []
    build_gold({}, Context25Settings(), issues.append)
    assert [issue.code for issue in issues] == ["no-gold"]


# ---------------------------------------------------------------- scores


def test_the_mode_chooses_the_form() -> None:
    gold, content = load("task1-claims.json"), run("Bobbin.csv")
    both = {score.measure for score in scored(gold, content)}
    strict = {score.measure for score in scored(gold, content, Context25Settings(mode="strict"))}
    official = {score.measure for score in scored(gold, content, Context25Settings(mode="official"))}
    assert strict == {"NDCG@3_strict", "NDCG@5_strict", "answered"}
    assert official == {"NDCG@3", "NDCG@5", "answered"}
    assert both == strict | official


def test_claims_left_out_cost_in_the_strict_form_alone() -> None:
    counts = {
        score.measure: score.topics
        for score in scored(load("task1-claims.json"), run("Cobalt.csv"))
        if score.topic == "all"
    }
    assert (counts["NDCG@3"], counts["NDCG@3_strict"]) == (3, 5)


def test_a_run_has_the_columns_of_its_own_task() -> None:
    gold = load("task1-claims.json", "task2-claims.json")
    assert {score.measure for score in scored(gold, run("Dahlia.json"))} & {"NDCG@3", "NDCG@3_strict"} == set()


def test_empty_lists_are_zero() -> None:
    values = {
        (score.topic, score.measure): score.value for score in scored(load("task2-claims.json"), run("Fathom.json"))
    }
    assert values["bread-3Xc8.context", "descriptions_ROUGE-1"] == 0.0
    assert values["quiz-4Kd5.context", "descriptions_ROUGE-1"] is None  # no gold description


def test_bertscore_is_a_column_where_there_is_a_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def score(candidates: list[str], _references: list[str], **_how: Any) -> Any:
        return (None, None, [0.25] * len(candidates))

    module = types.ModuleType("bert_score")
    module.score = score  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "bert_score", module)
    monkeypatch.setenv(BERTSCORE_MODEL, str(tmp_path))
    gold = load("task2-claims.json")
    values = {s.measure: s.value for s in scored(gold, run("Dahlia.json")) if s.topic == "all"}
    assert values["snippets_BERTScore"] == 0.25
    monkeypatch.delenv(BERTSCORE_MODEL)
    assert not [s for s in scored(gold, run("Dahlia.json")) if "BERTScore" in s.measure]


# ---------------------------------------------------------------- the released data


@pytest.mark.shared
def test_all_released_claims_come_out_of_the_topics(shared_data: Path) -> None:
    """ "The full training dataset of 459 claims are in task1-train-dev.json" (Context25)"""
    given = json.loads((shared_data / "context25" / "task1-train-dev.json").read_bytes())
    found = list(read_evidence_topics(io.BytesIO(json.dumps(given).encode())))
    topics = [each for each in found if isinstance(each, TopicRecord)]
    written = json.loads("\n".join(write_evidence_gold(topics)))
    assert (len(topics), len(written)) == (441, 459)
    assert sorted(map(json.dumps, written)) == sorted(map(json.dumps, given))


@pytest.mark.shared
def test_the_command_gives_the_scripts_means(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared_data / "context25"
    runs = [str(folder / "expected" / f"{name}.csv") for name in ("gold_nospace", "half_missing")]
    gold = str(folder / "task1-train-dev.json")
    command = ["score", "context25", "--task", "evidence", "--set", "mode=official", "--gold", gold, "--run", *runs]
    assert main(command) == 0
    means = [line for line in capsys.readouterr().out.splitlines() if "\tall\tNDCG" in line]
    assert means == [
        "gold_nospace\tall\tNDCG@3\t0.879921",
        "gold_nospace\tall\tNDCG@5\t0.863590",
        "half_missing\tall\tNDCG@3\t0.781102",
        "half_missing\tall\tNDCG@5\t0.766280",
    ]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("made", "expected"), [("gold", "gold_as_pred"), ("twice", "dup_first_gold_twice"), ("half", "even_half_of_gold")]
)
def test_rouge_of_made_up_answers_is_the_scripts(shared_data: Path, tmp_path: Path, made: str, expected: str) -> None:
    assert TRACK is not None
    folder = shared_data / "context25"
    answers = [
        {"id": claim["id"], "context": claim["context"], "labels": [each["entity"] for each in claim["entity_labels"]]}
        for claim in json.loads((folder / "task2-train-dev.json").read_bytes())
    ]
    if made == "twice":
        answers = [answer | {"context": answer["context"][:1] * 2} for answer in answers]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(answers[::2] if made == "half" else answers), encoding="utf-8")
    gold = load_gold({"task2.json": folder / "task2-train-dev.json"}, Context25Settings(), lambda _issue: None)
    content = content_of_file(TRACK.submissions[1], path, Context25Settings())
    values = {s.measure: s.value for s in scored(gold, content) if s.topic == "all"}
    official = json.loads((folder / "expected" / "task2_rouge_expected.json").read_bytes())[expected]
    found = {name: values["snippets_" + name.replace("rouge", "ROUGE-")] for name in official}
    assert found == pytest.approx(official, abs=5e-7)
