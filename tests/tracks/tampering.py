"""Kinds of tampering with a release, each with all sums mended: what somebody could do who wants it to look sound.

A kind takes the files of a release, by name, and its manifest, and changes either; it gives the name of the file that
it changed, or None where the release has nothing of the kind. Rows that were changed are written as a release is.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoring.formats.judgments_jsonl import read_judgments, write_judgments
from scoring.records import Issue
from scoring.releases import JUDGMENTS, MANIFEST

Files = dict[str, bytes]
Kind = Callable[[Files, dict[str, Any]], str | None]
Row = dict[str, Any]


def files_of(folder: Path) -> tuple[Files, dict[str, Any]]:
    """The files of a release but the manifest, and the manifest."""
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    manifest: dict[str, Any] = json.loads(found.pop(MANIFEST))
    return found, manifest


def write_changed(folder: Path, before: Files, after: Files, manifest: dict[str, Any]) -> None:
    """Write what differs, with the sums mended."""
    for name in before.keys() - after.keys():
        (folder / name).unlink()
    for name, content in after.items():
        if before.get(name) != content:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
    sums = {name: {"sha256": hashlib.sha256(each).hexdigest(), "size": len(each)} for name, each in after.items()}
    (folder / MANIFEST).write_text(json.dumps({**manifest, "files": sums}), encoding="utf-8")


def rows_of(files: Files, name: str) -> list[Row]:
    return [json.loads(line) for line in files[name].decode().splitlines()]


def write_rows(files: Files, name: str, rows: list[Row]) -> None:
    lines = (json.dumps(row, ensure_ascii=False, sort_keys=True) for row in rows)
    files[name] = "".join(f"{line}\n" for line in lines).encode()


def acts(change: Callable[[list[Row]], bool], *, is_sorted: bool = True) -> Kind:
    """Change the acts, which are sorted again, so that nothing is seen by their order."""

    def tamper(files: Files, manifest: dict[str, Any]) -> str | None:
        del manifest
        rows = rows_of(files, JUDGMENTS)
        if not change(rows):
            return None
        write_rows(files, JUDGMENTS, rows)
        if is_sorted:
            read = [act for act in read_judgments(io.BytesIO(files[JUDGMENTS])) if not isinstance(act, Issue)]
            files[JUDGMENTS] = "".join(f"{line}\n" for line in write_judgments(read)).encode()
        return JUDGMENTS

    return tamper


def first(rows: list[Row], **wanted: Any) -> Row | None:
    """The first act that counts and says this, author's or adjudicator's."""
    found = (row for row in rows if all(row.get(name) == value for name, value in wanted.items()))
    return next((row for row in found if row.get("role", "") != "machine"), None)


def set_in(wanted: Row, **changes: Any) -> Callable[[list[Row]], bool]:
    """Change members of the first act of the kind whose members are not so yet; None takes a member away."""

    def change(rows: list[Row]) -> bool:
        found = [row for row in rows if all(row.get(name) == value for name, value in wanted.items())]
        for row in found:
            if row.get("role", "") in ("", "adjudicator") and any(row.get(each) != to for each, to in changes.items()):
                row.update(changes)
                for name in [name for name, value in changes.items() if value is None]:
                    row.pop(name, None)
                return True
        return False

    return change


def drop(**wanted: Any) -> Callable[[list[Row]], bool]:
    def change(rows: list[Row]) -> bool:
        found = first(rows, **wanted)
        if found is not None:
            rows.remove(found)
        return found is not None

    return change


def turn_value(rows: list[Row]) -> bool:
    """Give a judged item the value that another has by the same criterion."""
    judged = [row for row in rows if row["do"] == "judge" and row.get("role", "") in ("", "adjudicator")]
    for row in judged:
        others = {each["value"] for each in judged if each["criterion"] == row["criterion"]} - {row["value"]}
        settled = {(each["topic"], each["docno"], each["answer"]) for each in judged if "role" in each}
        if others and ("role" in row or (row["topic"], row["docno"], row["answer"]) not in settled):
            row["value"] = min(others)
            return True
    return False


def swap_assessor(rows: list[Row]) -> bool:
    names = sorted({row["by"] for row in rows})
    for row in rows:
        if row["do"] == "judge" and "role" not in row and len(names) > 1:
            row["by"] = next(name for name in names if name != row["by"])
            return True
    return False


def turn_vote(rows: list[Row]) -> bool:
    """Turn a vote, whoever cast it."""
    found = next((row for row in rows if row["do"] == "vote"), None)
    if found is not None:
        found["importance"] = "okay" if found["importance"] == "vital" else "vital"
    return found is not None


def move_class(rows: list[Row]) -> bool:
    classed = [row for row in rows if row["do"] == "class" and "role" not in row]
    for row in classed:
        other = next(
            (each for each in classed if each["topic"] == row["topic"] and each["class"] != row["class"]), None
        )
        if other is not None:
            row["class"], row["number"] = other["class"], other["number"]
            return True
    return False


def other_nugget(rows: list[Row]) -> bool:
    """Move a mark to another nugget of the list."""
    written = {(row["topic"], str(row["number"])) for row in rows if row["do"] == "nugget"}
    for row in rows:
        if row["do"] == "match" and "role" not in row and row.get("value") != "none":
            free = sorted(number for topic, number in written if topic == row["topic"] and number != row["nugget"])
            taken = {each["nugget"] for each in rows if each["do"] == "match" and each["topic"] == row["topic"]}
            if wanted := [number for number in free if number not in taken] or free[:1]:
                row["nugget"] = wanted[0]
                return True
    return False


def swap_lines(rows: list[Row]) -> bool:
    rows[0], rows[1] = rows[1], rows[0]
    return True


def look_alike(rows: list[Row]) -> bool:
    """Write a letter of an answer as one of another script that looks the same."""
    for row in rows:
        if "a" in row.get("answer", ""):
            row["answer"] = row["answer"].replace("a", "\N{CYRILLIC SMALL LETTER A}", 1)
            return True
    return False


def snippet(rows: list[Row]) -> bool:
    found = next((row for row in rows if row.get("evidence") and "role" not in row), None)
    if found is not None:
        found["evidence"][0]["quote"] += "."
    return found is not None


def table(name: str, change: Callable[[list[Row]], bool]) -> Kind:
    """Change the rows of a file of JSON lines."""

    def tamper(files: Files, manifest: dict[str, Any]) -> str | None:
        del manifest
        rows = rows_of(files, name) if name in files else []
        if not rows or not change(rows):
            return None
        write_rows(files, name, rows)
        return name

    return tamper


def in_row(place: int = 0, **changes: Any) -> Callable[[list[Row]], bool]:
    def change(rows: list[Row]) -> bool:
        rows[place].update(changes)
        return True

    return change


def judged_item(member: str) -> Callable[[list[Row]], bool]:
    def change(rows: list[Row]) -> bool:
        found = next((row for row in rows if row[member]), None)
        if found is not None:
            found[member] += "x"
        return found is not None

    return change


def drop_row(rows: list[Row]) -> bool:
    rows.pop(0)
    return True


def double_row(rows: list[Row]) -> bool:
    rows.append(rows[0])
    return True


def swap_role(rows: list[Row]) -> bool:
    for row in rows:
        if row["role"] == "primary":
            row["role"] = "second"
            return True
    return False


def content(begin: str, change: Callable[[bytes], bytes]) -> Kind:
    """Change the bytes of the first file whose name begins so, of those that this changes."""

    def tamper(files: Files, manifest: dict[str, Any]) -> str | None:
        del manifest
        for name in sorted(files):
            if name.startswith(begin) and name != JUDGMENTS and change(files[name]) != files[name]:
                files[name] = change(files[name])
                return name
        return None

    return tamper


def digits(found: bytes) -> bytes:
    """Turn the last 1 or 0 of a file."""
    place = max(found.rfind(b"1"), found.rfind(b"0"))
    return (
        found
        if place < 0
        else found[:place] + (b"0" if found[place : place + 1] == b"1" else b"1") + found[place + 1 :]
    )


def in_manifest(**changes: Any) -> Kind:
    def tamper(files: Files, manifest: dict[str, Any]) -> str | None:
        del files
        manifest.update(changes)
        return MANIFEST

    return tamper


def in_run(member: str, value: Any) -> Kind:
    def tamper(files: Files, manifest: dict[str, Any]) -> str | None:
        del files
        manifest["runs"][0][member] = value
        return MANIFEST

    return tamper


def in_pool(files: Files, manifest: dict[str, Any]) -> str | None:
    del files
    manifest["pools"][0]["digest"] = "0" * 64
    return MANIFEST


def setting(files: Files, manifest: dict[str, Any]) -> str | None:
    """Turn the first setting that is true or false, or a whole number."""
    del files
    for name, value in manifest["settings"].items():
        if isinstance(value, bool):
            manifest["settings"][name] = not value
            return MANIFEST
    for name, value in manifest["settings"].items():
        if isinstance(value, int) and value > 1:
            manifest["settings"][name] = value - 1
            return MANIFEST
    return None


def add_file(name: str) -> Kind:
    def tamper(files: Files, manifest: dict[str, Any]) -> str | None:
        del manifest
        files[name] = b"1\n"
        return name

    return tamper


def rename_file(files: Files, manifest: dict[str, Any]) -> str | None:
    del manifest
    name = next(name for name in sorted(files) if name.startswith("exports/") and name != JUDGMENTS)
    files[f"{name}.txt"] = files.pop(name)
    return name


def drop_scored(files: Files, manifest: dict[str, Any]) -> str | None:
    """Take a run out of those that are scored, and its lines out of the means."""
    gone = manifest["scored"].pop()
    lines = files["scores/means.tsv"].splitlines(keepends=True)
    files["scores/means.tsv"] = b"".join(line for line in lines if not line.startswith(f"{gone}\t".encode()))
    del files[f"scores/{gone}.tsv"]
    return "scores/means.tsv"


def swap_runs(files: Files, manifest: dict[str, Any]) -> str | None:
    """Give two runs each other's files."""
    one, other = manifest["runs"][0]["file"], manifest["runs"][1]["file"]
    if one.rsplit(".", 1)[-1] != other.rsplit(".", 1)[-1]:
        return None
    files[one], files[other] = files[other], files[one]
    return str(one)


def drop_version(files: Files, manifest: dict[str, Any]) -> str | None:
    del manifest
    del files["guidelines/1.md"]
    return "guidelines/1.md"


MARK, MESSAGE = b"\xef\xbb\xbf", "Nothing is changed here."
KINDS: dict[str, Kind] = {
    "a value turned": acts(turn_value),
    "a value off its scale": acts(set_in({"do": "judge"}, value=99)),
    "a judgment dropped": acts(drop(do="judge")),
    "an act doubled": acts(double_row, is_sorted=False),
    "acts reordered": acts(swap_lines, is_sorted=False),
    "an assessor swapped": acts(swap_assessor),
    "an author's word made a second assessor's": acts(set_in({"do": "judge"}, role="second")),
    "an adjudicated value dropped": acts(drop(do="judge", role="adjudicator")),
    "another docno judged": acts(set_in({"do": "judge"}, docno="X-1")),
    "a letter that looks the same": acts(look_alike),
    "a note": acts(set_in({"do": "judge"}, note=MESSAGE)),
    "a snippet": acts(snippet),
    "vital made okay": acts(set_in({"do": "nugget"}, importance="okay")),
    "okay made vital": acts(set_in({"do": "nugget"}, importance="vital")),
    "a nugget's text": acts(set_in({"do": "nugget"}, text=MESSAGE)),
    "a nugget dropped": acts(drop(do="nugget")),
    "a list not frozen": acts(drop(do="freeze")),
    "a vote turned": acts(turn_vote),
    "a vote dropped": acts(drop(do="vote")),
    "a mark moved": acts(other_nugget),
    "a mark dropped": acts(drop(do="match")),
    "a mark made expressly absent": acts(set_in({"do": "match"}, value="none")),
    "a finished item dropped": acts(drop(do="review")),
    "a class moved": acts(move_class),
    "a class renamed": acts(set_in({"do": "class"}, **{"class": MESSAGE, "number": 99})),
    "a member of a class dropped": acts(drop(do="class")),
    "a found answer dropped": acts(drop(do="find_answer")),
    "a pick that none fits dropped": acts(drop(do="none")),
    "acts with a byte order mark": lambda files, _: _put(files, JUDGMENTS, MARK + files[JUDGMENTS]),
    "acts with other line ends": lambda files, _: _put(files, JUDGMENTS, files[JUDGMENTS].replace(b"\n", b"\r\n")),
    "acts with other spaces": lambda files, _: _put(files, JUDGMENTS, files[JUDGMENTS].replace(b'": ', b'":  ', 1)),
    "acts packed": lambda files, _: _put(files, JUDGMENTS, gzip.compress(files[JUDGMENTS])),
    "an export's digit": content("exports/", digits),
    "an export's last line dropped": content("exports/", lambda found: b"".join(found.splitlines(keepends=True)[:-1])),
    "an export's first line doubled": content("exports/", lambda found: found.splitlines(keepends=True)[0] + found),
    "an export's lines reordered": content("exports/", lambda found: b"".join(found.splitlines(keepends=True)[::-1])),
    "an export with a byte order mark": content("exports/", lambda found: MARK + found),
    "an export with other line ends": content("exports/", lambda found: found.replace(b"\n", b"\r\n")),
    "an export without its last line end": content("exports/", lambda found: found[:-1]),
    "an export packed": content("exports/", gzip.compress),
    "an export in other code points": content(
        "exports/", lambda found: unicodedata.normalize("NFD", found.decode().replace("e", "\u00e9", 1)).encode()
    ),
    "a score": content("scores/RUN", digits),
    "a mean": content("scores/means", digits),
    "a score with other line ends": content("scores/", lambda found: found.replace(b"\n", b"\r\n")),
    "a run that is not scored": drop_scored,
    "a measure of agreement": content("agreement", digits),
    "a topic's text": table("topics.jsonl", in_row(text=MESSAGE)),
    "a topic's ordinal": table("topics.jsonl", in_row(ordinal=99)),
    "a topic dropped": table("topics.jsonl", drop_row),
    "an item's text": table("items.jsonl", judged_item("text")),
    "an item's docno": table("items.jsonl", judged_item("docno")),
    "an item doubled": table("items.jsonl", double_row),
    "an item dropped": table("items.jsonl", drop_row),
    "a member of a pool dropped": table("pools.jsonl", drop_row),
    "a member of a pool doubled": table("pools.jsonl", double_row),
    "a probability": table("pools.jsonl", in_row(probability=0.5)),
    "a role of work": table("work.jsonl", swap_role),
    "a state of work": table("work.jsonl", in_row(state="started")),
    "work dropped": table("work.jsonl", drop_row),
    "an anchor": table("anchors.jsonl", in_row(start=7)),
    "an anchor dropped": table("anchors.jsonl", drop_row),
    "guidelines": content("guidelines/", lambda found: found + b"\n"),
    "a version of the guidelines dropped": drop_version,
    "the readme": content("README", lambda found: found + b"\n"),
    "a setting": setting,
    "the ledger point": in_manifest(as_of=1),
    "the title": in_manifest(campaign={"slug": "x", "title": "X", "time_zone": "UTC"}),
    "the code's version": in_manifest(code_version="0"),
    "what was missing": in_manifest(missing={"unjudged": 1}),
    "the digest of a pool": in_pool,
    "the list of exports": in_manifest(exports=[]),
    "the number of guidelines": in_manifest(guidelines=9),
    "a run's team": in_run("team", "TEAM-Z"),
    "a run's priority": in_run("priority", 9),
    "a run's name": in_run("name", "RUN-Z"),
    "two runs' files swapped": swap_runs,
    "a run with a byte order mark": content("runs/RUN", lambda found: MARK + found),
    "a run with other line ends": content("runs/RUN", lambda found: found.replace(b"\n", b"\r\n")),
    "a run packed": content("runs/RUN", gzip.compress),
    "what was said of a run": content("runs/forms", lambda found: found.replace(b"true", b"false", 1)),
    "a file more": add_file("more.txt"),
    "an export more": add_file("exports/more.tsv"),
    "scores of a run more": add_file("scores/RUN-Z.tsv"),
    "guidelines more": add_file("guidelines/99.md"),
    "a file renamed": rename_file,
}


def _put(files: Files, name: str, changed: bytes) -> str:
    files[name] = changed
    return name


OF_ANY_TRACK = frozenset(
    name for name, kind in KINDS.items() if getattr(kind, "__qualname__", "").split(".")[0] not in ("acts", "table")
)
"""Kinds that no track has anything of its own in: they are tried with one release."""

NAMED = frozenset(
    {
        "a note",
        "okay made vital",  # where nobody is asked for the importance
        "a finished item dropped",
        "a snippet",
        "an anchor dropped",
        "a topic's text",
        "an item's text",
        "a probability",
        "a state of work",
        "guidelines",
        "the readme",
        "a setting",
        "the ledger point",
        "the title",
        "the code's version",
        "what was missing",
        "the digest of a pool",
        "a run with a byte order mark",
        "a run with other line ends",
        "a run packed",
    }
)
"""Kinds that may change what nothing else in a release follows from: `verify` names the file as only compared with its
sum, and the sha256 of the manifest, published elsewhere, tells.
"""
