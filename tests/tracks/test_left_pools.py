"""Releases of campaigns from which judged runs were withdrawn: they verify, load again, and name no withdrawn run."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from assess.base.errors import Invalid
from assess.models import Campaign, Item
from assess.organising.domain import change_state
from assess.pools.domain.building import build_pool
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.runs.domain.deciding import withdraw_run
from assess.runs.queries import accepted_runs
from assess.topics.domain.changing import drop_topic, restore_topic
from scoring.__main__ import main
from scoring.release.releases import EXPORTS, LEFT_ITEMS
from tests.assess.releases.small_release import sign
from tests.parts import judged_of
from tests.tracks import track_folder
from tests.tracks.conftest import Judged
from tests.unpacked import unpack_release


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module; `scratch` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@judged_of("aquaint-definition", "biogen2024")
@pytest.mark.usefixtures("scratch")
def test_what_left_the_pools_after_it_was_judged_is_released_and_loaded(
    judged: Judged, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign, organiser = Campaign.objects.get(pk=judged.campaign.pk), judged.organiser
    gone = list(accepted_runs(campaign))[:2]
    for run in gone:
        withdraw_run(actor=organiser, run=run)
    topic = campaign.topics.exclude(task="")[0].number
    drop_topic(actor=organiser, campaign=campaign, number=topic, reason=f"{gone[0].tag} of {gone[0].team} was late.")
    restore_topic(actor=organiser, campaign=campaign, number=topic)
    for task in dict.fromkeys(campaign.pools.values_list("task", flat=True)):
        build_pool(actor=organiser, campaign=campaign, task=task, drop_judged=True)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)
    folder = tmp_path / "release"
    unpack_release(make_release(actor=organiser, campaign=campaign), folder)

    left = [json.loads(line) for line in (folder / LEFT_ITEMS).read_text().splitlines()]
    assert left and all(row["text"] or row["docno"] or "@" in row["key"] for row in left)
    assert main(["verify", str(folder)]) == 0
    named = re.compile("|".join(rf"\b{re.escape(run.tag)}\b" for run in gone))
    files = [path for path in folder.rglob("*") if path.suffix in (".jsonl", ".json", ".tsv", ".md")]
    assert [path.name for path in files if named.search(path.read_text())] == []

    copy = import_release(actor=organiser, path=folder, slug="copy")
    for name, content in track_folder.exported(copy, organiser=organiser).items():
        assert content == (folder / EXPORTS / name).read_bytes(), name
    assert Item.objects.filter(topic__campaign=copy, pool_items=None, judgments__isnull=False).exists()

    if campaign.track != "biogen2024":  # of which older versions could make no such release
        older = tmp_path / "older"
        shutil.copytree(folder, older)
        sign(older, lambda manifest: manifest["files"].pop(LEFT_ITEMS))
        (older / LEFT_ITEMS).unlink()
        copy = import_release(actor=organiser, path=older, slug="older")
        for name, content in track_folder.exported(copy, organiser=organiser).items():
            assert content == (folder / EXPORTS / name).read_bytes(), name

    row = {**left[0], "key": "another"}
    (folder / LEFT_ITEMS).write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in (*left, row)))
    sign(folder)
    assert main(["verify", str(folder)]) == 1
    assert "it has items that exports/judgments.jsonl says nothing of" in capsys.readouterr().out
    (folder / LEFT_ITEMS).write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in (*left, left[0])))
    sign(folder)
    with pytest.raises(Invalid, match="says the same as one before it"):
        import_release(actor=organiser, path=folder, slug="twice")
