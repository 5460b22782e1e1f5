"""Worlds that are made once: what is stored for the next test is what was made for the first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models.expressions import Col

from assess.models import Campaign, Topic
from tests import factories
from tests.committed import taken_back
from tests.remembered import remembered

pytestmark = pytest.mark.django_db
on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL's numbers go on from test to test")


def stored() -> dict[str, list[tuple[Any, ...]]]:
    """All rows of all tables."""
    with connection.cursor() as cursor:
        tables = [name for name in connection.introspection.table_names(cursor) if name != "sqlite_sequence"]
        return {table: cursor.execute(f"SELECT * FROM {table}").fetchall() for table in [*tables, "sqlite_sequence"]}


def kept_in(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
    }


def make_world(campaign: Campaign, settings: Any, tmp_path: Path) -> tuple[Campaign, list[Topic], Path, User]:
    """Rows one by one and many at once, changed rows, a file with its mode, and a campaign changed in memory."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    settings.DATA_DIR.chmod(0o750)
    (settings.DATA_DIR / "kept").write_text("blue")
    (settings.DATA_DIR / "kept").chmod(0o640)
    rigid = campaign.topics.get(number="1.1")
    items = factories.pooled(rigid, ["blue bicycle", "green bicycle"])
    factories.document(campaign, "D1")
    factories.response(factories.run(campaign, "Harbor1", factories.user("harbor")), rigid, items)
    Campaign.objects.filter(pk=campaign.pk).update(title="Changed")
    campaign.title = "Changed"
    return (
        campaign,
        list(campaign.topics.order_by("pk")),
        settings.DATA_DIR / "kept",
        User.objects.get(username="harbor"),
    )


@pytest.fixture
def made() -> tuple[list[int], Callable[..., Any]]:
    """How often the world was made, and what makes it."""
    times: list[int] = []

    def world(campaign: Campaign, settings: Any, tmp_path: Path) -> Any:
        times.append(1)
        return make_world(campaign, settings, tmp_path)

    return times, remembered(world)


def begin(settings: Any, folder: Path) -> dict[str, Any]:
    """What the world is made from, as a test begins."""
    folder.mkdir()
    settings.DATA_DIR = folder.parent
    campaign = factories.campaign(organiser=factories.user("organiser"))
    return {"campaign": campaign, "settings": settings, "tmp_path": folder}


@on_sqlite
def test_what_is_stored_the_second_time_is_what_was_made(made: Any, settings: Any, tmp_path: Path) -> None:
    times, world = made
    found = []
    for name in ("first", "second"):
        with taken_back():
            given = begin(settings, tmp_path / name)
            campaign, topics, kept, person = world(**given)
            assert campaign is given["campaign"] and topics[0].campaign_id == campaign.pk
            assert kept == settings.DATA_DIR / "kept" == tmp_path / name / "data" / "kept"
            rows = stored()
            of_world = {table: rows[table] for table in rows if table.startswith(("assess_document", "assess_item"))}
            counted = {table: len(each) for table, each in rows.items()}
            own = (campaign.title, [topic.number for topic in topics], person.username, person.check_password("no"))
            found.append((of_world, counted, kept_in(tmp_path / name), own, rows["sqlite_sequence"]))
    assert found[0] == found[1]
    assert times == [1]


@on_sqlite
def test_with_other_rows_it_is_made_as_if_it_had_never_been(made: Any, settings: Any, tmp_path: Path) -> None:
    times, world = made
    with taken_back():
        world(**begin(settings, tmp_path / "first"))
    with taken_back():
        given = begin(settings, tmp_path / "second")
        factories.document(given["campaign"], "D0")
        world(**given)
        assert list(given["campaign"].documents.values_list("docno", flat=True)) == ["D0", "D1"]
        assert given["campaign"].runs.count() == 1
    assert times == [1, 1]
    with taken_back():
        world(**begin(settings, tmp_path / "third"))
    assert times == [1, 1]


@on_sqlite
def test_what_takes_rows_back_is_made_each_time() -> None:
    times = []

    @remembered
    def world(organiser: User) -> None:
        times.append(1)
        with transaction.atomic():
            factories.campaign(organiser=organiser)
            transaction.set_rollback(True)

    for _ in range(2):
        with taken_back():
            world(organiser=factories.user("organiser"))
    assert times == [1, 1]


def test_what_would_be_done_to_something_else_is_not_remembered(client: Any) -> None:
    with pytest.raises(TypeError, match="is not remembered"):
        remembered(lambda client: client)(client=client)


def test_columns_that_are_equal_are_kept_as_one() -> None:
    title, slug = Campaign._meta.get_field("title"), Campaign._meta.get_field("slug")
    assert len({Col("a", title), Col("a", title), Col("b", title), Col("a", slug)}) == 3
