"""A backup that was made by hand or damaged is a clear error, before anything is changed."""

from __future__ import annotations

import hashlib
import io
import json
import random
import sqlite3
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from assess.base.errors import Invalid
from assess.releases.domain.backup_reading import check_sqlite, require_fitting, unpack

CONTENT = b"kept"
KEPT = "files/" + hashlib.sha256(CONTENT).hexdigest()
DIGIT = "9" * 5000


def entry(content: bytes) -> dict[str, Any]:
    return {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}


def manifest(**changes: Any) -> dict[str, Any]:
    files = {"database.sqlite3": entry(b"database"), KEPT: entry(CONTENT)}
    sound = {"layout": 1, "engine": "sqlite", "migrations": [["assess", "0001_schema"]], "files": files}
    return {**sound, "tables": {"assess_campaign": 1, "auth_user": 2}, **changes}


def packed(said: bytes, members: dict[str, bytes]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in {"manifest.json": said, **members}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return target.getvalue()


def read(content: bytes, place: Path) -> dict[str, Any]:
    """What `restore` does before it changes anything."""
    (place / "site.tar").write_bytes(content)
    (place / "inside").mkdir()
    try:
        found = unpack(place / "site.tar", place / "inside")
        require_fitting(found)
        check_sqlite(place / "inside" / "database.sqlite3", found["tables"])
    finally:
        assert {path.name for path in place.iterdir()} == {"site.tar", "inside"}
        assert {path.name for path in (place / "inside").iterdir()} <= {"database.sqlite3", "files"}
    return found


MEMBERS = {"database.sqlite3": b"database", KEPT: CONTENT}
HOSTILE: dict[str, bytes] = {
    "a list": b"[]",
    "a number": b"7",
    "half": b'{"layout": 1',
    "no UTF-8": b"\xff\xfe{",
    "nested": b"[" * 200_000,
    "nested objects": b'{"files":' * 200_000,
    "a number without end": f'{{"layout": {DIGIT}}}'.encode(),
    **{
        name: json.dumps(manifest(**changes)).encode()
        for name, changes in {
            "another layout": {"layout": 2},
            "no engine": {"engine": None},
            "engine list": {"engine": ["sqlite"]},
            "another engine": {"engine": "postgresql"},
            "files list": {"files": ["database.sqlite3"]},
            "files text": {"files": "database.sqlite3"},
            "an entry text": {"files": {"database.sqlite3": "x", KEPT: entry(CONTENT)}},
            "size text": {"files": {"database.sqlite3": {**entry(b"database"), "size": "8"}, KEPT: entry(CONTENT)}},
            "size below": {"files": {"database.sqlite3": {**entry(b"database"), "size": -8}, KEPT: entry(CONTENT)}},
            "sum list": {"files": {"database.sqlite3": {"sha256": ["a"] * 64, "size": 8}, KEPT: entry(CONTENT)}},
            "above the folder": {"files": {"database.sqlite3": entry(b"database"), "../" + KEPT: entry(CONTENT)}},
            "from the root": {"files": {"database.sqlite3": entry(b"database"), "/etc/passwd": entry(CONTENT)}},
            "no such files": {"files": {"database.sqlite3": entry(b"database"), "files/" + "0" * 64: entry(CONTENT)}},
            "tables list": {"tables": []},
            "rows text": {"tables": {"assess_campaign": "1", "auth_user": 2}},
            "rows endless": {"tables": {"assess_campaign": 10**400, "auth_user": 2}},
            "migrations text": {"migrations": "assess"},
            "migrations of three": {"migrations": [["assess", "0001_initial", "x"]]},
            "migrations nested": {"migrations": [[["assess"], {}]]},
            "migrations number": {"migrations": 3},
            "no database in it": {},
        }.items()
    },
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_manifest_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid) as refused:
        read(packed(HOSTILE[name], MEMBERS), tmp_path)
    assert refused.value.message.endswith(".")
    assert len(refused.value.message) < 500


@pytest.mark.parametrize("name", ["../outside", "/tmp/outside", "files/../../outside", "files", "manifest.json", ""])
def test_a_member_that_leaves_the_folder_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(Invalid):
        read(packed(json.dumps(manifest()).encode(), {**MEMBERS, name: CONTENT}), tmp_path)


def test_a_database_with_other_rows_is_refused_and_a_sound_one_taken(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "made.sqlite3") as made:
        made.executescript("CREATE TABLE assess_campaign (id); CREATE TABLE auth_user (id);")
        made.executescript("INSERT INTO assess_campaign VALUES (1); INSERT INTO auth_user VALUES (1), (2);")
    made.close()
    database = (tmp_path / "made.sqlite3").read_bytes()
    files = {"database.sqlite3": entry(database), KEPT: entry(CONTENT)}
    for number, (tables, words) in enumerate(
        [
            ({"assess_campaign": 2, "auth_user": 2}, "has other rows"),
            ({"assess_campaign": 1, "auth_user": 2, "assess_item": 0}, "can't be read"),
            ({"assess_campaign": 1}, "no table auth_user"),
            ({"assess_campaign": 1, "auth_user": 2}, ""),
        ]
    ):
        place = tmp_path / str(number)
        place.mkdir()
        said = manifest(files=files, tables=tables)
        content = packed(json.dumps(said).encode(), {**MEMBERS, "database.sqlite3": database})
        if not words:
            assert read(content, place) == said
            continue
        with pytest.raises(Invalid, match=words):
            read(content, place)


def test_damage_anywhere_is_refused_or_harmless(tmp_path: Path) -> None:
    sound = packed(json.dumps(manifest()).encode(), MEMBERS)
    chance = random.Random(7)
    refused = 0
    for number in range(300):
        broken = bytearray(sound)
        for _ in range(chance.choice([1, 1, 4, 40])):
            broken[chance.randrange(6 * 512)] = chance.randrange(256)
        cut = bytes(broken[: chance.choice([len(broken), chance.randrange(len(broken))])])
        (tmp_path / "site.tar").write_bytes(cut)
        place = tmp_path / str(number)
        place.mkdir()
        try:
            unpack(tmp_path / "site.tar", place)
        except Invalid:
            refused += 1
            continue
        assert (place / "database.sqlite3").read_bytes() == b"database"
        assert (place / KEPT).read_bytes() == CONTENT
    assert refused > 200


@pytest.mark.django_db
def test_a_backup_of_an_older_program_is_read_and_one_of_a_newer_refused() -> None:
    for known in ([["assess", "0001_initial"]], [["assess", "0001_schema"], ["nuggets", "0004_values_of_marks"]]):
        require_fitting(manifest(migrations=known, engine=connection.vendor))
    with pytest.raises(Invalid, match=r"newer program: it knows assess\.9999_later"):
        require_fitting(manifest(migrations=[["assess", "9999_later"]], engine=connection.vendor))
    other = {"sqlite": "postgresql", "postgresql": "sqlite"}[connection.vendor]
    with pytest.raises(Invalid, match=f"The backup is of {other}.*manage.py move_database"):
        require_fitting(manifest(engine=other))
