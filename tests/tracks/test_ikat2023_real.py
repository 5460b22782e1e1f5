"""The released files of iKAT 2023: verdicts of the checker, official files in and out, trec_eval, agreement."""

from __future__ import annotations

import io
import json
import os
from collections import Counter
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest

from assess.analysis.domain.kept_agreement import compare_judges
from assess.judging.snapshots import Snapshot
from assess.protocol import CheckContext, TopicRecord
from scoring.__main__ import main as scoring_main
from scoring.formats.response_labels import read_response_labels
from scoring.reading.sentences import count_tokens
from scoring.records import Issue, ItemValue
from tests import factories
from tests.tracks import track_folder
from tests.tracks.ikat2023_runs import DEFAULTS, RUN, content_of, means, trec_eval_means
from tracks.ikat2023 import TRACK
from tracks.ikat2023.scores import load_gold, score_run
from tracks.ikat2023.settings import Ikat2023Settings
from tracks.ikat2023.topics import read_topics, statements_of

pytestmark = pytest.mark.shared


@pytest.fixture
def real(shared_data: Path) -> Path:
    return shared_data / "ikat2023"


@pytest.fixture
def topics(real: Path) -> tuple[TopicRecord, ...]:
    with (real / "2023_test_topics.json").open("rb") as file:
        found = tuple(read_topics(file))
    assert not [each for each in found if isinstance(each, Issue)]
    return tuple(each for each in found if isinstance(each, TopicRecord))


def fail(issue: Issue) -> None:
    raise AssertionError(issue)


def test_topics_are_those_of_the_release(topics: tuple[TopicRecord, ...]) -> None:
    turns = [topic for topic in topics if topic.task]
    assert (len({topic.parent for topic in turns}), len(turns)) == (25, 332)
    assert len([topic for topic in topics if topic.parent is None]) == 13


@pytest.mark.parametrize(
    ("name", "warnings", "errors"),
    [
        ("sample_run", 0, {"turn-count": 1, "topic-count": 1, "topic-missing": 24}),
        ("sample_run_no_ptkb", 36, {"turn-count": 1, "topic-count": 1, "topic-missing": 24}),
        (
            "sample_run_missing_ptkb_fields",
            0,
            {"turn-count": 1, "topic-count": 1, "topic-missing": 24, "statement-id": 1},
        ),
        ("sample_run_renamed_fields", 0, {"unknown-field": 4}),
        ("sample_run_invalid_scores", 0, {"type": 2}),
    ],
)
def test_sample_runs_get_their_verdicts(
    real: Path, topics: tuple[TopicRecord, ...], name: str, warnings: int, errors: dict[str, int]
) -> None:
    with (real / "sample_runs" / f"{name}.json").open("rb") as file:
        checker = Ikat2023Settings(checks="checker", warning_limit=max(warnings - 1, 0))
        issues = list(RUN.check(file, CheckContext(topics=topics, settings=checker)))
    if warnings:
        assert issues.pop().message.startswith(f"The run has {warnings} warnings;")
    assert any(issue.severity == "warning" for issue in issues) == bool(warnings)
    assert Counter(issue.code for issue in issues if issue.severity == "error") == errors
    if "turn-count" in errors:
        assert issues[0].message.endswith("turns; it must answer all 332.")


def baseline(topics: tuple[TopicRecord, ...], judged: dict[str, dict[str, int]], responses: int = 3) -> Any:
    """A run over all turns like the organisers' baseline: three responses a turn, none with ``used`` or statements."""
    turns = []
    for topic in topics:
        if topic.task:
            passages = islice(cycle(sorted(judged.get(topic.number, {"clueweb22-x:0": 0}))), 5 * responses)
            names = list(dict.fromkeys(passages))
            given = [
                {
                    "rank": rank + 1,
                    "text": "some response",
                    "passage_provenance": [{"id": name, "score": 1 / (place + 1)} for place, name in enumerate(part)],
                }
                for rank in range(responses)
                if (part := names[rank::responses] or names)
            ]
            turns.append({"turn_id": topic.number, "responses": given})
    return {"run_name": "baseline", "run_type": "automatic", "turns": turns}


def test_a_run_like_the_baseline_gives_1992_warnings(topics: tuple[TopicRecord, ...]) -> None:
    content = json.dumps(baseline(topics, {})).encode()
    checker = Ikat2023Settings(checks="checker", warning_limit=1991)
    issues = list(RUN.check(io.BytesIO(content), CheckContext(topics=topics, settings=checker)))
    assert [issue.code for issue in issues] == ["none-used", "no-statements", "too-many-warnings"]
    assert [" 996 times" in issue.message for issue in issues[:2]] == [True, True]
    assert issues[2].message.startswith("The run has 1,992 warnings;")
    by_guidelines = list(RUN.check(io.BytesIO(content), CheckContext(topics=topics, settings=DEFAULTS)))
    assert [issue.code for issue in by_guidelines] == ["passage-text", "no-statements"]


def test_a_run_over_the_official_qrels_scores_what_trec_eval_says(real: Path, topics: tuple[TopicRecord, ...]) -> None:
    files = {name: real / name for name in ("qrels.txt", "ptkb_rel_nist")}
    gold = load_gold(files, DEFAULTS, fail)
    grades = {turn: dict(found) for turn, found in gold.passages.items()}
    assert (len(grades), sum(map(len, grades.values())), len(gold.statements)) == (176, 34_183, 98)
    run = json.dumps(baseline(topics, grades)).encode()
    found = means(list(score_run(gold, "baseline", content_of(run), DEFAULTS)))
    for level, suffix in ((2, ""), (1, "_lenient")):
        for name, value in trec_eval_means(grades, run, level=level).items():
            if not (suffix and name.startswith("nDCG")):
                assert found[name + suffix] == pytest.approx(value, abs=1e-12), name + suffix
    assert 0 < (found["AP"] or 0) < (found["nDCG@5"] or 0)


def test_words_are_as_many_as_spacy_3_3_counts(real: Path, shared_data: Path) -> None:
    """ "250 words (as measured by the `Tokenizer` function of `spacy.tokenizer` in spaCy v3.3 library)" (iKAT 2023)

    The figures were counted with spaCy 3.3.3 on the same texts: tokens, and texts with more than 250 of them.
    """
    texts: dict[str, list[str]] = {}
    for dialogue in json.loads((real / "2023_test_topics.json").read_bytes()):
        texts.setdefault("2023, canonical", []).extend(turn["response"] for turn in dialogue["turns"])
    for kind in ("automatic", "manual"):
        turns = json.loads((shared_data / "ikat2024-nuggets" / f"{kind}_responses.json").read_bytes())
        given = (text for runs in turns.values() for text in runs.values())
        texts[f"2024, {kind}"] = [text for text in given if len(text.split()) > 3]
    counts = {name: [count_tokens(text) for text in found] for name, found in texts.items()}
    assert {name: (len(found), sum(found), sum(n > 250 for n in found)) for name, found in counts.items()} == {
        "2023, canonical": (332, 30_638, 5),
        "2024, automatic": (1501, 293_416, 503),
        "2024, manual": (316, 79_151, 175),
    }


def test_two_groups_agree_as_published(real: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert scoring_main(["agree", str(real / "ptkb_rel_nist"), str(real / "ptkb_rel_org")]) == 0
    rows = dict(line.rsplit("\t", 1) for line in capsys.readouterr().out.splitlines())
    assert rows["items"] == "398"
    assert (rows["agreement"], rows["cohen_kappa"], rows["overlap_pooled"]) == ("0.791457", "0.361612", "0.314050")
    counts = [rows[f"confusion {first} {second}"] for first, second in ("11", "10", "01", "00")]
    assert counts == ["38", "65", "18", "277"]


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("relevance", {0: 166, 1: 41, 2: 19, 3: 139}),
        ("completeness", {0: 191, 1: 43, 2: 24, 3: 106}),
        ("groundedness", {0: 224, 1: 141}),
        ("naturallness", {0: 7, 1: 23, 2: 39, 3: 43, 4: 253}),
    ],
)
def test_the_labels_of_a_program_are_read_whole(real: Path, name: str, counts: dict[int, int]) -> None:
    with (real / "automatic_eval_results" / f"{name}_judgement-gpt4.txt").open("rb") as file:
        found = list(read_response_labels(file))
    assert Counter(each.value for each in found if isinstance(each, ItemValue)) == counts
    assert len(found) == sum(counts.values())


def official_files(real: Path, place: Path) -> tuple[Path, bytes]:
    """The folder as it was released, with its qrels; those of every fourth turn alone, but in `make test-all`."""
    qrels = (real / "qrels.txt").read_bytes()
    if "ASSAY_WHOLE_FOLDERS" in os.environ:
        return real, qrels
    lines = qrels.splitlines(keepends=True)
    turns = set(list(dict.fromkeys(line.split()[0] for line in lines))[::4])
    part = b"".join(line for line in lines if line.split()[0] in turns)
    place.mkdir()
    for path in real.iterdir():
        (place / path.name).symlink_to(path)
    (place / "qrels.txt").unlink()
    (place / "qrels.txt").write_bytes(part)
    return place, part


@pytest.mark.django_db
def test_the_official_files_load_with_one_command_and_come_out_unchanged(
    real: Path, topics: tuple[TopicRecord, ...], settings: Any, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path
    organiser = factories.user("organiser")
    folder, qrels = official_files(real, tmp_path / "official")
    campaign = track_folder.load(TRACK, organiser=organiser, slug="ikat", folder=folder)
    files = track_folder.exported(campaign, organiser=organiser)
    assert files["topics.json"] == (real / "2023_test_topics.json").read_bytes()
    assert files["qrels.txt"] == qrels
    assert files["ptkb_qrels.txt"] == (real / "ptkb_rel_nist").read_bytes() + b"\n"  # its last line lacks its end
    assert files["ptkb_qrels_second.txt"] == (real / "ptkb_rel_org").read_bytes()
    assert campaign.documents.count() == 700
    pooled = Counter(campaign.pools.get().pool_items.values_list("item__kind", flat=True))
    statements = sum(len(statements_of(topic)) for topic in topics if topic.task)
    assert pooled == {"passage": qrels.count(b"\n"), "ptkb": statements}
    groups = compare_judges(Snapshot(campaign), stage="ptkb", criterion="ptkb", judges=("primary", "second"))
    assert (groups.report.items, groups.topics) == (398, 39)
    published = {"agreement": 0.791457, "cohen_kappa": 0.361612, "overlap_pooled": 0.314050}
    assert {name: round(groups.report.value(name) or 0, 6) for name in published} == published
