"""Which tests run on PostgreSQL, too: all whose transactions are real or that start a site of their own, since locks,
outages and backups are tried there; and the fewest others that send it every statement that any test sends.

What a test did counts, not its name. A statement that PostgreSQL refused counts apart from the same one taken, by why
it was refused: so is each trigger and constraint met. A search counts by the form of what it looks for, and is sent
once from each file of tests that searches, as PostgreSQL's own programs are. What tests themselves ask does not count.

The others stand in `tests/not_on_postgresql.txt`, and `--fewest` leaves them out. A test that is new, renamed or moved
to another file does not stand there and runs, until the list is made anew:

    make postgresql-tests

This runs all tests on PostgreSQL with `--record-statements FOLDER`, which writes what each test sends and costs, and
then `python -m tests.on_postgresql FOLDER`, which chooses. With `--check` it changes nothing and fails where a
statement is sent by none that would run; `make test-all` does that.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

LIST = Path(__file__).with_name("not_on_postgresql.txt")
OWN = re.compile(r"::tsquery\b|^pg_\w+$")
"""What PostgreSQL does by a language or a program of its own."""
ROOT = Path(__file__).resolve().parent.parent
BACKENDS = {"patient_sqlite"}
OVERHEAD = 0.05
"""Seconds that a test costs however little it does."""

NUMBER, TEXT = re.compile(r"\b\d+\b"), re.compile(r"'(?:[^']|'')*'")
SAVEPOINT = re.compile(r'"s\d+_x\d+"')
VALUES = re.compile(r"\((?:\s*(?:%s|0|'')\s*,?)+\)")
ROWS = re.compile(r"\(…\)(?:, ?\(…\))+")


def normalised(sql: str) -> str:
    """A statement without its numbers and texts, with one row for many.

    >>> normalised("SELECT a FROM b WHERE c IN (%s, %s) AND d = 'e' LIMIT 21")
    "SELECT a FROM b WHERE c IN (…) AND d = '' LIMIT 0"
    >>> normalised('INSERT INTO a VALUES (%s, %s),  (%s, %s)')
    'INSERT INTO a VALUES (…)'
    """
    plain = NUMBER.sub("0", TEXT.sub("''", SAVEPOINT.sub('"savepoint"', sql)))
    return ROWS.sub("(…)", VALUES.sub("(…)", " ".join(plain.split())))


def form_of_search(sql: str, params: Any) -> str:
    """What a search looks for, with one word for any: PostgreSQL reads it as a language of its own.

    >>> form_of_search("WHERE words @@ %s::tsquery", ["(('blue' <-> 'bicycle')) & !(('red':*))", 7])
    "(('w' <-> 'w')) & !(('w':*))"
    """
    sought = [each for each in params or () if isinstance(each, str)] if "::tsquery" in sql else []
    return " and ".join(sorted({TEXT.sub("'w'", each) for each in sought}))


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What one test sent: its name in the list, its seconds, its statements, and whether it runs in any case."""

    name: str
    seconds: float
    statements: frozenset[str]
    always: bool


def name_of(item: pytest.Item) -> str:
    """A test's name in the list: its file's name without the folder, which may change, and its own."""
    return f"{item.path.stem}::{item.name}"


def choose(sent: Iterable[Sent]) -> set[str]:
    """The names of the fewest that send every statement, nearly: each time the one that brings most for its seconds,
    and in the end without those whose statements the others send, the slowest first.
    """
    tests = sorted(sent, key=lambda each: each.name)
    chosen = {each.name for each in tests if each.always}
    missing = frozenset().union(*(each.statements for each in tests))
    missing -= frozenset().union(*(each.statements for each in tests if each.always))
    while missing:
        best = max(tests, key=lambda each: len(each.statements & missing) / (each.seconds + OVERHEAD))
        chosen.add(best.name)
        missing -= best.statements
    times = Counter(each for test in tests if test.name in chosen for each in test.statements)
    for test in sorted(tests, key=lambda each: -each.seconds):
        if test.name in chosen and not test.always and all(times[each] > 1 for each in test.statements):
            chosen.remove(test.name)
            times.subtract(test.statements)
    return chosen


def unsent(sent: Sequence[Sent], left_out: set[str]) -> set[str]:
    """The statements that only tests send which are left out."""
    runs = [each.statements for each in sent if each.name not in left_out]
    return {*frozenset().union(*(each.statements for each in sent)).difference(*runs)}


def read_list() -> set[str]:
    """The names of those that are left out."""
    return {*LIST.read_text().splitlines()}


def read_recorded(folder: Path) -> list[Sent]:
    """What was recorded, of all processes together; a name that several tests have is one."""
    found: dict[str, Sent] = {}
    for line in (line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()):
        name, seconds, statements, always = json.loads(line)
        known = found.get(name) or Sent(name=name, seconds=0.0, statements=frozenset(), always=False)
        found[name] = Sent(
            name=name,
            seconds=known.seconds + seconds,
            statements=known.statements | {*statements},
            always=known.always or always,
        )
    return [*found.values()]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("assay")
    group.addoption("--fewest", action="store_true", help="leave out what tests/not_on_postgresql.txt names")
    group.addoption("--record-statements", metavar="FOLDER", help="write there what each test sends to the database")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is left out, with `--fewest`."""
    if config.getoption("--fewest"):
        left_out = read_list()
        config.hook.pytest_deselected(items=[item for item in items if name_of(item) in left_out])
        items[:] = [item for item in items if name_of(item) not in left_out]


_sent: set[str] = set()
"""What the test that runs has sent so far, normalised."""


def pytest_configure(config: pytest.Config) -> None:
    """Note PostgreSQL's own programs, too, with `--record-statements`."""
    if config.getoption("--record-statements"):
        sys.addaudithook(_note_program)


def _note_program(event: str, given: tuple[Any, ...]) -> None:
    if event == "subprocess.Popen" and (name := os.path.basename(str(given[0]))).startswith("pg_"):
        _sent.add(name)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, Any, Any]:
    """The database is made during the first test, which is no work of its own."""
    before = {*_sent}
    try:
        return (yield)
    finally:
        if fixturedef.argname == "django_db_setup":
            _sent.clear()
            _sent.update(before)


@contextmanager
def noted() -> Iterator[None]:
    """What is sent within is noted, taken or refused."""
    from django.db import Error
    from django.db.backends.utils import CursorWrapper
    from psycopg import Cursor

    alone, many, copy = CursorWrapper._execute, CursorWrapper._executemany, Cursor.copy

    def note(send: Callable[..., Any], cursor: Any, sql: Any, params: Any, *args: Any) -> Any:
        if asked_by_a_test(sys._getframe(2)):
            return send(cursor, sql, params, *args)
        statement = f"{normalised(str(sql))} {form_of_search(str(sql), params)}".strip()
        try:
            sent = send(cursor, sql, params, *args)
        except Error as error:
            _sent.add(f"{getattr(error.__cause__, 'sqlstate', '')} {statement}")
            raise
        _sent.add(statement)
        return sent

    def copied(cursor: Any, sql: Any, *args: Any, **options: Any) -> Any:
        _sent.add(normalised(str(sql)))
        return copy(cursor, sql, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CursorWrapper, "_execute", lambda cursor, sql, *args: note(alone, cursor, sql, *args))
        patch.setattr(CursorWrapper, "_executemany", lambda cursor, sql, *args: note(many, cursor, sql, *args))
        patch.setattr(Cursor, "copy", copied)
        yield


def asked_by_a_test(frame: FrameType | None) -> bool:
    """Whether of the project's files it is one of the tests that asks: to see what is stored, or to make a world."""
    while frame is not None:
        if part := part_of_project(frame.f_code.co_filename):
            return part == "tests"
        frame = frame.f_back
    return False


@cache
def part_of_project(file: str) -> str:
    """The first folder of a file of the project, "" of any other and of what all statements go through."""
    path = Path(file)
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ("",)
    return "" if parts[0].startswith(".") or BACKENDS & {*parts} else parts[0]


def own(file: str) -> set[str]:
    """What was asked of PostgreSQL alone, as sent from this file of tests."""
    return {f"{file}: {each}" for each in _sent if OWN.search(each)}


def is_real(item: pytest.Item) -> bool:
    """Whether the test's transactions are real, or it starts a site of its own: one that takes no database here."""
    mark = item.get_closest_marker("django_db")
    names = {*getattr(item, "fixturenames", ())}
    return "transactional_db" in names or (mark.kwargs.get("transaction", False) if mark else "db" not in names)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    """Write what the test sends and costs, with `--record-statements`."""
    folder = item.config.getoption("--record-statements")
    if not folder:
        return (yield)
    _sent.clear()
    begun = _seconds()
    try:
        with noted():
            return (yield)
    finally:
        row = [name_of(item), round(_seconds() - begun, 3), sorted(_sent | own(item.path.stem)), is_real(item)]
        with (Path(folder) / f"{os.getpid()}.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")


def _seconds() -> float:
    """What this process and its children have computed so far."""
    return sum(os.times()[:4])


def main() -> None:
    """Choose, or check what was chosen."""
    parser = argparse.ArgumentParser(description="Chooses which tests run on PostgreSQL.")
    parser.add_argument("folder", type=Path, help="what --record-statements wrote")
    parser.add_argument("--check", action="store_true", help="fail where a statement is sent by none that would run")
    options = parser.parse_args()
    sent = read_recorded(options.folder)
    if options.check:
        if missing := sorted(unsent(sent, read_list())):
            sys.exit("No test that runs on PostgreSQL sends these. Run: make postgresql-tests\n" + "\n".join(missing))
        return
    chosen = choose(sent)
    LIST.write_text(
        "".join(f"{each.name}\n" for each in sorted(sent, key=lambda each: each.name) if each.name not in chosen)
    )
    runs = [each for each in sent if each.name in chosen]
    print(f"{len(runs)} of {len(sent)} tests, {sum(each.seconds for each in runs):.0f} of", end=" ")
    print(f"{sum(each.seconds for each in sent):.0f} seconds")


if __name__ == "__main__":
    main()
