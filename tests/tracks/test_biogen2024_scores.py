from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from assess.protocol import RunContent, TopicRecord
from scoring.folding import answer_key
from scoring.formats.answer_clusters import NAMES, AnswerCluster
from scoring.records import AnswerClass, InstanceJudgment, Issue, ItemGrade, ReturnedSegment
from tests.tracks.contents import content_of_file
from tracks.__main__ import main
from tracks.biogen2024 import TRACK
from tracks.biogen2024.exports import write_clusters
from tracks.biogen2024.gold import Gold, build_gold, load_gold
from tracks.biogen2024.published_judgments import overall, write_assessments
from tracks.biogen2024.question_scores import CLUSTER_MEASURES
from tracks.biogen2024.scores import KEYS, clustered_runs, score_run
from tracks.biogen2024.settings import BioGenSettings

FOLDER = Path(__file__).parent.parent / "data" / "tracks" / "biogen2024"
SETTINGS = BioGenSettings()
TOPICS = [TopicRecord(number=number, task="question", text="Does rest help?") for number in "12"]


def run(*lines: tuple[str, list[tuple[str, list[str]]]]) -> RunContent:
    """A run in the form of 2025: (topic, [(sentence, PMIDs)])."""
    raw = b"".join(
        json.dumps(
            {
                "metadata": {"team_id": "Heath", "run_id": "Kite", "topic_id": topic},
                "responses": [{"text": text, "citations": cited} for text, cited in sentences],
            }
        ).encode()
        + b"\n"
        for topic, sentences in lines
    )
    content = content_of_file(TRACK.submissions[0], FOLDER, SETTINGS)
    return RunContent(submission=content.submission, open=lambda: io.BytesIO(raw), context=content.context)


def grade(topic: str, criterion: str, text: str, value: int | None, docno: str = "", *snippets: int) -> ItemGrade:
    evidence = tuple({"quote": "…", "value": snippet} for snippet in snippets)
    kind = {"accuracy": "answer", "necessity": "sentence", "support": "citation"}[criterion]
    return ItemGrade(
        topic=topic, kind=kind, key=answer_key(text, docno), criterion=criterion, value=value, docno=docno, text=text,
        evidence=evidence,
    )  # fmt: skip


def aspect(topic: str, key: str, text: str) -> InstanceJudgment:
    return InstanceJudgment(topic=topic, docno="", text=text, correctness=3, answer_class=key)


def gold(issues: list[Issue] | None = None, **records: Iterable[Any]) -> Gold:
    names = {"answers": "answers.jsonl", "sentences": "sentences.jsonl", "citations": "citations.jsonl"}
    names |= {"aspects": "aspects.tsv", "classes": "answer-classes.tsv", "clusters": "clusters.json"}
    given = {names[name]: found for name, found in records.items()}
    reported: list[Issue] = []
    built = build_gold({"topics.jsonl": TOPICS} | given, SETTINGS, reported.append)
    assert issues is not None or reported == []
    if issues is not None:
        issues.extend(reported)
    return built


def values(of: Gold, content: RunContent | None, name: str = "Kite") -> dict[tuple[str, str], float | None]:
    return {(score.topic, score.measure): score.value for score in score_run(of, name, content, SETTINGS)}


# ---------------------------------------------------------------- single rules


def test_a_measure_whose_stage_nobody_began_has_no_value() -> None:
    found = values(gold(answers=[grade("1", "accuracy", "Rest helps.", 1)]), run(("1", [("Rest helps.", [])])))
    assert found == {("1", "accuracy"): 1, ("1", "unjudged"): 0, ("all", "accuracy"): 1, ("all", "unjudged"): 0}


def test_a_question_left_out_scores_0_in_all_that_is_defined() -> None:
    judged = gold(
        answers=[grade("2", "accuracy", "Rest helps.", 1)],
        sentences=[grade("2", "necessity", "Rest helps.", 3)],
        citations=[grade("2", "support", "Rest helps.", 4, "11")],
        aspects=[aspect("2", "1", "Rest helps.")],
    )
    found = values(judged, run(("1", [("Rest helps.", ["11"])])))
    assert {measure: value for (topic, measure), value in found.items() if topic == "2"} == dict.fromkeys(
        ["accuracy", "recall", "recall_supported", "precision", "redundancy", "harmfulness", "coverage", "support",
         "contradict", "doc_recall", "doc_precision", "unjudged"],
        0.0,
    )  # fmt: skip


def test_unjudged_sentences_and_citations_stay_in_the_denominators() -> None:
    judged = gold(
        sentences=[grade("1", "necessity", "Rest helps.", 3), grade("1", "necessity", "Ice helps.", None)],
        citations=[grade("1", "support", "Rest helps.", 4, "11")],
    )
    found = values(judged, run(("1", [("Rest helps.", ["11", "12"]), ("Ice helps.", [])])))
    assert (found["1", "precision"], found["1", "coverage"], found["1", "support"]) == (0.5, 0.5, 0.5)
    assert found["1", "unjudged"] == 2


def test_snippets_of_two_kinds_make_a_citation_count_twice() -> None:
    judged = gold(citations=[grade("1", "support", "Rest helps.", 3, "11", 4, 3)])
    found = values(judged, run(("1", [("Rest helps.", ["11"])])))
    assert (found["1", "support"], found["1", "contradict"], found["1", "coverage"]) == (1, 1, 1)


def test_recall_is_over_the_groups_and_undefined_without_one() -> None:
    sentences = [grade("1", "necessity", text, 3) for text in ("Rest helps.", "Ice helps.", "Walk soon.")]
    content = run(("1", [("Rest helps.", ["12"]), ("Ice helps.", ["11"])]))
    bare = values(gold(sentences=sentences), content)
    assert (bare["1", "recall"], bare["all", "recall"]) == (None, None)
    judged = gold(
        sentences=sentences,
        citations=[grade("1", "support", "Rest helps.", 4, "11"), grade("1", "support", "Ice helps.", 4, "11")],
        aspects=[aspect("1", "1", "Rest helps."), aspect("1", "2", "Ice helps."), aspect("1", "3", "Walk soon.")],
    )
    found = values(judged, content)
    assert found["1", "recall"] == pytest.approx(2 / 3)
    assert found["1", "recall_supported"] == 0.5  # two aspects are supported by anybody; 12 does not support the first


def test_the_pool_of_relevant_documents_is_that_of_all_runs() -> None:
    judged = gold(
        citations=[
            grade("1", "support", "Rest helps.", 4, "11"),
            grade("1", "support", "Ice helps.", 2, "12"),
            grade("1", "support", "Ice helps.", 1, "13"),
            grade("1", "support", "Walk soon.", 3, "14"),
        ]
    )
    found = values(judged, run(("1", [("Rest helps.", ["11"]), ("Ice helps.", ["13"])])))
    assert (found["1", "doc_recall"], found["1", "doc_precision"]) == (pytest.approx(1 / 3), 0.5)


def test_what_fits_nowhere_is_reported() -> None:
    issues: list[Issue] = []
    gold(
        issues,
        answers=[grade("7", "accuracy", "Rest helps.", 1)],
        sentences=[grade("1", "necessity", "Rest helps.", 9)],
        classes=[AnswerClass(topic="8", key="1", label="Rest")],
        clusters=[AnswerCluster(topic="9", strictness="required", cluster="0", sentences=(("M1", "1"),))],
    )
    assert [issue.code for issue in issues] == ["unknown-topic", "unknown-grade", "unknown-topic", "unknown-topic"]
    assert [issue.severity for issue in issues] == ["error", "error", "error", "warning"]


def test_a_citation_contradicts_where_any_snippet_does() -> None:
    assert overall(["supporting", "contradicting"]) == 3
    assert overall(["not relevant", "supporting", "neutral"]) == 4
    assert overall(["invalid citation"]) == 0


# ---------------------------------------------------------------- cluster files


def test_cluster_files_score_the_runs_that_they_name() -> None:
    clusters = [
        AnswerCluster(topic="1", strictness="required", cluster=str(number), sentences=((name, "1"),))
        for number, name in enumerate(["M10", "M2", "M2", "M2"])
    ]
    judged = gold(clusters=clusters)
    assert clustered_runs(judged) == ["M2", "M10"]
    assert values(judged, None, "M2") == {("1", "cluster_recall"): 0.75, ("all", "cluster_recall"): 0.75}
    assert values(judged, None, "nobody")["all", "cluster_recall"] == 0


def test_two_cluster_files_are_one_too_many(tmp_path: Path) -> None:
    files = {}
    for name in ("clusters_a.json", "clusters_b.json"):
        files[name] = tmp_path / name
        files[name].write_text("{}")
    issues: list[Issue] = []
    load_gold(files, SETTINGS, issues.append)
    assert [issue.code for issue in issues] == ["file-twice", "no-topics"]


def test_a_file_that_is_there_packed_as_well_is_one_too_many(tmp_path: Path) -> None:
    files = {name: tmp_path / name for name in ("topics.jsonl", "answers.jsonl", "answers.jsonl.gz")}
    for path in files.values():
        path.write_text("")
    issues: list[Issue] = []
    load_gold(files, SETTINGS, issues.append)
    assert ("file-twice", "answers.jsonl.gz: There are two files of answers.jsonl; give one.") in [
        (issue.code, issue.message) for issue in issues
    ]


@pytest.mark.shared
def test_expected_recalls_of_real_clusters_come_out(shared_data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shared_data / "biogen2024"
    expected = json.loads((folder / "expected_recall_M1-M15.json").read_text())["recall"]
    assert main(["score", "biogen2024", "--gold", str(folder / "clusters_sentence_transformers.json")]) == 0
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    means = {(name, measure): float(value) for name, topic, measure, value in rows if topic == "all"}
    wanted = {
        (name, measure): value
        for measure, strictness in CLUSTER_MEASURES.items()
        for name, value in expected[NAMES[strictness]].items()
    }
    assert len(wanted) == 45
    assert {key: round(means[key] * 100, 2) for key in wanted} == wanted
    assert {name for name, _ in means} == {f"M{number}" for number in range(1, 31)}


# ---------------------------------------------------------------- the campaign in small, by the organisers' own rules


def organisers_values(assessments: list[dict[str, Any]], name: str) -> dict[str, Fraction]:
    """The means of one run, computed from the assessment file as the organisers' script does."""

    def share(count: float, total: float) -> Fraction:
        return Fraction(int(count), int(total)) if total else Fraction(0)

    sums: dict[str, Fraction] = {}
    for question in assessments:
        answers = question["machine_generated_answers"]
        pool = {row["cited_pmid"] for answer in answers.values() for row in _relevant(answer)}
        answer = answers.get(name, {"is_answer_accurate": "no", "answer_sentences": []})
        sentences = answer["answer_sentences"]
        rows = [each["citation_assessment"] or [] for each in sentences]

        def with_relation(found: list[dict[str, str]], relation: str) -> set[str]:
            return {row["cited_pmid"] for row in found if row["evidence_relation"] == relation}

        cited = sum(len({row["cited_pmid"] for row in each}) for each in rows)
        relevant = {row["cited_pmid"] for row in _relevant(answer)}
        labels = [each["answer_sentence_relevance"] for each in sentences]
        values = {
            "accuracy": Fraction(answer["is_answer_accurate"] == "yes"),
            "precision": share(labels.count("required"), len(labels)),
            "redundancy": share(labels.count("unnecessary"), len(labels)),
            "harmfulness": share(labels.count("inappropriate"), len(labels)),
            "coverage": share(sum(bool(with_relation(each, "supporting")) for each in rows), len(rows)),
            "support": share(sum(len(with_relation(each, "supporting")) for each in rows), cited),
            "contradict": share(sum(len(with_relation(each, "contradicting")) for each in rows), cited),
            "doc_recall": share(len(relevant), len(pool)),
            "doc_precision": share(len(relevant), len({row["cited_pmid"] for each in rows for row in each})),
        }
        for measure, value in values.items():
            sums[measure] = sums.get(measure, Fraction(0)) + value
    return {measure: value / len(assessments) for measure, value in sums.items()}


def _relevant(answer: Mapping[str, Any]) -> list[dict[str, str]]:
    relations = ("supporting", "contradicting", "neutral")
    rows = [row for sentence in answer["answer_sentences"] for row in sentence["citation_assessment"] or []]
    return [row for row in rows if row["evidence_relation"] in relations]


@pytest.mark.parametrize("name", ["Heron", "Ibis", "Kestrel", "Lapwing"])
def test_scores_are_those_of_the_organisers_rules(name: str) -> None:
    assessments = json.loads((FOLDER / "expected" / "assessments.json").read_text())
    rows = [line.split("\t") for line in (FOLDER / "expected" / "scores.tsv").read_text().splitlines()]
    means = {measure: value for run_name, topic, measure, value in rows if (run_name, topic) == (name, "all")}
    for measure, value in organisers_values(assessments, name).items():
        assert means[measure] == f"{float(value):.6f}", measure


def test_the_campaigns_own_clusters_give_the_same_recall() -> None:
    def scores(*names: str) -> dict[tuple[str, str], float | None]:
        issues: list[Issue] = []
        judged = load_gold({each: FOLDER / "expected" / each for each in names}, SETTINGS, issues.append)
        assert issues == []
        path = FOLDER / "runs" / "good" / "Heron.json"
        return values(judged, content_of_file(TRACK.submissions[0], path, SETTINGS), "Heron")

    by_aspects = scores("topics.jsonl", "sentences.jsonl", "citations.jsonl", "aspects.tsv")
    by_clusters = scores("topics.json", "clusters.json")
    for measure in ("recall", "recall_supported"):
        assert by_clusters["all", f"cluster_{measure}"] == by_aspects["all", measure]


# ---------------------------------------------------------------- files written from a campaign


def segment(name: str, ordinal: int, text: str, *cited: str) -> ReturnedSegment:
    return ReturnedSegment(
        run=name, topic="1", ordinal=ordinal, text=text, kind="sentence", key=answer_key(text, ""),
        citations=tuple((docno, "citation", answer_key(text, docno)) for docno in cited), response_key="whole",
    )  # fmt: skip


def test_what_nobody_judged_is_null_in_an_assessment_file() -> None:
    records = [*TOPICS, segment("Kite", 1, "Rest helps.", "11", "12"), segment("Kite", 2, "Walk.")]
    records += [grade("1", "support", "Rest helps.", 4, "11", 2)]  # type: ignore[list-item]
    (question,) = json.loads("\n".join(write_assessments(records)))
    answer = question["machine_generated_answers"]["Kite"]
    assert (answer["answer"], answer["is_answer_accurate"]) == ("Rest helps [11, 12]. Walk.", None)
    first, second = answer["answer_sentences"]
    assert (second["answer_sentence_relevance"], second["citation_assessment"]) == (None, None)
    names = ("cited_pmid", "evidence_relation", "evidence_support")
    assert [tuple(row[name] for name in names) for row in first["citation_assessment"]] == [
        ("11", "supporting", ""),  # the grade, since no snippet has it
        ("11", "neutral", "…"),
        ("12", None, ""),
    ]  # fmt: skip


def test_supported_clusters_hold_sentences_that_their_own_citations_support() -> None:
    records: list[object] = [segment("Kite", 1, "Rest helps.", "11"), segment("Wren", 1, "Rest helps.", "12")]
    records += [grade("1", "support", "Rest helps.", 4, "11"), grade("1", "support", "Rest helps.", 2, "12")]
    records += [aspect("1", "5", "Rest helps.")]
    assert json.loads("\n".join(write_clusters(records))) == {
        "1": {
            NAMES["supported"]: {"5": [{"answer_sentence_id": "Kite-1"}]},
            NAMES["required"]: {"5": [{"answer_sentence_id": "Kite-1"}, {"answer_sentence_id": "Wren-1"}]},
        }
    }


def test_every_value_can_be_explained_and_nothing_else() -> None:
    report: Callable[[Issue], None] = lambda issue: pytest.fail(issue.message)  # noqa: E731
    names = ("topics.jsonl", "answers.jsonl", "sentences.jsonl", "citations.jsonl", "aspects.tsv", "answer-classes.tsv")
    judged = load_gold({name: FOLDER / "expected" / name for name in names}, SETTINGS, report)
    content = content_of_file(TRACK.submissions[0], FOLDER / "runs" / "good" / "Ibis.json", SETTINGS)
    explain = TRACK.scoring.explain(judged, "Ibis", content, SETTINGS)
    for score in score_run(judged, "Ibis", content, SETTINGS):
        explanation = explain(score.topic, score.measure)
        assert explanation is not None
        assert explanation.value == score.value
        assert explanation.steps
    assert explain("999", "accuracy") is None
    assert explain("all", "cluster_recall") is None
    assert {column.key for column in TRACK.scoring.measures} == set(KEYS)
