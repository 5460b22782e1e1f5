"""Ad hoc retrieval: values worked out by hand, trec_eval's own outputs, published judgments."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from assess.models import Campaign, Judgment
from assess.protocol import CheckContext, TopicRecord
from scoring.records import Issue
from scoring.release.recorded_acts import Judged
from tests.assess.commands import run_command
from tests.tracks import track_folder
from tests.tracks.contents import content_of_file
from tracks import ADHOC as TRACK
from tracks.__main__ import main

AdhocSettings = TRACK.settings
DATA = Path(__file__).parent.parent / "data" / "tracks" / "adhoc"
SAME = {
    "nDCG@10": "ndcg_cut_10", "nDCG": "ndcg", "AP": "map", "P@5": "P_5", "P@10": "P_10", "RR": "recip_rank",
    "Rprec": "Rprec", "R@100": "recall_100", "R@1000": "recall_1000", "Bpref": "bpref", "infAP": "infAP",
}  # fmt: skip


def fail(issue: Issue) -> None:
    raise AssertionError(issue)


def values(run: str, **settings: object) -> dict[tuple[str, str], float | None]:
    chosen = AdhocSettings.from_mapping(settings)
    gold = TRACK.scoring.load({"qrels.txt": DATA / "expected" / "qrels.txt"}, chosen, fail)
    content = content_of_file(TRACK.submissions[0], DATA / "runs" / "good" / f"{run}.txt", chosen)
    return {(score.topic, score.measure): score.value for score in TRACK.scoring.score(gold, run, content, chosen)}


def test_values_worked_out_by_hand() -> None:
    found = values("oak")  # topic 1: HIVE-02 2, HIVE-05 0 and HIVE-03 0 (tied: the later docno first), HIVE-01 3
    gain = 2 + 3 / math.log2(5)
    ideal = 3 + 2 / math.log2(3) + 2 / math.log2(4)
    assert found["1", "nDCG@10"] == pytest.approx(gain / ideal)
    assert found["1", "AP"] == pytest.approx((1 / 1 + 2 / 4) / 3)
    assert (found["1", "P@5"], found["1", "RR"], found["1", "Judged@10"]) == (2 / 5, 1.0, 1.0)
    assert found["3", "nDCG@10"] == pytest.approx((3 / math.log2(3)) / (3 + 2 / math.log2(3)))
    assert ("4", "AP") not in found, "nothing of topic 4 is judged"


def test_documents_without_a_grade_are_not_judged() -> None:
    assert values("willow")["3", "Judged@10"] == 0.5  # BREAD-04 is pooled and has no grade


def test_a_run_of_other_ids_is_scored_with_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = str(DATA / "expected" / "qrels.txt"), tmp_path / "run.txt"
    call = ["score", "adhoc", "--gold", qrels, "--run", str(run)]
    run.write_text("1 Q0 HIVE-01#0 1 2 elm\n9 Q0 HIVE-01 2 1 elm\n")
    assert main(call) == 0
    said = capsys.readouterr()
    assert "elm\tall\tAP\t0.000000" in said.out
    assert [line.split("\t")[2:] for line in said.err.splitlines() if "none-judged" in line] == [
        ["warning", "none-judged", "No document of this run is judged: are these the same ids? For topic 1 the run has "
         "HIVE-01#0, and the judgments have HIVE-01."],
    ]  # fmt: skip
    run.write_text("1 Q0 HIVE-01#0 1 2 elm\n1 Q0 HIVE-01 2 1 elm\n")
    assert main(call) == 0
    assert "none-judged" not in capsys.readouterr().err


def test_lowest_relevant_grade_is_a_setting() -> None:
    assert values("maple", relevant_from=2)["2", "P@10"] == 2 / 10
    assert values("maple")["2", "P@10"] == 4 / 10


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        ({"highest_grade": 5}, "highest_grade"),
        ({"relevant_from": 4}, "relevant_from"),
        ({"pool_depth": 0}, "pool_depth"),
    ],
)
def test_settings_that_cannot_be_used_are_named(settings: dict[str, int], field: str) -> None:
    assert list(AdhocSettings(**settings).problems()) == [field]


@pytest.mark.parametrize("highest", [1, 2, 3, 4])
def test_one_scale_is_asked(highest: int) -> None:
    settings = AdhocSettings(highest_grade=highest)
    (stage,) = TRACK.tasks[0].stages
    (criterion,) = stage.criteria
    assert criterion.is_asked(settings)
    assert [grade.value for grade in criterion.with_scale(settings).grades] == list(range(highest + 1))


def acts(text: str, tmp_path: Path, name: str = "qrels.txt", **settings: int) -> list[object]:
    (tmp_path / name).write_text(text)
    topics = (TopicRecord(number="1", task="ranking", text="bees"),)
    context = CheckContext(topics=topics, settings=AdhocSettings(**settings))
    (qrels,) = TRACK.judgment_files
    return list(qrels.read([tmp_path / name], context))


def test_iteration_is_kept_in_the_note(tmp_path: Path) -> None:
    found = acts("1 0 a 1\n\n1 Q0 b 3\n1 2 c -1\n", tmp_path)
    assert [(place, act.docno, act.value, act.note) for place, act in found] == [  # type: ignore[misc]
        ("qrels.txt:1", "a", 1, ""),
        ("qrels.txt:3", "b", 3, "iteration Q0"),
    ]


@pytest.mark.parametrize(
    ("name", "role"), [("qrels.txt", ""), ("qrels.second.txt", "second"), ("a-umbrela.qrels", "second")]
)
def test_second_judge_is_known_by_the_files_name(tmp_path: Path, name: str, role: str) -> None:
    ((_, act),) = acts("1 0 a 1\n", tmp_path, name)  # type: ignore[misc]
    assert isinstance(act, Judged)
    assert act.role == role


def test_grades_beyond_the_scale_are_issues(tmp_path: Path) -> None:
    (issue,) = acts("1 0 a 4\n", tmp_path)
    assert isinstance(issue, Issue)
    assert (issue.where, issue.code) == ("qrels.txt:1", "grade")
    assert len(acts("1 0 a 4\n", tmp_path, highest_grade=4)) == 1


@pytest.mark.parametrize(("grade", "highest", "code"), [(4, 3, 1), (4, 4, 0), (-2, 3, 1), (2, 1, 1), (-1, 1, 0)])
def test_grades_beyond_the_scale_are_not_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], grade: int, highest: int, code: int
) -> None:
    """The command refuses them as the site does, since it would give values that no campaign gives."""
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(f"1 0 HIVE-01 {grade}\n1 0 HIVE-02 {grade}\n1 0 HIVE-03 1\n")
    run.write_text("1 Q0 HIVE-01 1 2 elm\n")
    settings = ["--set", f"highest_grade={highest}"]
    assert main(["score", "adhoc", "--gold", str(qrels), "--run", str(run), *settings]) == code
    said = capsys.readouterr()
    assert (said.out == "", said.err.count(f"{grade} is no grade here; the scale is 0 to {highest}")) == (
        bool(code),
        code,
    )


def test_a_line_that_is_too_long_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("1 Q0 HIVE-01 1 2 elm\n1 Q0 " + "x" * 1_100_000 + " 2 1 elm\n")
    with path.open("rb") as file:
        issues = list(TRACK.submissions[0].check(file, CheckContext(topics=(), settings=AdhocSettings())))
    assert [(issue.where, issue.code) for issue in issues] == [(1, "unknown-topic"), (2, "line-too-long")]


# ---------------------------------------------------------------- real data


@pytest.mark.shared
@pytest.mark.parametrize(
    ("golden", "qrels", "options"),
    [
        ("out.test.aq", "qrels.test", ["all_topics=no"]),
        ("out.test.aql", "qrels.rel_level", ["all_topics=no", "relevant_from=2", "highest_grade=4"]),
    ],
)
def test_scores_are_those_of_trec_eval(
    shared_data: Path, capsys: pytest.CaptureFixture[str], golden: str, qrels: str, options: list[str]
) -> None:
    folder = shared_data / "trec_eval"
    settings = [word for option in options for word in ("--set", option)]
    run, gold = str(folder / "results.test"), str(folder / qrels)
    assert main(["score", "adhoc", "--gold", gold, "--run", run, *settings]) == 0
    truth = {tuple(row[:2]): row[2] for row in (line.split() for line in (folder / golden).read_text().splitlines())}
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    compared = [
        (topic, measure, f"{float(value):.4f}", truth[SAME[measure], topic])
        for _, topic, measure, value in rows
        if measure in SAME
    ]
    assert len(compared) == 4 * len(SAME)  # three topics and their mean
    assert [row for row in compared if row[2] != row[3]] == []


@pytest.mark.shared
@pytest.mark.django_db
def test_published_judgments_load_and_come_out_unchanged(shared_data: Path, organiser: User, tmp_path: Path) -> None:
    for name in ("qrels.rag25.test.txt", "qrels.rag25.test-umbrela2.txt"):
        (tmp_path / name).write_bytes((shared_data / "rag25-qrels" / name).read_bytes())
    topics = shared_data / "rag25-nuggets" / "rag25-topics-dev.tsv"
    (tmp_path / topics.name).write_bytes(topics.read_bytes())
    call_command(
        "load_campaign", str(tmp_path), track="adhoc", slug="rag25", organiser=organiser.username,
        set=[("highest_grade", "4")],
    )  # fmt: skip
    campaign = Campaign.objects.get(slug="rag25")
    counts = Counter(Judgment.objects.values_list("assignment__role", flat=True))
    assert counts == {"primary": 10_284, "second": 10_284}
    written = track_folder.exported(campaign, organiser=organiser)["qrels.txt"]
    truth = (shared_data / "rag25-qrels" / "qrels.rag25.test.txt").read_bytes()
    assert sorted(written.splitlines()) == sorted(truth.splitlines())


@pytest.mark.django_db
def test_an_empty_file_of_judgments_in_a_folder_is_named(organiser: User, tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("1\twhy\n")
    (tmp_path / "qrels.txt").write_text("")
    status, _, said = run_command("load_campaign", tmp_path, "--track=adhoc", "--slug=x", "--organiser=organiser")
    assert (status, "qrels.txt" in said, "The file is empty: it holds no judgments." in said) == (0, True, True)


def test_the_title_of_a_topic_is_called_so_where_it_is_amended() -> None:
    topic = TopicRecord(number="1", task="ranking", text="hives", fields={"narrative": "Bees."})
    assert TRACK.wordings is not None
    assert [(each.key, each.label, each.text) for each in TRACK.wordings(topic, ())] == [
        ("text", "Title", "hives"),
        ("narrative", "Narrative", "Bees."),
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["1 Q0 b 1 2 T", "1 Q0 a 2 3 T", "1 Q0 c 3 2.0 T", "2 Q0 x 1 1 T"],
        ["1 Q0 a 1 1.00000001 T", "1 Q0 b 2 1.00000002 T"],
        ["2 Q0 a 1 3 T", "1 Q0 a 1 3 T", "2 Q0 b 2 4 T"],
        ["1 Q0 a 1 3 T", "1 Q0 a 2 2 T", "1 Q0 b 2 x T", "1 Q0 c 3 9 T", "1 Q0 d 4 1 U"],
        [],
    ],
    ids=["ties", "double precision", "topics that come again", "lines that are none", "empty"],
)
def test_rankings_are_the_lines_best_first(tmp_path: Path, lines: list[str]) -> None:
    (tmp_path / "run").write_text("".join(f"{line}\n" for line in lines))
    content = content_of_file(TRACK.submissions[0], tmp_path / "run", AdhocSettings())
    wanted: dict[str, list[tuple[str, float]]] = {}
    for line in content.ranking("document"):
        wanted.setdefault(line.topic, []).append((line.docno, line.score))
    assert {topic: list(scores.items()) for topic, scores in content.rankings("document").items()} == wanted
    assert content.rankings("nugget") == {}
