"""Write the broken files and the issues that the checkers name in them: `python -m bench.demo_runs.regenerate_goldens`.

Beside each broken file comes `<name>.issues.tsv` with the columns line, severity, code (the line is empty for the
file as a whole). Read the differences like code before they are committed: a checker that goes wrong writes wrong
goldens.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path

from assess.protocol import CheckContext, Track
from bench.demo_runs.broken import write_broken
from bench.demo_runs.build import FOLDER
from bench.demo_runs.pages import CRAWLS, build_pages
from scoring.records import Issue
from tracks import TRACKS


def main() -> int:
    """Write everything and say how much."""
    docnos = [page.docno for page in build_pages()]
    write_broken(FOLDER, sorted(docno for docno in docnos if CRAWLS[0] in docno))
    track = next(track for track in TRACKS if track.key == "tac2008-qa")
    count = sum(_write(path, run_issues(track, path, valid_docnos=set(docnos))) for path in sources("runs/bad"))
    count += sum(_write(path, topic_issues(track, path)) for path in sources("topics/bad"))
    print(f"{count} issues in {len(sources('runs/bad'))} runs and {len(sources('topics/bad'))} question files")
    return 0


def sources(place: str) -> list[Path]:
    """The broken files of a folder, without their goldens."""
    return sorted(path for path in (FOLDER / place).iterdir() if not path.name.endswith(".issues.tsv"))


def topic_issues(track: Track, path: Path) -> Iterator[Issue]:
    """What the track's question reader says of a file."""
    records = track.topic_files[0].read(BytesIO(path.read_bytes()))
    return (record for record in records if isinstance(record, Issue))


def run_issues(track: Track, path: Path, *, valid_docnos: set[str]) -> Iterator[Issue]:
    """What the track's checker says of a run, checked without a form."""
    with (FOLDER / "topics.xml").open("rb") as file:
        topics = tuple(record for record in track.topic_files[0].read(file) if not isinstance(record, Issue))
    context = CheckContext(
        topics=topics, settings=track.settings(), unknown_docnos=lambda batch: set(batch) - valid_docnos
    )
    return track.submissions[0].check(BytesIO(path.read_bytes()), context)


def golden_lines(issues: Iterable[Issue]) -> list[str]:
    """Line, severity and code of each issue, in the order named."""
    return [f"{issue.where}\t{issue.severity}\t{issue.code}\n" for issue in issues]


def _write(path: Path, issues: Iterable[Issue]) -> int:
    lines = golden_lines(issues)
    path.with_name(f"{path.stem}.issues.tsv").write_text("".join(lines), encoding="utf-8")
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
