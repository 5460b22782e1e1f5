"""Broken files of claims and broken runs; the name of each tells its mistake."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from bench.context25_demo.claims import EVIDENCE, GROUNDING, KERB, LAKE, SHOWN, WARM
from scoring.formats.context25_claims import write_evidence_claims, write_grounding_claims

_EVIDENCE: dict[str, Any] = json.loads("\n".join(write_evidence_claims(EVIDENCE[:1])))[0]
_GROUNDING: dict[str, Any] = json.loads("\n".join(write_grounding_claims(GROUNDING[:1])))[0]
_ANSWER = {"id": LAKE, "labels": ["two kites"], "context": ["The kites were held at 30 metres"]}
_DEEP = b"[" * 20_000


def write_broken(folder: Path) -> None:
    """Write all broken files into topics/bad and runs/bad of a folder."""
    for place, files in (("topics", broken_topics()), ("runs", broken_runs())):
        bad = folder / place / "bad"
        bad.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            (bad / name).write_bytes(content)


def broken_topics() -> dict[str, bytes]:
    """Return the broken files of claims, by name."""
    whole = _json([_EVIDENCE])
    return {
        "evidence-truncated.json": whole[: len(whole) // 2],
        "evidence-utf16.json": whole.decode().encode("utf-16"),
        "evidence-bad-utf8.json": whole.replace(b"weather", b"weath\xe9r"),
        "evidence-empty.json": b"",
        "evidence-empty-list.json": b"[]\n",
        "evidence-object.json": _json({"claims": [_EVIDENCE]}),
        "evidence-nested-too-deep.json": _DEEP,
        "evidence-id-missing.json": _json([_without(_EVIDENCE, "id")]),
        "evidence-id-number.json": _json([_EVIDENCE | {"id": 17}]),
        "evidence-id-two-words.json": _json([_EVIDENCE | {"id": "kite 7"}]),
        "evidence-id-endless.json": _json([_EVIDENCE | {"id": "k" * 5000}]),
        "evidence-id-twice.json": _json([_EVIDENCE, _EVIDENCE | {"findings": ["FIG 2"]}]),
        "evidence-key-twice.json": whole.replace(b'"dataset"', b'"claim": "again", "dataset"'),
        "evidence-claim-empty.json": _json([_EVIDENCE | {"claim": "  "}]),
        "evidence-findings-a-text.json": _json([_EVIDENCE | {"findings": "FIG 1"}]),
        "evidence-findings-numbers.json": _json([_EVIDENCE | {"findings": [1, None]}]),
        "evidence-no-pages.json": _json([_without(_EVIDENCE, "necessary_pages")]),
        "evidence-page-elsewhere.json": _json([_EVIDENCE | {"necessary_pages": ["../../passwords.png"]}]),
        "evidence-huge-claim.json": _json([_EVIDENCE | {"claim": "very " * 20_000}]),
        "evidence-half-a-pair.json": whole.replace(b"weather", b"\\ud800"),
        "evidence-nul.json": whole.replace(b"weather", b"\\u0000"),
        "evidence-odd-labels.json": _json([_EVIDENCE | {"findings": [".DS_Store"], "figures_tables": ["FIG FINAL"]}]),
        "evidence-unknown-member.json": _json([_EVIDENCE | {"finding": ["FIG 1"]}]),
        "evidence-not-a-number.json": whole.replace(b'"weather"', b"NaN"),
        "grounding-no-citekey.json": _json([_without(_GROUNDING, "citekey")]),
        "grounding-citekey-elsewhere.json": _json([_GROUNDING | {"citekey": "two words"}]),
        "grounding-context-a-text.json": _json([_GROUNDING | {"context": "a quote"}]),
        "grounding-entities-texts.json": _json([_GROUNDING | {"entity_labels": ["two kites"]}]),
        "grounding-entity-number.json": _json([_GROUNDING | {"entity_labels": [{"entity": 5, "type": "what"}]}]),
    }


def broken_runs() -> dict[str, bytes]:
    """Return the broken runs, by file name."""
    rows = f'claimid,predictions\n{LAKE},"FIG 1B,FIG 1"\n{WARM},FIG 1\n{KERB},TAB 2\n'.encode()
    answers = _json([_ANSWER])
    return {
        "evidence-empty.csv": b"",
        "evidence-header-only.csv": b"claimid,predictions\n",
        "evidence-utf16.csv": rows.decode().encode("utf-16"),
        "evidence-bad-utf8.csv": rows.replace(b"TAB 2", b"TAB \xb2"),
        "evidence-gzip.csv": gzip.compress(rows, mtime=0),
        "evidence-header-missing.csv": rows.split(b"\n", 1)[1],
        "evidence-one-column.csv": rows.replace(b",TAB 2", b""),
        "evidence-list-not-in-quotes.csv": rows.replace(b'"', b""),
        "evidence-quote-never-closed.csv": rows.replace(b",FIG 1\n", b',"FIG 1\n') + b"x,FIG 2\n" * 20_000,
        "evidence-blank-lines.csv": rows.replace(b"\n", b"\n\n"),
        "evidence-claims-of-others.csv": b"claimid,predictions\nowl-1,FIG 1\nowl-2,FIG 2\n",
        "evidence-claim-twice.csv": rows + f"{LAKE},TAB 1\n".encode(),
        "evidence-empty-cell.csv": rows.replace(b"TAB 2", b""),
        "evidence-blanks-after-commas.csv": rows.replace(b"FIG 1B,FIG 1", b"FIG 1B, FIG 1"),
        "evidence-labels-of-ones-own.csv": rows.replace(b"TAB 2", b"table two").replace(b",FIG 1\n", b",Figure 1\n"),
        "evidence-label-twice.csv": rows.replace(b"FIG 1B,FIG 1", b"FIG 1B,fig. 1b"),
        "evidence-nul.csv": rows.replace(b"TAB 2", b"TAB\x002"),
        "evidence-huge-cell.csv": rows.replace(b"TAB 2", b"TAB 2," * 12_000),
        "evidence-line-breaks-of-windows.csv": rows.replace(b"\n", b"\r\n"),
        "evidence-carriage-return-inside.csv": rows.replace(b"TAB 2", b"TAB\r2"),
        "grounding-truncated.json": answers[: len(answers) // 2],
        "grounding-empty.json": b"  \n",
        "grounding-an-object-a-line.json": b'{"id": "a", "labels": [], "context": []}\n' * 2,
        "grounding-object.json": _json({LAKE: _ANSWER}),
        "grounding-nested-too-deep.json": _DEEP,
        "grounding-id-number.json": _json([_ANSWER | {"id": 1}]),
        "grounding-labels-a-text.json": _json([_ANSWER | {"labels": "two kites"}]),
        "grounding-context-numbers.json": _json([_ANSWER | {"context": [1, 2]}]),
        "grounding-no-context.json": _json([_without(_ANSWER, "context")]),
        "grounding-other-things.json": _json([_ANSWER, 5, None, "text"]),
        "grounding-empty-lists.json": _json([_ANSWER | {"labels": [], "context": []}]),
        "grounding-empty-texts.json": _json([_ANSWER | {"labels": ["", "two kites", "two kites"]}]),
        "grounding-claim-twice.json": _json([_ANSWER, {**_ANSWER, "labels": ["kites"]}]),
        "grounding-claims-of-others.json": _json([_ANSWER | {"id": "owl-1"}]),
        "grounding-unknown-member.json": _json([_ANSWER | {"id": SHOWN, "snippets": [], "context": []}]),
        "grounding-half-a-pair.json": answers.replace(b"two kites", b"two \\ud83d kites"),
        "grounding-huge-text.json": _json([_ANSWER | {"context": ["kite " * 20_000]}]),
        "grounding-endless-list.json": _json([_ANSWER | {"labels": ["kite"] * 5_000}]),
        "grounding-bad-utf8.json": answers.replace(b"two kites", b"tw\xf6 kites"),
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()


def _without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}
