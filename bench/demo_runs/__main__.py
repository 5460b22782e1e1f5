"""Run the five programs over Blog06 files and a question file: runs, a document list and the submission forms.

    python -m bench.demo_runs --documents FILE_OR_FOLDER [--documents …] --topics questions.xml --out DIR

Writes DIR/runs/good/<tag>.txt, DIR/runs/forms.json and DIR/lists/ranked.txt. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.demo_runs.collection import Collection, one_line, read_collection
from bench.demo_runs.programs import PROGRAMS, Answer, Asked, Program
from scoring.formats.tac_questions import SeriesQuestion, Target, read_questions
from scoring.records import Issue

LIMIT = 7000  # non-white-space characters a question


def main(arguments: Sequence[str] | None = None) -> int:
    """Write all files and return 0, or print the errors of the input and return 1. Exits with 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m bench.demo_runs", description=__doc__)
    parser.add_argument(
        "--documents", type=Path, action="append", required=True, help="a Blog06 file (.gz too) or a folder"
    )
    parser.add_argument("--topics", type=Path, required=True, help="the question file")
    parser.add_argument("--out", type=Path, required=True, help="where runs/ and lists/ are written")
    options = parser.parse_args(arguments)
    targets, questions, errors = load_questions(options.topics)
    if errors:
        print(*(f"{options.topics}: line {e.where}: {e.message}" for e in errors), sep="\n", file=sys.stderr)
        return 1
    collection = read_collection(options.documents)
    if not collection.pages:
        print("There is no document in these files. Blog06 records stand between <DOC> and </DOC>.", file=sys.stderr)
        return 1
    write_all(options.out, collection, targets, questions)
    print(f"{len(collection.pages)} documents, {len(questions)} questions, {len(PROGRAMS)} runs in {options.out}")
    return 0


def load_questions(path: Path) -> tuple[list[Target], list[SeriesQuestion], list[Issue]]:
    """Return the targets of a question file, its questions and its errors, each in the order of the file."""
    with path.open("rb") as file:
        records = list(read_questions(file))
    errors = [r for r in records if isinstance(r, Issue) and r.severity == "error"]
    return [r for r in records if isinstance(r, Target)], [r for r in records if isinstance(r, SeriesQuestion)], errors


def write_all(out: Path, collection: Collection, targets: list[Target], questions: list[SeriesQuestion]) -> None:
    """Write the runs, their forms and the document list into ``out``."""
    (out / "runs" / "good").mkdir(parents=True, exist_ok=True)
    (out / "lists").mkdir(parents=True, exist_ok=True)
    for tag, (program, _) in PROGRAMS.items():
        lines = run_lines(tag, program, collection, targets, questions)
        (out / "runs" / "good" / f"{tag}.txt").write_text("".join(lines), encoding="utf-8")
    forms = {tag: form(tag, description) for tag, (_, description) in PROGRAMS.items()}
    (out / "runs" / "forms.json").write_text(json.dumps(forms, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    (out / "lists" / "ranked.txt").write_text("".join(list_lines(collection, targets)), encoding="utf-8")


def form(tag: str, description: str, *, automatic: bool = True, documents: str = "collection") -> dict[str, object]:
    """Return the submission form of a run, whose tag is the team's name and a digit, the priority."""
    return {
        "team": tag[:-1], "priority": int(tag[-1]), "automatic": automatic, "description": description,
        "fields": {"documents": documents},
    }  # fmt: skip


def run_lines(
    tag: str, program: Program, collection: Collection, targets: list[Target], questions: list[SeriesQuestion]
) -> list[str]:
    """Return the lines of a program's run: every question answered, each pair once, within the limit of characters."""
    names = {target.number: target.text for target in targets}
    lines = []
    for question in questions:
        asked = Asked(target=names[question.target], text=question.text, is_rigid=question.kind == "rigid")
        answers = _within_limit(program(collection, asked)) or [_last_resort(collection, asked)]
        lines += [f"{question.number} {tag} {a.docno} {a.text}\n" for a in answers]
    return lines


def _within_limit(answers: list[Answer]) -> list[Answer]:
    kept: dict[tuple[str, str], Answer] = {}
    length = 0
    for answer in answers:
        tidy = Answer(answer.docno, one_line(answer.text))
        length += sum(not c.isspace() for c in tidy.text)
        if tidy.text and length <= LIMIT:
            kept.setdefault((tidy.docno, tidy.text.casefold()), tidy)
    return list(kept.values())


def _last_resort(collection: Collection, asked: Asked) -> Answer:
    """Return an answer for a question to which the program found none: the title of the best page, or the target."""
    ranked = collection.rank(f"{asked.target} {asked.text}", 1)
    docno = ranked[0][0] if ranked else min(collection.pages)
    return Answer(docno, collection.pages[docno].title[:80] or asked.target)


def list_lines(collection: Collection, targets: list[Target]) -> list[str]:
    """Return the lines of the document list, `qnum rank docid rsv`: at most 1000 documents a target."""
    return [
        f"{target.number} {rank} {docno} {value:.4f}\n"
        for target in targets
        for rank, (docno, value) in enumerate(collection.rank(target.text, 1000), 1)
    ]


if __name__ == "__main__":
    sys.exit(main())
