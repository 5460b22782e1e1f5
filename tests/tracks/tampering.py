"""What somebody could do to a release who wants it to look sound: `tampering_kinds.py` lists each with its name.

A kind takes the files of a release, by name, and its manifest, and changes either; it gives the name of the file that
it changed, or None where the release has nothing of the kind. Rows that were changed are written as a release is.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from scoring.formats.judgments_jsonl import read_judgments, write_judgments
from scoring.records import Issue
from scoring.release.releases import JUDGMENTS, MANIFEST

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


def put_file(files: Files, name: str, changed: bytes) -> str:
    files[name] = changed
    return name
