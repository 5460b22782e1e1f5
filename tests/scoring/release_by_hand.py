"""A release of one topic and one run that is written by hand, and what is needed to change it."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.formats.judgments_jsonl import write_judgments
from scoring.release.recorded_acts import Judged
from scoring.release.release_tables import agreement_lines, mean_lines, score_lines
from scoring.release.releases import open_release
from tracks.rescore import rescore

RUN = "1 Q0 A 1 3.0 RUN-A\n1 Q0 B 2 2.0 RUN-A\n1 Q0 C 3 1.0 RUN-A\n"
QRELS = "1 0 A 1\n1 0 B 0\n1 0 C 1\n"
TOPIC = {"fields": {}, "number": "1", "ordinal": 0, "parent": None, "task": "ranking", "text": "bees"}
ACTS = [
    Judged(by=by, topic="1", docno=docno, answer="", criterion="relevance", value=value, key=docno, role=role)
    for by, role, docno, value in [
        ("assessor-1", "", "A", 1),
        ("assessor-1", "", "B", 0),
        ("assessor-1", "", "C", 1),
        ("assessor-2", "second", "A", 1),
        ("assessor-2", "second", "B", 1),
    ]
]
ITEMS = [
    {"topic": "1", "kind": "document", "key": docno, "text": "", "docno": docno, "fields": {}, "given": False}
    for docno in "ABC"
]
POOLS = [
    {"task": "ranking", "topic": "1", "kind": "document", "key": docno, "stratum": "", "probability": 1.0, "place": 1}
    for docno in "ABC"
]
WORK = [
    {"topic": "1", "stage": "documents", "by": by, "role": role, "state": "done", "after": 0}
    for by, role in (("assessor-1", "primary"), ("assessor-2", "second"))
]
FORM = {"tag": "RUN-A", "team": "", "priority": None, "automatic": True, "fields": {}}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A release of one topic and one run, written by hand but for what is computed."""
    folder = tmp_path / "release"
    for name in ("exports", "runs", "scores"):
        (folder / name).mkdir(parents=True)
    (folder / "topics.jsonl").write_text(json.dumps(TOPIC) + "\n")
    (folder / "exports" / "qrels.txt").write_text(QRELS)
    (folder / "exports" / "judgments.jsonl").write_text("".join(f"{line}\n" for line in write_judgments(ACTS)))
    for name, rows in (("items", ITEMS), ("pools", POOLS), ("work", WORK), ("anchors", [])):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row, sort_keys=True) + "\n" for row in rows))
    (folder / "runs" / "RUN-A.txt").write_text(RUN)
    (folder / "runs" / "forms.json").write_text(json.dumps({"RUN-A": FORM}, indent=1, sort_keys=True) + "\n")
    sign(folder)
    with open_release(folder) as opened:
        ((_, scores),) = rescore(opened)
    (folder / "scores" / "RUN-A.tsv").write_text("".join(f"{line}\n" for line in score_lines(scores)))
    (folder / "scores" / "means.tsv").write_text("".join(f"{line}\n" for line in mean_lines(scores)))
    (folder / "agreement.tsv").write_text("".join(f"{line}\n" for line in agreement_lines(lambda: ACTS)))
    sign(folder)
    return folder


def sign(folder: Path, **more: Any) -> None:
    """Write the manifest anew, so that all sums are right."""
    files = {
        path.relative_to(folder).as_posix(): {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "size": path.stat().st_size,
        }
        for path in folder.rglob("*.*")
        if path.name != "manifest.json"
    }
    run = {"name": "RUN-A", "team": "", "submission": "run", "priority": None, "automatic": True, "fields": {}}
    manifest = {
        "layout": 1,
        "campaign": {"title": "Bees"},
        "track": "adhoc",
        "settings": {},
        "as_of": 7,
        "exports": ["qrels.txt", "judgments.jsonl"],
        "pools": [],
        "runs": [{**run, "file": "runs/RUN-A.txt"}],
        "scored": ["RUN-A"],
        "files": files,
    }
    (folder / "manifest.json").write_text(json.dumps({**manifest, **more}))


def packed(folder: Path, change: Callable[[zipfile.ZipFile], None] | None = None) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in sorted(folder.rglob("*.*")):
            archive.write(each, each.relative_to(folder).as_posix())
        if change is not None:
            change(archive)
    return path
