"""A campaign says whether what is identical is judged once or each by itself: the same for every track with responses.

Each track's folder is loaded with one run more, `twin`, which returned what another run did, word for word.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from assess.base.errors import BadFile, Conflict
from assess.campaigns.queries import settings_of
from assess.judging.queries.stage_items import item_about
from assess.judging.snapshots import Snapshot
from assess.models import Campaign, Item
from assess.organising.domain import change_settings, change_state
from assess.protocol import Track
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release
from assess.scores.domain import explain_run, score_campaign
from scoring.folding import answer_key
from scoring.formats.judgments_jsonl import read_judgments, write_judgments
from scoring.own_items import own_key, run_of_key, shared_key
from scoring.records import Issue
from scoring.release.recorded_acts import AnswerFound, Classed, Judged, Matched, RecordedAct, Reviewed
from scoring.release.releases import EXPORTS
from tests import factories
from tests.pages import page_of
from tests.parts import WHOLE
from tests.tracks import track_folder
from tests.unpacked import unpack_release
from tracks import TRACKS
from tracks.__main__ import main

pytestmark = pytest.mark.slow

KEYS = ("tac2008-qa", "biogen2024", "ikat2023", "rag-nuggets", "context25")
OFFERED = {*KEYS, "aquaint-definition"}
TWINS = {
    "tac2008-qa": ("Harbor1.txt", "Twin1.txt"),
    "biogen2024": ("Heron.json", "Twin1.json"),
    "ikat2023": ("lamp_first.json", "Twin1.json"),
    "rag-nuggets": ("fern.jsonl", "Twin1.jsonl"),
    "context25": ("Ember.json", "Twin1.json"),
}
TWIN = "Twin1"
JUDGED = {"tac2008-qa": {"2.1", "2.2", "3.1", "3.3", "5.1", "6.3"}}
"""Topics whose judgments are replayed, where a few do: of each kind, whole, half judged, with a list that is open."""


@dataclass(frozen=True, kw_only=True)
class Judging:
    """A campaign with a twin, its folder, the run that the twin repeats, and how it is judged."""

    campaign: Campaign
    track: Track
    folder: Path
    first: str
    is_each: bool
    recorded: bytes


def track_named(key: str) -> Track:
    return next(track for track in TRACKS if track.key == key)


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database for the whole module, since a campaign takes seconds; it takes its rows back itself."""
    with django_db_blocker.unblock():
        yield


def with_twin(track: Track, folder: Path) -> str:
    """The track's folder with the twin, which has its own tag and team; the tag of the run that it repeats."""
    shutil.copytree(track_folder.folder_of(track), folder)
    name, twin = TWINS[track.key]
    source = folder / "runs" / "good" / name
    submission = track.submissions[-1] if track.key == "context25" else track.submissions[0]
    with source.open("rb") as file:
        first = submission.tag(file) if submission.tag is not None else None
        file.seek(0)
        content = b"".join(submission.rename(file, TWIN)) if submission.rename is not None else file.read()
    (source.parent / twin).write_bytes(content)
    first = first or source.name.split(".")[0]
    forms = folder / "runs" / "forms.json"
    if forms.is_file():
        said = json.loads(forms.read_text("utf-8"))
        said[TWIN] = said[source.name.split(".")[0]] | {"tag": TWIN, "team": "Twin"}
        forms.write_text(json.dumps(said), "utf-8")
    return first


WAYS = [*((key, True) for key in KEYS), ("biogen2024", False)]
"""Judged each by itself for every track, and once for one (in `make test-all` for two): tests of `judged`
(tests/tracks/conftest.py) are of all."""
if WHOLE:
    WAYS.append(("rag-nuggets", False))
RELEASED = WAYS if WHOLE else [("biogen2024", True), ("ikat2023", True), ("context25", True)]
"""Releases are made of sentences with citations, of turns, and of what is rated; what is judged once is in those of
tests/tracks/test_releases.py."""


@pytest.fixture(scope="module", params=WAYS, ids=str)
def judging(request: pytest.FixtureRequest, db: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judging]:
    """The track's recorded judgments on each response by itself, of which the twin's are worse; or on all at once."""
    key, is_each = request.param
    track, place = track_named(key), tmp_path_factory.mktemp("twin")
    first = with_twin(track, place / "folder")
    with override_settings(DATA_DIR=place), transaction.atomic():
        olga = factories.user("olga")
        command = ["load_campaign", str(place / "folder"), "--set", f"judge_each={'yes' if is_each else 'no'}"]
        call_command(*command, track=key, slug="twins", organiser="olga", stdout=io.StringIO(), stderr=io.StringIO())
        made = Campaign.objects.get(slug="twins")
        change_state(actor=olga, campaign=made, state=Campaign.State.JUDGING)
        said = (act for act in acts(made, track, first) if act.topic in JUDGED.get(key, {act.topic}))
        content = "".join(f"{line}\n" for line in write_judgments(said)).encode()
        track_folder.replay(made, organiser=olga, content=content)
        yield Judging(
            campaign=made, track=track, folder=place / "folder", first=first, is_each=is_each, recorded=content
        )
        transaction.set_rollback(True)


def acts(campaign: Campaign, track: Track, first: str) -> Iterator[RecordedAct]:
    """The recorded acts, each on every pooled item that it speaks of; the twin's own items are judged worse."""
    own: dict[tuple[str, str, str], list[str]] = {}
    items = Item.objects.filter(topic__campaign=campaign, repeats=None, pool_items__isnull=False)
    for topic, kind, key in items.values_list("topic__number", "kind", "key").order_by("key").distinct():
        own.setdefault((topic, kind, shared_key(key)), []).append(key)
    for act in read_judgments(io.BytesIO(track_folder.recorded(track))):
        assert not isinstance(act, Issue)
        if not isinstance(act, Judged | Classed | Matched | Reviewed) or isinstance(act, AnswerFound):
            yield act
            continue
        shared = act.key or answer_key(act.answer, act.docno)
        keys = [key for key in own.get((act.topic, kind_of(track, act), shared), ()) if run_of_key(key)]
        if not keys:
            yield act
        for key in keys:
            if run_of_key(key) != TWIN:
                yield replace(act, key=key)
            elif isinstance(act, Judged):
                yield replace(act, key=key, value=worst(track, act.criterion), evidence=())
            elif isinstance(act, Reviewed):
                yield replace(act, key=key)


def kind_of(track: Track, act: Judged | Classed | Matched | Reviewed) -> str:
    """The kind of the item that a recorded act speaks of: an answer of one sentence has the sentence's key."""
    stages = [stage for task in track.tasks for stage in task.stages]
    if isinstance(act, Judged):
        return next(stage.item_kind for stage in stages if act.criterion in {each.key for each in stage.criteria})
    work = "classes" if isinstance(act, Classed) else "matches"
    return next(stage.item_kind for stage in stages if stage.work.key == work)


def worst(track: Track, criterion: str) -> int:
    """The grade by which nothing is in a class or counts for a run."""
    stages = [stage for task in track.tasks for stage in task.stages]
    found = next(each for stage in stages for each in stage.criteria if each.key == criterion)
    values = {grade.name: grade.value for grade in found.grades}
    return values.get("unnecessary", values.get("no", min(values.values())))


def figures(content: str, run: str) -> dict[tuple[str, str], str]:
    """(topic, measure) -> the value of a run, of what scoring printed."""
    rows = [line.split("\t") for line in content.splitlines()]
    return {(row[1], row[2]): row[3] for row in rows if len(row) == 4 and row[0] == run}


def test_every_track_whose_items_belong_to_responses_offers_it_and_no_other() -> None:
    """ "A campaign says whether what is identical is judged once or each by itself (default: each for this track, once
    for the others)". Of ranked documents there is nothing that belongs to a response.
    """
    defaults = {track.key: track.settings().as_mapping().get("judge_each") for track in TRACKS}
    assert {key for key, value in defaults.items() if value is not None} == OFFERED
    assert {key for key, value in defaults.items() if value} == {"aquaint-definition"}
    kinds = {track.key: {kind for each in track.submissions for kind in each.own_kinds} for track in TRACKS}
    assert {key for key, found in kinds.items() if found} == set(KEYS)


def test_alike_things_are_an_item_for_each_response_or_one(judging: Judging) -> None:
    items = Item.objects.filter(topic__campaign=judging.campaign)
    runs = {run_of_key(key) for key in items.values_list("key", flat=True)}
    assert ({judging.first, TWIN} <= runs) is judging.is_each
    assert judging.is_each or runs == {""}


def test_files_and_site_give_the_same_figures(
    judging: Judging, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = track_folder.scored(judging.campaign).decode()
    for name, content in track_folder.exported(judging.campaign, organiser=olga()).items():
        (tmp_path / name).write_bytes(content)
    given = settings_of(judging.campaign).as_mapping()["judge_each"]
    runs = [str(path) for path in sorted((judging.folder / "runs" / "good").iterdir())]
    command = ["score", judging.track.key, "--gold", str(tmp_path), "--set", f"judge_each={'yes' if given else 'no'}"]
    assert main([*command, "--run", *runs]) == 0
    printed = capsys.readouterr().out
    assert sorted(printed.splitlines()) == sorted(found.splitlines())
    ours, theirs = figures(found, judging.first), figures(found, TWIN)
    assert ours, found[:300]
    assert (ours == theirs) is not judging.is_each


def test_an_explained_score_leads_to_the_item_of_its_own_run(judging: Judging) -> None:
    if not judging.is_each:
        return
    seen = set()
    scores = score_campaign(Snapshot(judging.campaign)).scores
    for run in (judging.first, TWIN):
        places = {(each.topic, each.measure) for each in scores if each.run == run and each.topic != "all"}
        explain, told = explain_run(Snapshot(judging.campaign), run), set()
        returned = judging.campaign.runs.get(tag=run)
        item_of = cache(partial(item_about, judging.campaign, run=returned))
        for topic, measure in sorted(places):
            if measure in told:
                continue
            explained = explain(topic, measure)
            abouts = [each for step in explained.steps for each in step.about if each is not None]
            for about in (each for each in abouts if each.kind == "item"):
                item = item_of(about)
                if item is not None and run_of_key(item.key):
                    seen.add(run)
                    told.add(measure)
                    assert run_of_key(item.key) == run, (topic, measure)
    assert seen == {judging.first, TWIN}


def test_what_was_said_is_exported_and_replayed_as_it_was(judging: Judging) -> None:
    files = track_folder.exported(judging.campaign, organiser=olga())
    assert said(files["judgments.jsonl"]) >= said(judging.recorded) != set()


def said(content: bytes) -> set[str]:
    """What was said of items by whomever, however each run spaced its words; marks and classes come back with more."""
    lines = [json.loads(line) for line in content.splitlines()]
    told = [line for line in lines if line["do"] in ("judge", "review")]
    for line in told:
        line["key"] = line.get("key") or answer_key(line["answer"], line["docno"])
    return {json.dumps(line | {"by": "", "answer": "", "evidence": []}, sort_keys=True) for line in told}


@pytest.mark.parametrize("judging", RELEASED, ids=str, indirect=True)
def test_a_release_tells_nobodys_runs_and_gives_the_same_again(judging: Judging, tmp_path: Path) -> None:
    with transaction.atomic():
        scores = sorted(repr(each.value) for each in score_campaign(Snapshot(judging.campaign)).scores)
        change_state(actor=olga(), campaign=judging.campaign, state=Campaign.State.FROZEN)
        unpack_release(make_release(actor=olga(), campaign=judging.campaign), tmp_path / "release")
        files = [path for path in (tmp_path / "release").rglob("*") if path.is_file()]
        assert [path for path in files if f"@{TWIN}".encode() in path.read_bytes()] == []
        assert any(b".1@" in path.read_bytes() for path in files) is judging.is_each
        copy = import_release(actor=olga(), path=tmp_path / "release", slug="copy")
        for name, content in track_folder.exported(copy, organiser=olga()).items():
            assert content == (tmp_path / "release" / EXPORTS / name).read_bytes(), name
        assert sorted(repr(each.value) for each in score_campaign(Snapshot(copy)).scores) == scores
        transaction.set_rollback(True)
    judging.campaign.refresh_from_db()


def test_a_recording_of_the_other_way_is_refused_with_the_setting_to_change(judging: Judging) -> None:
    lines = [json.loads(line) for line in judging.recorded.splitlines()]
    items = Item.objects.filter(topic__campaign=judging.campaign)
    kinds = {kind for each in judging.track.submissions for kind in each.own_kinds}
    known = {(item.topic.number, item.key) for item in items.filter(kind__in=kinds).select_related("topic")}
    keys = {
        id(line): line.get("key") or answer_key(line["answer"], line["docno"]) for line in lines if "answer" in line
    }
    said = next(
        line
        for line in lines
        if line["do"] in ("judge", "match") and (line["topic"], keys[id(line)]) in known and "role" not in line
    )
    key = keys[id(said)]
    other = said | {"key": shared_key(key) if judging.is_each else own_key(key, judging.first)}
    with transaction.atomic(), pytest.raises(BadFile) as refused:
        track_folder.replay(judging.campaign, organiser=olga(), content=json.dumps(other).encode() + b"\n")
    assert ["the same setting judge_each" in issue.message for issue in refused.value.issues] == [True]


def test_it_is_settled_once_runs_are_in_by_page_api_and_domain(judging: Judging, client: Client) -> None:
    olga_, other = olga(), not judging.is_each
    with pytest.raises(Conflict, match="judge_each can't be changed any more: runs are in"):
        change_settings(actor=olga_, campaign=judging.campaign, values={"judge_each": other})
    client.force_login(olga_)
    page = page_of(client.get(reverse("settings", args=["twins"])))
    assert "Judge each response by itself" in page
    answer = client.patch("/api/v1/campaigns/twins/settings/", {"settings": {"judge_each": other}}, "application/json")
    assert (answer.status_code, "can't be changed any more" in answer.json()["detail"]) == (409, True)
    with transaction.atomic():
        judging.campaign.runs.update(state="withdrawn")
        with pytest.raises(Conflict, match="items were pooled"):
            change_settings(actor=olga_, campaign=judging.campaign, values={"judge_each": other})
        transaction.set_rollback(True)
    judging.campaign.refresh_from_db()
    assert settings_of(judging.campaign).judge_each is judging.is_each


def olga() -> Any:
    return User.objects.get(username="olga")
