"""Releases: the same bytes twice, nobody's tag in them, everything checked before it is kept, published once."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

import pyarrow.parquet
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.base.errors import Conflict
from assess.base.process import code_version
from assess.campaigns.activity import record_activity
from assess.campaigns.domain import create_campaign
from assess.campaigns.queries import frozen_point, ledger_point, newest_point, track_of
from assess.jobs.background import do_job
from assess.jobs.progress import JobProgress, Stopped
from assess.judging.snapshots import Snapshot
from assess.models import Activity, Campaign, Item, Job, PoolItem, Release, Run
from assess.organising.domain import change_state, unfreeze_campaign
from assess.releases.domain import release_files
from assess.releases.domain.archives import release_archive
from assess.releases.domain.releasing import make_release, publish_release, release_key
from assess.releases.domain.renamed_runs import release_names, renamed
from assess.scores.domain import score_campaign
from scoring.own_items import own_key
from scoring.records import JudgedInstance, OwnedNugget, TopicMatches
from scoring.release.recorded_acts import TopicMarks
from scoring.release.releases import open_release
from tests import factories
from tests.pages import page_of
from tests.unpacked import unpack_release

TAGS = ("maple", "oak", "willow")

pytestmark = pytest.mark.usefixtures("frozen")


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module: `frozen` takes back what a test writes."""
    with django_db_blocker.unblock():
        yield


@pytest.fixture
def organiser(frozen: Campaign) -> User:
    return User.objects.get(username="organiser")


def names_in(release: Release) -> list[str]:
    with release_archive(release) as file, zipfile.ZipFile(file) as archive:
        return archive.namelist()


def test_the_newest_point_of_a_closed_campaign_is_where_it_was_frozen(
    client: Client, frozen: Campaign, organiser: User
) -> None:
    client.force_login(organiser)
    point = frozen_point(frozen)
    now = ledger_point(frozen)
    other = create_campaign(actor=organiser, slug="other", title="Another", track="adhoc")
    assert ledger_point(other) > ledger_point(frozen) == now
    with transaction.atomic():
        record_activity(actor=organiser, action="member.add", campaign=frozen)
    assert ledger_point(frozen) > ledger_point(other) > point
    assert newest_point(frozen) == point == score_campaign(Snapshot(frozen)).as_of
    for name in ("scores", "exports", "analysis"):
        page = client.get(reverse(name, args=["hives"]))
        assert page.context["newest"] == point, name
        assert f"{point:,}" in page_of(page)
    assert client.get(reverse("exports", args=["hives"])).context["as_of"] == point
    now = ledger_point(frozen)
    late = client.get(reverse("scores", args=["hives"]), {"as_of": now})
    assert (late.status_code, late.context["scores"].as_of) == (200, now)
    assert client.get(reverse("scores", args=["hives"]), {"as_of": now + 1}).status_code == 422
    unfreeze_campaign(actor=organiser, campaign=frozen, reason="One was judged by old guidelines.")
    assert newest_point(Campaign.objects.get(pk=frozen.pk)) == ledger_point(frozen) > now


def test_a_release_made_twice_is_the_same_byte_for_byte(frozen: Campaign, organiser: User, tmp_path: Path) -> None:
    first = make_release(actor=organiser, campaign=frozen)
    folders = []
    for place in ("one", "two"):
        call_command("release", "hives", str(tmp_path / place), zip=tmp_path / f"{place}.zip", stdout=io.StringIO(),
                     stderr=io.StringIO())  # fmt: skip
        folders.append({p.relative_to(tmp_path / place): p.read_bytes() for p in (tmp_path / place).rglob("*.*")})
    assert folders[0] == folders[1]
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert Release.objects.get() == first
    Release.objects.all().delete()
    assert make_release(actor=organiser, campaign=frozen).archive == first.archive


def test_a_release_is_of_the_point_at_which_the_campaign_was_frozen(frozen: Campaign, organiser: User) -> None:
    point = frozen_point(frozen)
    assert Activity.objects.get(pk=point).data["to"] == "frozen"
    factories.member(frozen, "late", "assessor")
    assert make_release(actor=organiser, campaign=frozen).as_of == point


def test_no_run_tag_stands_in_any_file_and_the_key_is_apart(frozen: Campaign, organiser: User, tmp_path: Path) -> None:
    pool = frozen.pools.get()
    pool.recipe["selection"] = {"union": {"documents": 1, "file": "maple-more.tsv"}}
    pool.save()
    release = make_release(actor=organiser, campaign=frozen)
    unpack_release(release, tmp_path / "release")
    for path in (tmp_path / "release").rglob("*"):
        if path.is_file():
            is_table = path.suffix == ".parquet"
            said = str(pyarrow.parquet.read_table(path).to_pylist()) if is_table else path.read_text(encoding="utf-8")
            words = re.findall(r"\w+", said)
            assert [tag for tag in TAGS if tag in words] == [], path
    assert not any("key" in name for name in names_in(release))
    key = {row[1]: row[0] for row in release_key(frozen).key}
    assert (set(key), set(key.values())) == (set(TAGS), {"RUN-A", "RUN-B", "RUN-C"})
    run = (tmp_path / "release" / "runs" / f"{key['maple']}.txt").read_text().splitlines()
    assert run[0] == f"1 Q0 HIVE-01 1 9.5 {key['maple']}"


def test_a_run_that_was_pooled_and_then_withdrawn_is_not_named(frozen: Campaign, organiser: User) -> None:
    gone = factories.run(frozen, "larch9", organiser)
    Run.objects.filter(pk=gone.pk).update(state=Run.State.WITHDRAWN, file="f" * 64)
    pool = frozen.pools.get()
    pool.recipe["runs"].append(["larch9", "f" * 64])
    pool.save()
    manifest = make_release(actor=organiser, campaign=frozen).manifest
    runs = manifest["pools"][0]["recipe"]["runs"]  # though their teams are called as they are
    assert runs == [[name, f"the file of {name}"] for name in ("RUN-A", "RUN-B", "RUN-C", "WITHDRAWN-A")]
    assert manifest["scored"] == ["RUN-A", "RUN-B", "RUN-C"]


def test_a_run_withdrawn_from_a_copy_is_called_otherwise_than_those_withdrawn_before(
    frozen: Campaign, organiser: User
) -> None:
    with transaction.atomic():
        record_activity(actor=organiser, action="release.import", campaign=frozen, data={"names": []})
    Item.objects.create(topic=frozen.topics.all()[0], kind="answer", key=own_key("0" * 32, "WITHDRAWN-B"))
    for tag in ("larch9", "yew10"):
        gone = factories.run(frozen, tag, organiser)
        Run.objects.filter(pk=gone.pk).update(state=Run.State.WITHDRAWN)
    names = release_names(Snapshot(frozen))
    assert sorted(names.withdrawn.values()) == ["WITHDRAWN-A", "WITHDRAWN-C"]


def test_a_run_that_is_called_as_a_member_of_the_recipe_garbles_nothing(frozen: Campaign, organiser: User) -> None:
    for old, new in zip(TAGS, ("runs", "depth", "kind"), strict=True):
        Run.objects.filter(campaign=frozen, tag=old).update(tag=new, team="strategy")
    pool = frozen.pools.get()
    pool.recipe = {
        "strategy": "depth",
        "kind": "document",
        "kinds": [{"kind": "document", "depth": 3}],
        "topics": ["runs", "depth"],
        "runs": [["depth", "0" * 64], ["runs", frozen.runs.get(tag="runs").file]],
        "ranked": {"document": {"runs": [4, 1], "kind": [2, 0]}},
        "selection": {"recipe": {"strategy": "depth", "depth": 3}, "union": {"documents": 1, "file": "runs.tsv"}},
    }
    pool.save()
    names = {tag: name for name, tag, *_ in release_key(frozen).key}
    recipe = make_release(actor=organiser, campaign=frozen).manifest["pools"][0]["recipe"]
    runs = [[names["depth"], "0" * 64], [names["runs"], f"the file of {names['runs']}"]]
    assert recipe == {
        **pool.recipe,
        "runs": sorted(runs),
        "ranked": {"document": {names["runs"]: [4, 1], names["kind"]: [2, 0]}},
        "selection": {
            "recipe": {"strategy": "depth", "depth": 3},
            "union": {"documents": 1, "file": "a list that was uploaded"},
        },
    }


def test_the_manifest_names_every_file_and_no_clock(frozen: Campaign, organiser: User) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    assert names_in(release) == sorted(["manifest.json", *release.manifest["files"]])
    with release_archive(release) as file, zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert manifest == release.manifest
    assert (manifest["track"], manifest["as_of"], manifest["code_version"]) == (
        "adhoc",
        frozen_point(frozen),
        code_version(),
    )
    assert {"exports/qrels.txt", "exports/judgments.jsonl", "topics.jsonl", "scores/means.tsv", "agreement.tsv"} <= set(
        manifest["files"]
    )
    assert (manifest["pools"][0]["digest"], manifest["runs"][0]["file"]) == (
        frozen.pools.get().digest,
        "runs/RUN-A.txt",
    )


def test_only_a_frozen_campaign_is_released(campaign: Campaign, organiser: User) -> None:
    with pytest.raises(Conflict, match="Freeze it first"):
        make_release(actor=organiser, campaign=campaign)


def test_the_key_needs_no_scores_where_every_scored_run_was_submitted(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    scoring = replace(track_of(frozen).scoring, build=lambda *given: pytest.fail("the campaign was scored"))
    track = replace(track_of(frozen), scoring=scoring)
    monkeypatch.setattr("assess.campaigns.queries.registered_tracks", lambda: {track.key: track})
    campaign = Campaign.objects.get(pk=frozen.pk)
    assert track_of(campaign).scoring.runs is None
    assert {row[1] for row in release_key(campaign).key} == set(TAGS)


def test_a_published_release_is_final(frozen: Campaign, organiser: User) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    publish_release(actor=organiser, release=release)
    publish_release(actor=organiser, release=release)
    frozen.refresh_from_db()
    assert (frozen.state, Activity.objects.filter(action="release.publish").count()) == ("released", 1)
    other = factories.release(frozen, organiser)
    with pytest.raises(Conflict, match="published already"):
        publish_release(actor=organiser, release=other)


def test_a_release_of_before_the_campaign_was_opened_again_is_not_published(frozen: Campaign, organiser: User) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    unfreeze_campaign(actor=organiser, campaign=frozen, reason="one more topic")
    change_state(actor=organiser, campaign=frozen, state=Campaign.State.FROZEN)
    with pytest.raises(Conflict, match="was changed since"):
        publish_release(actor=organiser, release=release)


def test_a_big_one_is_made_by_the_worker(frozen: Campaign, organiser: User) -> None:
    work = Job.objects.create(campaign=frozen, kind="release", arguments={"with_runs": False}, started_by=organiser)
    do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, "every score checks out" in work.message) == ("done", True)
    assert Release.objects.count() == 1


def test_the_worker_tells_of_each_step_and_stops_at_any(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.jobs.progress.EVERY", 1)
    told: list[JobProgress] = []
    make_release(actor=organiser, campaign=frozen, progress=told.append)
    steps = Counter(each.note.split()[0] for each in told)
    assert (steps["scoring"], steps["checking"]) == (3, 1)
    assert steps["writing"] > steps["packing"] > 10  # in long files, too
    Release.objects.all().delete()
    Campaign.objects.filter(pk=frozen.pk).update(title="Hives")  # so that nothing of it is remembered
    for verb in ("writing", "packing", "checking"):

        def stop(progress: JobProgress, verb: str = verb) -> None:
            if progress.note.startswith(verb):
                raise Stopped

        with pytest.raises(Stopped):
            make_release(actor=organiser, campaign=frozen, progress=stop)
    assert not Release.objects.exists()


def test_the_worker_stops_making_a_release_that_nobody_wants(
    frozen: Campaign, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.jobs.progress.Watch.should_stop", lambda watch: True)
    work = Job.objects.create(campaign=frozen, kind="release", arguments={}, started_by=organiser)
    do_job(work.pk)
    work.refresh_from_db()
    assert (work.state, work.message) == ("stopped", "No release was made; start it again to make it.")
    assert not Release.objects.exists()


def test_labels_of_a_nugget_are_renamed_and_nothing_else_of_its_fields() -> None:
    fields = {"mine": "mine", "labels": {"mine": [14, "mine"], "other": [3, "other"]}}
    record = OwnedNugget(by="a", role="primary", topic="1", number=1, importance="vital", text="x", fields=fields)
    assert renamed(record, {"mine": "RUN-A"}).fields == {
        "mine": "mine",
        "labels": {"mine": [14, "RUN-A"], "other": [3, "other"]},
    }
    odd = replace(record, fields={"labels": "mine"})
    assert renamed(odd, {"mine": "RUN-A"}) == odd


def test_records_are_renamed_in_run() -> None:
    record = JudgedInstance(topic="1", run="mine", docno="D", correctness=1, distinct=True, text="mine")
    assert renamed(record, {"mine": "RUN-A"}).run == "RUN-A"
    assert renamed(record, {"mine": "RUN-A"}).text == "mine"
    assert renamed("mine", {"mine": "RUN-A"}) == "mine"


def test_items_of_one_response_alone_are_renamed_among_all_marks_of_a_topic() -> None:
    key = own_key("0" * 32, "mine")
    said = TopicMarks(topic="1", items={7: ("mine", "D", key), 8: ("a", "mine", "")}, marks=[], finished=[("a", "", 7)])
    items = {7: ("mine", "D", own_key("0" * 32, "RUN-A")), 8: ("a", "mine", "")}
    assert renamed(said, {"mine": "RUN-A"}) == replace(said, items=items)
    found = TopicMatches("1", {7: ("D", "mine", key), 8: ("mine", "a", "0" * 32)}, [(7, 1, 0)])
    items = {7: ("D", "mine", own_key("0" * 32, "RUN-A")), 8: ("mine", "a", "0" * 32)}
    assert renamed(found, {"mine": "RUN-A"}) == replace(found, items=items)


def test_a_kept_archive_opens_as_a_release(frozen: Campaign, organiser: User, tmp_path: Path) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    path = tmp_path / "release.zip"
    with release_archive(release) as kept:
        path.write_bytes(kept.read())
    with open_release(path) as opened:
        assert opened.manifest == release.manifest


def test_a_release_killed_while_it_is_written_leaves_nothing_that_the_next_run_refuses(
    frozen: Campaign, organiser: User, tmp_path: Path
) -> None:
    release = make_release(actor=organiser, campaign=frozen)
    places = tmp_path / "places"
    places.mkdir()
    child = os.fork()
    if child == 0:  # it is killed when it puts the files beside the folder
        shutil.move = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
        os._exit(unpack_release(release, places / "release") or 1)
    assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
    assert not (places / "release").exists()
    unpack_release(release, places / "release")
    assert [path.name for path in places.iterdir()] == ["release"]
    assert (places / "release" / "manifest.json").is_file()


def test_members_of_pools_are_written_in_the_order_of_an_index(frozen: Campaign) -> None:
    with CaptureQueriesContext(connection) as asked:
        rows = list(map(json.loads, release_files._pool_rows(frozen, {})))
    assert [(row["task"], row["key"]) for row in rows] == list(
        PoolItem.objects.filter(item__repeats=None).order_by("pool__task", "id").values_list("pool__task", "item__key")
    )
    members = [query["sql"] for query in asked if 'FROM "assess_poolitem"' in query["sql"]]
    assert len(members) == frozen.pools.count()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            plan = str(cursor.execute(f"EXPLAIN QUERY PLAN {members[0]}").fetchall())
        assert "pool_item_since" in plan and "TEMP B-TREE" not in plan, "what is sorted is held in memory"


def test_places_of_snippets_are_never_held_together(frozen: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    snippet = {"quote": "bees", "start": 3, "prefix": "", "suffix": "", "digest": "0"}
    rows = iter([(f"DOC-{number}", [snippet]) for number in range(100)])
    asked = MagicMock()
    found = asked.return_value.filter.return_value.order_by.return_value.values_list.return_value
    found.iterator.return_value = rows
    monkeypatch.setattr(release_files, "current_judgments", asked)
    lines = iter(release_files._anchors(Snapshot(frozen)))
    assert json.loads(next(lines)) == {"docno": "DOC-0", **snippet}
    assert len(list(rows)) == 99, "only one was read"
