"""Read a backup that may come from anywhere: nothing in it is trusted before its sums are checked."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import subprocess
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from assess.base.errors import Invalid
from assess.campaigns.models import Campaign
from scoring.reading.json_reading import read_json
from scoring.wording import counted

LAYOUT = 1
MANIFEST = "manifest.json"
NAMES = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
FILES = "files"
LEFT_OUT = ("authtoken",)
"""Apps that older versions had and this one lacks. Migrations take over their data."""
CHUNK = 1 << 20
MANIFEST_LIMIT = 256 << 20


def unpack(source: Path, place: Path) -> dict[str, Any]:
    """Unpack the backup's files below ``place``, and return the manifest.

    Raises `Invalid` for a file that is no backup, that ends early, or in which a file is not what the manifest says.
    """
    try:
        with tarfile.open(source, mode="r:") as archive:
            members = iter(archive)
            manifest = _manifest(archive, next(members, None))
            left = dict(manifest["files"])
            (place / FILES).mkdir()
            for member in members:
                entry = left.pop(member.name, None)
                if entry is None or not member.isfile() or member.issparse() or member.size != entry["size"]:
                    raise Invalid(f"“{member.name[:100]}” is not what the backup's manifest says. Nothing was changed.")
                _copy(cast(BinaryIO, archive.extractfile(member)), place / member.name, entry["sha256"])
    except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
        raise Invalid(f"{source} is no backup that can be read: {str(error)[:200]}. Nothing was changed.") from error
    if left:
        raise Invalid(
            f"The backup ends early: {counted(len(left), 'file is', 'files are')} missing. Nothing was changed."
        )
    return manifest


def _manifest(archive: tarfile.TarFile, member: tarfile.TarInfo | None) -> dict[str, Any]:
    stream = archive.extractfile(member) if member is not None and member.name == MANIFEST else None
    if stream is None or member is None or member.size > MANIFEST_LIMIT:
        raise Invalid(f"The file is no backup of a site: it does not begin with {MANIFEST}.")
    try:
        manifest: dict[str, Any] = read_json(stream.read())
        names = set(manifest["files"])
        database = NAMES[manifest["engine"]]
        sound = manifest["layout"] == LAYOUT and database in names and all(map(_is_name, names - {database}))
        sound = sound and all(
            type(each["size"]) is int and len(each["sha256"]) == 64 for each in manifest["files"].values()
        )
        sound = sound and all(type(each) is int and 0 <= each < 2**63 for each in manifest["tables"].values())
        sound = sound and all(_is_pair(each) for each in list(manifest["migrations"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Invalid(f"The backup's {MANIFEST} can't be read: {str(error)[:200]}. Nothing was changed.") from error
    if not sound:
        raise Invalid(f"The backup's {MANIFEST} is none of layout {LAYOUT}. Nothing was changed.")
    return manifest


def _is_pair(key: Any) -> bool:
    """Return whether a value names a migration by its app and its name."""
    return isinstance(key, list) and len(key) == 2 and all(isinstance(part, str) for part in key)


def _is_name(name: str) -> bool:
    folder, _, digest = name.partition("/")
    return folder == FILES and len(digest) == 64 and set(digest) <= set("0123456789abcdef")


def _copy(stream: BinaryIO, target: Path, expected: str) -> None:
    digest = hashlib.sha256()
    with target.open("xb") as file:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
            file.write(chunk)
    if digest.hexdigest() != expected:
        raise Invalid(f"The sum of “{target.name}” is not that of the backup's manifest. Nothing was changed.")


def require_fitting(manifest: dict[str, Any]) -> None:
    """Refuse a backup of another kind of database or of a newer program.

    A backup of an older program passes; it is migrated later.
    """
    if manifest["engine"] != connection.vendor:
        engine, vendor = manifest["engine"], connection.vendor
        raise Invalid(
            f"The backup is of {engine}, and this site keeps its data in {vendor}. Restore it into an empty "
            f"database of {engine}, which ASSAY_DATABASE names (none: SQLite), and move that one here with “manage.py "
            "move_database”. Nothing was changed."
        )
    applied = {tuple(key) for key in manifest["migrations"] if key[0] not in LEFT_OUT}
    unknown = sorted(applied - set(MigrationLoader(None).disk_migrations))
    if unknown:
        name = ".".join(unknown[0])[:200]
        raise Invalid(f"The backup is of a newer program: it knows {name}. Install that first. Nothing was changed.")


def check_sqlite(source: Path, tables: dict[str, int]) -> None:
    """Refuse a file that is not a database, that has other numbers of rows in its tables than the manifest says, or
    that is no database of a site.
    """
    try:
        with closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as backup:
            for name, rows in tables.items():
                quoted = name.replace('"', '""')
                if backup.execute(f'SELECT COUNT(*) FROM "{quoted}"').fetchone()[0] != rows:
                    raise Invalid(f"The backup's table {name[:100]} has other rows than its manifest says.")
    except (sqlite3.Error, ValueError) as error:
        raise Invalid(f"The backup's database can't be read: {error}. Nothing was changed.") from error
    _require_tables(tables)


def check_postgresql(source: Path, tables: dict[str, int]) -> None:
    """Refuse a file that is not a dump. A later error changes nothing, since the dump is loaded in one transaction."""
    run(["pg_restore", "--list", f"--file={os.devnull}", str(source)])
    _require_tables(tables)


def _require_tables(tables: dict[str, int]) -> None:
    if missing := {Campaign._meta.db_table, "auth_user"} - set(tables):
        raise Invalid(f"The backup holds no table {min(missing)}, so it is none of a site. Nothing was changed.")


def run(command: list[str]) -> None:
    """Run one of PostgreSQL's own programs, with the database's location and password in its environment.

    Raises `Invalid` if it is missing or fails.
    """
    values = connection.settings_dict
    environment = {**os.environ, "PGDATABASE": str(values["NAME"])}
    for name, key in (("PGHOST", "HOST"), ("PGPORT", "PORT"), ("PGUSER", "USER"), ("PGPASSWORD", "PASSWORD")):
        if values.get(key):
            environment[name] = str(values[key])
    if shutil.which(command[0]) is None:
        raise Invalid(f"The program {command[0]} is not installed here. Install PostgreSQL's client programs.")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Invalid(f"{command[0]} failed: {done.stderr.strip()[:500]}")
