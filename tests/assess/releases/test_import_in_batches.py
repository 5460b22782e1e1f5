"""The items and pools of a release are stored so many at once; what is said twice is found across all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from assess.base.errors import BadFile, Refused
from assess.models import Campaign, Item, PoolItem
from assess.releases.domain import import_rows as rows
from assess.releases.domain.importing import import_release
from tests.assess.releases.small_release import folder, sign, site, store, twice  # noqa: F401
from tests.tracks import track_folder

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("name", ["items.jsonl", "pools.jsonl"])
def test_a_line_that_comes_again_much_later_is_refused(
    name: str,
    folder: Path,  # noqa: F811
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "BATCH", 3)
    twice(name)(folder)
    with pytest.raises(Refused, match=f"{name}: line [0-9]+ says the same as one before it"):
        import_release(actor=organiser, path=folder, slug="copy")
    assert not Campaign.objects.filter(slug="copy").exists()


def test_many_batches_give_the_same_exports(
    folder: Path,  # noqa: F811
    organiser: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "BATCH", 3)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert PoolItem.objects.filter(pool__campaign=copy).count() == Item.objects.filter(topic__campaign=copy).count() > 9
    exported = track_folder.exported(copy, organiser=organiser)
    assert exported == {path.name: path.read_bytes() for path in (folder / "exports").iterdir()}


def test_judgments_in_any_order_of_their_topics_are_the_same(
    folder: Path,  # noqa: F811
    organiser: User,
) -> None:
    path = folder / "exports/judgments.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    other = lines[0].replace('"topic": "1"', '"topic": "nowhere"')
    path.write_text("".join([lines[0], "\n", other, *lines[1:], other]))
    sign(folder)
    with pytest.raises(BadFile) as refused:
        import_release(actor=organiser, path=folder, slug="copy")
    assert [issue.where for issue in refused.value.issues] == [3]
    path.write_text("".join(["\n", *reversed(lines)]))
    sign(folder)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert track_folder.exported(copy, organiser=organiser)["judgments.jsonl"].decode() == "".join(lines)
