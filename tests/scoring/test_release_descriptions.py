"""What describes a release for catalogues: every file with its sum, the columns that some line has, nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scoring.release.release_descriptions import CROISSANT, RO_CRATE, descriptions
from scoring.release.releases import JUDGMENTS, TOPICS

LINES = {
    TOPICS: '{"fields": {}, "number": "1", "ordinal": 1, "parent": null, "task": "ranking", "text": "bees"}\n',
    JUDGMENTS: '{"answer": "say \\"role\\": second", "by": "assessor-1", "do": "judge", "topic": "1", "value": 2}\n',
}


def described(folder: Path, **further: Any) -> dict[str, Any]:
    for name, lines in LINES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(lines)
    files = {name: {"sha256": "0" * 64, "size": len(lines)} for name, lines in LINES.items()}
    manifest = {"campaign": {"title": "Bienen & Züge"}, "track": "adhoc", "as_of": 36, "files": files, **further}
    return {name: json.loads(text) for name, text in descriptions(manifest, folder.joinpath)}


def test_croissant_names_the_columns_that_a_line_has(tmp_path: Path) -> None:
    said = described(tmp_path)[CROISSANT]
    assert {each["@id"]: each["sha256"] for each in said["distribution"]} == dict.fromkeys(LINES, "0" * 64)
    columns = {each["name"]: [field["name"] for field in each["field"]] for each in said["recordSet"]}
    assert columns == {
        "topics": ["number", "task", "text", "parent", "ordinal"],
        "judgments": ["topic", "do", "by", "answer", "value"],
    }


def test_ro_crate_holds_every_file_and_the_day(tmp_path: Path) -> None:
    said = described(tmp_path, frozen="2026-11-27")[RO_CRATE]
    by_id = {each["@id"]: each for each in said["@graph"]}
    assert (by_id["./"]["name"], by_id["./"]["datePublished"]) == ("Bienen & Züge", "2026-11-27")
    assert [part["@id"] for part in by_id["./"]["hasPart"]] == sorted(LINES)
    assert by_id[JUDGMENTS]["encodingFormat"] == "application/jsonlines"


def test_they_do_not_name_themselves(tmp_path: Path) -> None:
    own = {name: {"sha256": "1" * 64, "size": 1} for name in (CROISSANT, RO_CRATE)}
    files = {name: {"sha256": "0" * 64, "size": len(lines)} for name, lines in LINES.items()}
    assert described(tmp_path) == described(tmp_path, files=files | own)
