"""Back the whole site up while it runs, and restore it: the database and all stored files.

A backup is one tar file: manifest.json first, then the database, then the files by their sha256. The database is copied
as of one moment. Stored files are never changed or deleted, so all that the copy names still exist afterwards.

    manifest.json     layout, engine, migrations, rows of every table, sha256 and size of every file, and whether it may
                      be dropped once nothing needs it
    database.sqlite3  or database.dump, PostgreSQL's own format
    files/<sha256>    every stored file
"""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tarfile
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from assess.base.errors import Conflict, Invalid
from assess.base.files import nothing_dropped, put_back, stored_path, sync, waits_to_be_dropped
from assess.base.sentences import Sentence
from assess.campaigns.models import Campaign
from assess.releases.domain.backup_reading import (
    FILES,
    LAYOUT,
    MANIFEST,
    NAMES,
    check_postgresql,
    check_sqlite,
    require_fitting,
    run,
    unpack,
)
from scoring.reading.scratch import scratch_folder
from scoring.release.releases import digest_of

NOT_WRITTEN = {"SQLITE_FULL", "SQLITE_IOERR_WRITE"}
"""SQLite's errors of the copy alone, whose disk may be another than that of the site, which is only read."""
DROPPABLE = "may_be_dropped"
"""The member of a file in the manifest that versions before it neither wrote nor read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Backup:
    """The content of a backup: the rows of every table, the number of stored files, and the total size in bytes."""

    tables: dict[str, int]
    files: int
    size: int

    @property
    def rows(self) -> int:
        """The number of rows of all tables together."""
        return sum(self.tables.values())


def back_up(target: Path) -> Backup:
    """Write a backup of the whole site while the server runs, and return what it holds.

    The backup is written beside its place, and moved there when all of it is on the disk, readable by its owner alone.
    Refused: a ``target`` that exists or can't be written, and a database without tables, which is hardly the one meant.
    """
    if target.exists():
        raise Conflict(Sentence("%(target)s is there already. Name a new file.", target=str(target)))
    if not connection.introspection.table_names():
        raise Conflict(
            f"There is nothing to back up: the database {connection.settings_dict['NAME']} has no tables. Do "
            f"ASSAY_DATA_DIR ({settings.DATA_DIR}) and ASSAY_DATABASE name your site?"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with nothing_dropped(), scratch_folder(prefix=".assay-backup-", place=target.parent) as place:
            made = _write(place)
            (place / "backup.tar").replace(target)
            sync(target.parent)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, sqlite3.Error) and error.sqlite_errorname not in NOT_WRITTEN:
            raise
        raise Invalid(
            Sentence(
                "The backup can't be written to %(target)s: %(error)s.",
                target=str(target),
                error=getattr(error, "strerror", None) or str(error),
            )
        ) from error
    return made


def restore(source: Path, *, replace: bool = False) -> Backup:
    """Replace the site with a backup, and return what the backup holds. Stop the server first.

    Every sha256 is checked before anything is changed. Refused: a file that is no whole backup, one of another kind of
    database or of a newer program, and, without ``replace``, a site that has campaigns or accounts.
    """
    if not replace and not _is_empty():
        raise Conflict("This site is not empty. With --replace, all that it holds is replaced by the backup.")
    folder = Path(settings.DATA_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    with scratch_folder(prefix=".assay-restore-", place=folder) as place:
        manifest = unpack(source, place)
        require_fitting(manifest)
        _CHECKS[connection.vendor](place / NAMES[connection.vendor], manifest["tables"])
        _put_files(place / FILES, manifest["files"])
        _LOADS[connection.vendor](place / NAMES[connection.vendor])
    return _summary(manifest)


def require_empty_site() -> None:
    """Refuse to move rows into a site that has campaigns or accounts."""
    if not _is_empty():
        raise Conflict(
            f"The database to move into ({connection.settings_dict['NAME']}) is not empty: it holds campaigns or "
            "accounts already. ASSAY_DATABASE names where the rows go, the argument where they come from."
        )


def table_rows() -> dict[str, int]:
    """Return the number of rows of each existing table, whichever version of the program made it."""
    with connection.cursor() as cursor:
        return {name: _count(cursor, name) for name in counted_tables(connection.introspection.table_names(cursor))}


def counted_tables(names: Iterable[str]) -> list[str]:
    """Return the tables whose rows are counted: all but SQLite's internal tables and its index of words."""
    return sorted(name for name in names if not name.startswith(("sqlite_", "assess_documentsearch")))


def _count(cursor: Any, table: str) -> int:
    cursor.execute(f"SELECT COUNT(*) FROM {connection.ops.quote_name(table)}")
    return int(cursor.fetchone()[0])


def _is_empty() -> bool:
    """Return whether the site has no account and no campaign. A database without tables is empty, too."""
    names = set(connection.introspection.table_names())
    if Campaign._meta.db_table not in names:
        return True
    users = apps.get_model("auth", "User")
    return not Campaign.objects.exists() and not users._default_manager.exists()


# ---------------------------------------------------------------- writing


def _write(place: Path) -> Backup:
    database = place / NAMES[connection.vendor]
    tables = _DUMPS[connection.vendor](database)
    digests = [path.name for path in sorted((Path(settings.DATA_DIR) / FILES).glob("??/*")) if len(path.name) == 64]
    named: dict[str, dict[str, Any]] = {database.name: {"sha256": digest_of(database), "size": database.stat().st_size}}
    for digest in digests:
        entry: dict[str, Any] = {"sha256": digest, "size": stored_path(digest).stat().st_size}
        named[f"{FILES}/{digest}"] = entry | ({DROPPABLE: True} if waits_to_be_dropped(digest) else {})
    manifest = {
        "layout": LAYOUT,
        "engine": connection.vendor,
        "migrations": sorted(map(list, MigrationRecorder(connection).applied_migrations())),
        "tables": tables,
        "files": named,
    }
    content = (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode()
    handle = os.open(place / "backup.tar", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file, tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT) as archive:
        _add(archive, MANIFEST, io.BytesIO(content), len(content))
        for name, entry in named.items():
            path = database if name == database.name else stored_path(name.removeprefix(f"{FILES}/"))
            with path.open("rb") as stream:
                _add(archive, name, stream, entry["size"])
        file.flush()
        os.fsync(file.fileno())
    return _summary(manifest)


def _add(archive: tarfile.TarFile, name: str, stream: BinaryIO, size: int) -> None:
    entry = tarfile.TarInfo(name)
    entry.size, entry.mode = size, 0o600
    archive.addfile(entry, stream)


def _dump_sqlite(target: Path) -> dict[str, int]:
    """Copy the database as of one moment, by SQLite's own backup, which lets others write meanwhile. Return the number
    of rows of each table.
    """
    own = f"file:{connection.settings_dict['NAME']}?mode=ro"
    with closing(sqlite3.connect(own, uri=True)) as source, closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        names = [name for (name,) in copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: copy.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in counted_tables(names)}


def _dump_postgresql(target: Path) -> dict[str, int]:
    """Write PostgreSQL's own dump. Return the number of rows of each table, counted in the same snapshot."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        (snapshot,) = cursor.fetchone()
        rows = {name: _count(cursor, name) for name in counted_tables(connection.introspection.table_names(cursor))}
        run(["pg_dump", "--format=custom", "--no-owner", f"--snapshot={snapshot}", f"--file={target}"])
    return rows


# ---------------------------------------------------------------- restoring


def _put_files(folder: Path, named: dict[str, dict[str, Any]]) -> None:
    """Store every file of the backup, whose bytes have been checked. It replaces a file of the same name."""
    for path in sorted(folder.iterdir()):
        put_back(path, path.name, may_be_dropped=named[f"{FILES}/{path.name}"].get(DROPPABLE) is True)


def _load_sqlite(source: Path) -> None:
    """Write the backup's database over the current one, by SQLite's own backup: all pages or none."""
    connection.ensure_connection()
    connection.close()
    with closing(sqlite3.connect(source)) as backup, closing(sqlite3.connect(connection.settings_dict["NAME"])) as own:
        backup.backup(own)


def _load_postgresql(source: Path) -> None:
    """Replace all tables with the backup's, in one transaction.

    The current tables are dropped first, since a newer program may have tables that the backup lacks and that depend on
    those that it has.
    """
    name, script = connection.settings_dict["NAME"], source.with_suffix(".sql")
    with connection.cursor() as cursor:
        cursor.execute(_DROPPED)
        drops = "".join(f"{statement};\n" for (statement,) in cursor.fetchall())
    connection.close()
    run(["pg_restore", "--no-owner", f"--file={script}", str(source)])
    options = ["--no-psqlrc", "--quiet", f"--output={os.devnull}", "--set=ON_ERROR_STOP=1", "--single-transaction"]
    run(["psql", *options, f"--dbname={name}", f"--command={drops}", f"--file={script}"])


_DROPPED = """
SELECT 'DROP TABLE ' || oid::regclass || ' CASCADE' FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
UNION ALL
SELECT 'DROP FUNCTION ' || oid::regprocedure || ' CASCADE' FROM pg_proc
WHERE pronamespace = current_schema()::regnamespace
AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
"""
"""The statements that empty the schema, except for what belongs to extensions."""


def _summary(manifest: dict[str, Any]) -> Backup:
    sizes = [entry["size"] for entry in manifest["files"].values()]
    return Backup(tables=dict(manifest["tables"]), files=len(sizes) - 1, size=sum(sizes))


_DUMPS: dict[str, Callable[[Path], dict[str, int]]] = {"sqlite": _dump_sqlite, "postgresql": _dump_postgresql}
_CHECKS: dict[str, Callable[[Path, dict[str, int]], None]] = {"sqlite": check_sqlite, "postgresql": check_postgresql}
_LOADS: dict[str, Callable[[Path], None]] = {"sqlite": _load_sqlite, "postgresql": _load_postgresql}
