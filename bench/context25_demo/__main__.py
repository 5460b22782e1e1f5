"""Write the demonstration campaign of claims: `python -m bench.context25_demo [FOLDER]`.

What the checkers say of the broken files is written by `python -m bench.demo_runs.regenerate_goldens`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from bench.context25_demo.broken import write_broken
from bench.context25_demo.claims import EVIDENCE, GROUNDING
from bench.context25_demo.judging import acts
from bench.context25_demo.pages import write_pages
from bench.context25_demo.papers import PAGES, QUIZZES, TEXTS
from bench.context25_demo.runs import EVIDENCE_RUNS, GROUNDING_RUNS, evidence_file, forms_file, grounding_file
from scoring.formats.context25_claims import write_evidence_claims, write_grounding_claims
from scoring.formats.judgments_jsonl import write_judgments

FOLDER = Path(__file__).parent.parent.parent / "tests" / "data" / "tracks" / "context25"


def main() -> int:
    """Write all files of the campaign but its README, its `expected/` and the issues of its broken files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    _write(folder / "task1-claims.json", "\n".join(write_evidence_claims(EVIDENCE)) + "\n")
    _write(folder / "task2-claims.json", "\n".join(write_grounding_claims(GROUNDING)) + "\n")
    together = {citekey: text for citekey, text in TEXTS.items() if citekey != QUIZZES}
    _write(folder / "documents" / "full-texts.json", json.dumps(together, indent=1, ensure_ascii=False) + "\n")
    _write(folder / "documents" / f"{QUIZZES}.txt", TEXTS[QUIZZES])
    write_pages(folder / "pages", PAGES)
    for tag, rows in EVIDENCE_RUNS.items():
        _write(folder / "runs" / "good" / f"{tag}.csv", evidence_file(rows))
    for tag, answers in GROUNDING_RUNS.items():
        _write(folder / "runs" / "good" / f"{tag}.json", grounding_file(answers))
    _write(folder / "runs" / "forms.json", forms_file())
    _write(folder / "judgments.jsonl", "".join(line + "\n" for line in write_judgments(acts())))
    write_broken(folder)
    return 0


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
