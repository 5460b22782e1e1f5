"""`python -m scoring check`: a run as the checker of its evaluation checks it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scoring.__main__ import main

REPORT = {
    "metadata": {"team_id": "n", "run_id": "n-2", "topic_id": "1", "type": "manual", "use_starter_kit": 0},
    "responses": [{"text": "So it is in May.", "citations": ["d-1"]}],
}
QUESTIONS = "".join(f"1\tn\tn-2\t{rank}\tWho owns it?\n" for rank in range(1, 11))
FOUND = {
    "metadata": {"qa_id": "1"},
    "answer": [{"text": "So.", "supported_citations": [1], "contradicted_citations": []}],
}


@pytest.mark.parametrize(
    ("rules", "content", "status", "said"),
    [
        ("dragun-2025", json.dumps(REPORT), 0, "its topic allows 10"),
        ("dragun-2025", json.dumps(REPORT | {"metadata": {"run_id": "n-2", "topic_id": "1"}}), 1, "“type” is missing"),
        ("ragtime", json.dumps(REPORT), 1, "“references” must be a list; it is missing."),
        ("ragtime", json.dumps(REPORT | {"references": ["d-1"]}), 0, "16 characters; its topic allows 10"),
        ("dragun-2025-questions", QUESTIONS, 0, ""),
        ("dragun-2025-questions", QUESTIONS[:-20], 1, "no question of rank 10"),
        ("dragun-2025-questions", json.dumps(REPORT), 1, "not a run of questions"),
        ("biogen-2025-citations", json.dumps(FOUND), 0, ""),
        ("biogen-2025-citations", json.dumps(REPORT), 1, "not citations found for given answers"),
    ],
)
def test_a_run_is_checked_by_the_rules_that_are_named(
    rules: str, content: str, status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "topics.jsonl").write_text('{"topic_id": "1", "title": "ferry", "limit": 10}\n')
    (tmp_path / "run").write_text(content)
    assert (
        main(["check", "--rules", rules, "--topics", str(tmp_path / "topics.jsonl"), str(tmp_path / "run")]) == status
    )
    out = capsys.readouterr().out
    assert said in out
    assert bool(out) == bool(said)
