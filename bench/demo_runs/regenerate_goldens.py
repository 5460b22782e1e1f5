"""Write the broken files and the issues that the checkers name in them: `python -m bench.demo_runs.regenerate_goldens`.

Beside each broken file comes `<name>.issues.tsv` with the columns line, severity, code (the line is empty for the
file as a whole). Read the differences like code before they are committed: a checker that goes wrong writes wrong
goldens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.demo_runs.broken import write_broken
from bench.demo_runs.build import FOLDER
from bench.demo_runs.pages import CRAWLS, build_pages
from scoring.records import Issue
from tracks import TRACKS


def main(keys: Sequence[str] = ()) -> int:
    """Write the broken files and their issues, for all tracks or those with these keys; print how many. Return 0."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "assay_site.settings")
    import django

    django.setup()
    from tests.tracks import track_folder

    docnos = [page.docno for page in build_pages()]
    write_broken(FOLDER, sorted(docno for docno in docnos if CRAWLS[0] in docno))
    for track in (track for track in TRACKS if not keys or track.key in keys):
        paths = [(place, path) for place in track_folder.PLACES for path in track_folder.broken_files(track, place)]
        count = sum(_write(path, track_folder.issues_of(track, path, place)) for place, path in paths)
        print(f"{track.key}: {count} issues in {len(paths)} broken files")
    return 0


def golden_lines(issues: Iterable[Issue]) -> list[str]:
    """Return a line for each issue, in their order: line, severity and code."""
    return [f"{issue.where}\t{issue.severity}\t{issue.code}\n" for issue in issues]


def _write(path: Path, issues: Iterable[Issue]) -> int:
    lines = golden_lines(issues)
    path.with_name(f"{path.stem}.issues.tsv").write_text("".join(lines), encoding="utf-8")
    return len(lines)


if __name__ == "__main__":
    sys.exit(main())
