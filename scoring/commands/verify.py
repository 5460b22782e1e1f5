"""The command `verify`: it checks that a release is what it claims to be, by checksums and by computing its results
again.

Every export, score and measure of agreement is computed again from judgments.jsonl, topics, pools, assignments and run
files. Files that follow from no others (guidelines, titles, the settings themselves) are listed as such: only their
checksums are compared, and a forger can write a new checksum. Only the manifest's sha256, which the campaign publishes
elsewhere, reveals that.
"""

from __future__ import annotations

import argparse
import importlib
import re
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from scoring.commands.command_line import Problems, WrongCall, numbered, print_rows
from scoring.formats.recorded_grades import judged_of
from scoring.reading.opening import excerpt_of
from scoring.records import Score
from scoring.release.judgment_table import table_difference
from scoring.release.release_descriptions import CROISSANT, RO_CRATE, descriptions
from scoring.release.release_tables import agreement_lines, mean_lines, means_of, score_lines
from scoring.release.releases import (
    ACCEPTANCES,
    AGREEMENT,
    AGREEMENTS,
    ANCHORS,
    DESIGN,
    DESIGNS,
    DRAFTS,
    EXPORTS,
    GUIDELINES,
    ITEMS,
    JUDGMENT_TABLE,
    JUDGMENTS,
    LEFT_ITEMS,
    MANIFEST,
    MEANS,
    POOLS,
    README,
    SCORES,
    TOPIC_CHANGES,
    TOPICS,
    TRANSLATIONS,
    WORK,
    BadRelease,
    Release,
    check_files,
    open_release,
)
from scoring.uncollected import uncollected
from scoring.version import version

CLEAN = ("ok", "recomputed")
LEFT_OUT = "left out"
NOT_COMPUTED = "not computed again, nor is anything of it: compared with the manifest's sum alone"
PARTLY = "exports and scores follow from it; the rest is compared with the manifest's sum alone"
UNREAD = "pyarrow is not installed here, which reads it: compared with the manifest's sum alone"
ALONE = "title, settings, ledger point and versions stand here alone: compare its sha256 with the published one"
UNEXPECTED = "no file of a release of this track has this name"
RUNLESS = "it is made of runs, and the files of some are not part of the release"
SCORER = "tracks.rescore:rescore"
DRAFTER = "tracks.rescore:recheck_drafts"
FOLLOWER = "tracks.recollect.following:follow"
"""The functions that compute the scores of a track again, follow its drafts, and make its exports again. They are named
and not imported, since the library doesn't import any track.
"""

LINES_AT_ONCE = 100
"""The number of lines that are compared at once."""

INPUTS = (DESIGN, TOPICS, TOPIC_CHANGES, ITEMS, LEFT_ITEMS, POOLS, WORK, ANCHORS, JUDGMENTS)
"""Files from which the others follow. They are checked line by line, although not all of their content is used."""

BESIDE = re.compile(
    rf"{README}|{AGREEMENTS}|{ACCEPTANCES}|{TRANSLATIONS}|{GUIDELINES}/[1-9][0-9]*\.md|{DESIGNS}/[1-9][0-9]*\.toml"
)
"""Files from which nothing is computed."""

COMPUTED = re.compile(rf"{SCORES}/.+\.tsv|{AGREEMENT}|{JUDGMENT_TABLE}|{CROISSANT}|{RO_CRATE}")
"""Files that follow from exports and runs, which `_compute_again` computes."""

BROKEN = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, OSError, RecursionError, sqlite3.Error)
"""The exceptions in which a computation may end if a release has unexpected content."""

Redraft = Callable[[Release], int]
"""Follows the drafts of a release and returns the number of values compared. Raises `BadRelease` if a value differs."""

Rescore = Callable[[Release], Iterable[tuple[str, Sequence[Score]]]]

Follow = Callable[[Release], Iterable[tuple[str, Iterable[str] | str | None]]]
"""Makes the exports from the recorded acts. For each file it yields the lines that the file must have, or a phrase on
what is wrong with it ("": nothing), or None if that is unknown since run files are left out.
"""


@dataclass(slots=True)
class Verdict:
    """The result for each file, in order. ``compared`` is the number of values that were compared and found equal.

    ``sha256`` is the checksum of the manifest. ``superseded`` names the release that this one corrects, or is "".
    ``made_by`` names the version of Assay that made it.
    """

    rows: dict[str, tuple[str, str]] = field(default_factory=dict)
    compared: int = 0
    sha256: str = ""
    superseded: str = ""
    made_by: str = ""

    @property
    def is_clean(self) -> bool:
        """Return whether everything was checked and nothing is wrong."""
        return all(status in CLEAN for status, _ in self.rows.values())


def run_verify(options: argparse.Namespace, problems: Problems) -> int:
    """Print one line for each file: name, status, what is wrong. Return 1 if anything is wrong or could not be computed
    again. Raises WrongCall for a release that can't be read.
    """
    del problems
    if options.sha256 and not re.fullmatch("[0-9a-fA-F]{64}", options.sha256):
        raise WrongCall(f"--sha256 {options.sha256[:80]}: a sha256 has 64 digits 0-9 and a-f")
    try:
        verdict = verdict_of(Path(options.release), scorer_named(options.scorer), published=options.sha256)
    except (BadRelease, OSError, ValueError) as error:
        raise WrongCall(f"{options.release}: {error}") from error
    print_rows(options.format, ("file", "status", "message"), ((name, *row) for name, row in verdict.rows.items()))
    wrong = sum(status not in CLEAN for status, _ in verdict.rows.values())
    found = f"{numbered(len(verdict.rows), 'file')}, {numbered(verdict.compared, 'value')} computed again"
    print(f"{'verified' if verdict.is_clean else f'NOT verified, {wrong:,} wrong'}: {found}", file=sys.stderr)
    if missing := [name for name, (status, _) in verdict.rows.items() if status == "missing"]:
        print(f"Begin with what is missing, since others are made of it: {', '.join(missing[:5])}", file=sys.stderr)
    if verdict.made_by and not verdict.is_clean:
        print(
            f"Assay {verdict.made_by} made it, and this is {version()}. If they differ, verify it with that version, "
            "too, since another one may ask or count otherwise",
            file=sys.stderr,
        )
    if only := sum(message in (NOT_COMPUTED, UNREAD, PARTLY, ALONE) for _, message in verdict.rows.values()):
        print(
            f"{numbered(only, 'file')} not, or not wholly, computed again: only compared with the manifest's sums",
            file=sys.stderr,
        )
    print(f"sha256 of {MANIFEST}: {verdict.sha256}", file=sys.stderr)
    if verdict.superseded:
        print(verdict.superseded, file=sys.stderr)
    if not options.sha256:
        print("compare it with the one that the campaign published, or give that as --sha256", file=sys.stderr)
    return int(not verdict.is_clean)


def verdict_of(path: Path, rescore: Rescore, *, published: str = "") -> Verdict:
    """Return the verdict on a release in a folder or a zip. ``published`` is its manifest's sha256, as the campaign
    published it.

    Raises BadRelease, OSError or ValueError if it is not a release.
    """
    with open_release(path) as release:
        verdict = verify_release(release, rescore)
        verdict.sha256, verdict.superseded = release.sha256, _superseded(release)
        verdict.made_by = excerpt_of(str(release.manifest.get("code_version", "")))
    _compare_published(verdict, verdict.sha256, published)
    return verdict


def _superseded(release: Release) -> str:
    """Return a phrase with the release that this one corrects, and the reason; "" if it corrects none."""
    said = release.manifest.get("supersedes")
    if said is None:
        return ""
    sha256, reason = excerpt_of(str(said["manifest_sha256"])), excerpt_of(str(said["reason"]), length=500)
    return f"it supersedes the release whose {MANIFEST} has the sha256 {sha256}, because: {reason}"


def _compare_published(verdict: Verdict, sha256: str, published: str) -> None:
    """Compare the manifest's own checksum with the published one. Its row comes first, since all other checksums depend
    on it.
    """
    found = verdict.rows.pop(MANIFEST)
    if published and sha256 != published.lower():
        found = ("changed", f"its sha256 is {sha256}; the campaign published {published.lower()}")
    elif published and found == ("ok", ALONE):
        found = ("ok", "")
    verdict.rows = {MANIFEST: found, **verdict.rows}


@uncollected()
def verify_release(
    release: Release, rescore: Rescore | None, redraft: Redraft | None = None, follow: Follow | None = None
) -> Verdict:
    """Compare every file with the manifest, then every export, score and measure of agreement with its value computed
    from the release's files.

    ``follow`` (by default `FOLLOWER`) makes the exports again. If topics were drafted, ``redraft`` (by default
    `DRAFTER`) follows the drafts to their estimates and topics. Without ``rescore``, what follows from exports and runs
    is compared with the manifest's sums alone. A program that has just made the release calls it so, since the same
    functions would compute the same again.
    """
    verdict = Verdict()
    for name, status, message in check_files(release):
        verdict.rows[name] = (status, message)
    verdict.rows[MANIFEST] = ("ok", ALONE)
    _remake(release, verdict, follow or scorer_named(FOLLOWER))
    if rescore is not None:
        _compute_again(release, verdict, rescore)
    if verdict.rows.get(DRAFTS, ("",))[0] in ("ok", "changed"):
        _follow(release, verdict, redraft or scorer_named(DRAFTER))
    exports = {f"{EXPORTS}/{name}" for name in release.manifest["exports"]}
    inputs = {*INPUTS, *(run["file"] for run in release.manifest["runs"])} & release.asked
    broke_off = any(verdict.rows.get(name, ("",))[0] == "unchecked" for name in (EXPORTS, SCORES))
    for name, (status, _) in verdict.rows.items():
        if status in CLEAN and name in inputs:
            verdict.rows[name] = ("ok", PARTLY)
        elif rescore is None and COMPUTED.fullmatch(name):
            continue
        elif status == "ok" and name not in release.asked and name != MANIFEST:
            is_known = broke_off or name in exports or BESIDE.fullmatch(name)
            verdict.rows[name] = (status, NOT_COMPUTED) if is_known else ("unexpected", UNEXPECTED)
    return verdict


def _compute_again(release: Release, verdict: Verdict, rescore: Rescore) -> None:
    """Compute scores, agreement, the table of judgments and the descriptions for catalogues again from exports and
    runs, and compare them with the release's. Scores that can't be computed are marked as unchecked.
    """
    try:
        means: list[Score] = []
        for run, scores in rescore(release):
            own = list(scores)
            means += means_of(own)
            _compare(release, verdict, f"{SCORES}/{run}.tsv", score_lines(own))
        left_out = {run["name"] for run in release.manifest["runs"] if run["file"] is None}
        means.sort(key=lambda score: (len(score.run), score.run))
        _compare(release, verdict, MEANS, mean_lines(means), left_out=left_out)
        for name in sorted(left_out):
            verdict.rows[f"{SCORES}/{name}.tsv"] = (LEFT_OUT, "the run's file is not part of the release")
        for name, (status, _) in verdict.rows.items():
            if name.startswith(f"{SCORES}/") and status == "ok":
                verdict.rows[name] = ("unchecked", "the manifest names no run whose scores these are")
    except BadRelease as error:
        verdict.rows[SCORES] = ("unchecked", f"the scores can't be computed again: {error}")
    except BROKEN as error:
        verdict.rows[SCORES] = ("unchecked", f"computing the scores broke off: {type(error).__name__}: {error}")
    if AGREEMENT in release.files or release.path(JUDGMENTS).is_file():
        _compare(release, verdict, AGREEMENT, _agreement(release))
    if JUDGMENT_TABLE in release.files:
        _compare_table(release, verdict)
    for name, text in descriptions(release.manifest, release.path):
        if name in release.files:
            _compare(release, verdict, name, text.split("\n"))


def _remake(release: Release, verdict: Verdict, follow: Follow) -> None:
    """Make the exports again from the release's other files, and compare. This also checks the records of which exports
    are made.
    """
    try:
        for name, again in follow(release):
            if again is None:
                verdict.rows[name] = (LEFT_OUT, RUNLESS)
                release.path(name)
            elif not isinstance(again, str):
                _compare(release, verdict, name, again)
            elif again:
                verdict.rows[name] = ("differs", again)
    except BadRelease as error:
        verdict.rows[EXPORTS] = ("unchecked", f"the exports can't be made again: {error}")
    except BROKEN as error:
        verdict.rows[EXPORTS] = ("unchecked", f"making the exports again broke off: {type(error).__name__}: {error}")


def _follow(release: Release, verdict: Verdict, redraft: Redraft) -> None:
    try:
        verdict.compared += redraft(release)
    except BadRelease as error:
        verdict.rows[DRAFTS] = ("differs", str(error))
        return
    if verdict.rows[DRAFTS][0] == "ok":
        verdict.rows[DRAFTS] = ("recomputed", "")


def _agreement(release: Release) -> Iterator[str]:
    """Yield the lines of the table of agreement, with the word for the primary assessor that the file has: "author" in
    releases of version 0.2.0 and before.
    """
    path, table = release.path(JUDGMENTS), release.path(AGREEMENT)
    is_earlier = table.is_file() and b"\tauthor-" in table.read_bytes()
    if path.is_file():
        for line in agreement_lines(partial(judged_of, path)):
            yield line.replace("\tprimary-", "\tauthor-", 1) if is_earlier else line


def _compare_table(release: Release, verdict: Verdict) -> None:
    """Compare the rows of judgments.parquet with the lines of judgments.jsonl."""
    table, lines = release.path(JUDGMENT_TABLE), release.path(JUDGMENTS)
    if verdict.rows[JUDGMENT_TABLE][0] != "ok":
        return
    try:
        wrong = table_difference(table, lines)
    except ModuleNotFoundError:
        verdict.rows[JUDGMENT_TABLE] = ("ok", UNREAD)
    except BROKEN as error:
        verdict.rows[JUDGMENT_TABLE] = ("unchecked", f"comparing it broke off: {type(error).__name__}: {error}")
    else:
        verdict.rows[JUDGMENT_TABLE] = ("differs", wrong) if wrong else ("recomputed", "")


def _compare(
    release: Release, verdict: Verdict, name: str, lines: Iterable[str], *, left_out: Iterable[str] = ()
) -> None:
    """Compare a table's lines with those computed again, and name the first that differs."""
    path = release.path(name)
    if not path.is_file():
        verdict.rows[name] = ("missing", "it is computed from the release's files, and it is not there")
        return
    hidden = set(left_out)
    computed = iter(lines)
    with path.open(encoding="utf-8", errors="surrogateescape", newline="\n") as file:
        said: Iterator[tuple[int, str]] = enumerate(file, start=1)
        if hidden:
            said = (each for each in said if each[1].split("\t", 1)[0] not in hidden)
        last = 0
        while True:
            block, again = list(islice(said, LINES_AT_ONCE)), list(islice(computed, LINES_AT_ONCE))
            if len(block) != len(again) or "".join([line for _, line in block]) != "\n".join([*again, ""]):
                verdict.rows[name] = ("differs", _difference(block, again, last))
                return
            if not block:
                break
            last = block[-1][0]
            verdict.compared += len(block)
    if verdict.rows.get(name, ("ok", ""))[0] == "ok":
        verdict.rows[name] = ("recomputed", "")


def _difference(block: Sequence[tuple[int, str]], again: Sequence[str], last: int) -> str:
    """Return a sentence about the first line of the block that differs. It gives the line's number, its text, and the
    text that it should have. The caller makes sure that a line differs.
    """
    for place, line in zip_longest(block, again):
        last, said = place if place is not None else (last + 1, "")
        if line is None or said != f"{line}\n":
            return f"line {last}: the file says “{_cut(said)}”, the release's files give “{_cut(line or '')}”"
    raise AssertionError("no line differs")


def _cut(line: str) -> str:
    shown = line.removesuffix("\n").replace("\t", " ")[:200]
    return shown.encode("utf-8", "backslashreplace").decode()


def scorer_named(name: str) -> Callable[..., Any]:
    """Return the function with this name ("module:function"), which computes scores or exports again or follows drafts.
    Raises WrongCall if there is none. Only the person who makes the call may name it; a file may not.
    """
    module, colon, function = name.partition(":")
    if not colon:
        raise WrongCall(f"--scorer {name}: write it as module:function, such as {SCORER}")
    try:
        found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    except (TypeError, ValueError) as error:  # no name, or one from a package that nobody named
        raise WrongCall(f"--scorer {name}: write it as module:function, such as {SCORER}") from error
    except ModuleNotFoundError as error:
        raise WrongCall(
            f"the scores can't be computed: there is no module {error.name} here. Put the folders of Assay "
            f"(scoring, tracks, assess) on the path, and install what requirements-scoring.txt names"
        ) from error
    except AttributeError as error:
        raise WrongCall(f"--scorer {name}: {error}") from error
    return found
