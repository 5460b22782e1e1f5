"""Loading a release: all of it or nothing, whatever its files say; work that changed hands keeps its words."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from assess.domain.campaigns.campaigns import change_state
from assess.domain.errors import Invalid, Refused
from assess.domain.judging.judgments import JudgmentInput, record_judgment
from assess.domain.releases.releasing import make_release, unpack_release, write_zip
from assess.domain.work.assignments import create_assignment, open_assignment, return_assignment
from assess.models import Activity, Assignment, Campaign, Membership, Run
from nuggets.domain.release_import import import_release
from tests import factories
from tests.assess import judged_campaign as judging
from tests.tracks import track_folder
from tracks import find_track

pytestmark = pytest.mark.django_db


@pytest.fixture
def site(organiser: User, settings, tmp_path: Path) -> Campaign:
    """A small campaign of ranked runs, of which the first topic's author gave the work to somebody else half way."""
    settings.DATA_DIR = tmp_path / "data"
    track = find_track("adhoc")
    assert track is not None
    campaign = track_folder.load(track, organiser=organiser, slug="hives")
    people = [factories.member(campaign, name, "assessor") for name in ("zoe", "amy")]
    topic = campaign.topics.get(number="1")
    for place, person in enumerate(people):
        work = create_assignment(actor=organiser, campaign=campaign, topic=topic, stage="documents", assessor=person)
        open_assignment(actor=person, assignment=work)
        docnos = list(topic.items.order_by("key").values_list("docno", flat=True))
        for docno in docnos[:2] if place == 0 else docnos[2:]:
            judge(work, docno, 1 + place)
        if place == 0:
            return_assignment(actor=organiser, assignment=work)
    return change_state(actor=organiser, campaign=campaign, state=Campaign.State.FROZEN)


def judge(work: Assignment, docno: str, value: int) -> None:
    made = JudgmentInput(
        item=work.topic.items.get(docno=docno),
        criterion="relevance",
        value=value,
        client_key=judging.key(work.pk, docno, value),
    )
    record_judgment(actor=work.assessor, assignment=work, judgment=made)


@pytest.fixture
def folder(site: Campaign, organiser: User, tmp_path: Path) -> Path:
    unpack_release(make_release(actor=organiser, campaign=site), tmp_path / "release")
    return tmp_path / "release"


def sign(folder: Path, change: Callable[[dict], None] = lambda manifest: None) -> None:
    """The manifest's sums made right again, and the manifest changed."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    for name, entry in manifest["files"].items():
        content = (folder / name).read_bytes()
        entry.update(sha256=hashlib.sha256(content).hexdigest(), size=len(content))
    change(manifest)
    path.write_text(json.dumps(manifest))


def test_work_that_changed_hands_gives_the_same_exports(
    site: Campaign, folder: Path, organiser: User, tmp_path: Path
) -> None:
    copy = import_release(actor=organiser, path=folder, slug="copy")
    exported = track_folder.exported(copy, organiser=organiser)
    assert exported == {path.name: path.read_bytes() for path in (folder / "exports").iterdir()}
    assert len({line.split(b'"by": "')[1][:10] for line in exported["judgments.jsonl"].splitlines()}) == 2
    work = list(copy.assignments.order_by("id").values_list("assessor__username", "state"))
    assert work == [("assessor-1@copy", "returned"), ("assessor-2@copy", "started")]
    again = make_release(actor=organiser, campaign=copy)
    unpack_release(again, tmp_path / "again")
    for name in ("topics.jsonl", "items.jsonl", "pools.jsonl", "work.jsonl", "scores/means.tsv", "exports/qrels.txt"):
        same = (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
        assert (name, same or name == "scores/means.tsv") == (name, True)


def test_the_copy_is_frozen_and_nobody_can_log_in_as_its_assessors(folder: Path, organiser: User) -> None:
    copy = import_release(actor=organiser, path=folder, slug="copy", title="A copy")
    assert (copy.state, copy.title, copy.track) == ("frozen", "A copy", "adhoc")
    people = [seat.user for seat in Membership.objects.filter(campaign=copy, role="assessor").select_related("user")]
    assert {(person.is_active, person.has_usable_password()) for person in people} == {(False, False)}
    assert {run.tag for run in Run.objects.filter(campaign=copy)} == {"RUN-A", "RUN-B", "RUN-C"}
    assert Activity.objects.filter(campaign=copy, action="release.import").count() == 1


def test_the_command_loads_and_refuses(folder: Path, organiser: User) -> None:
    User.objects.create_superuser("boss")
    out = io.StringIO()
    call_command("import_release", str(folder), slug="copy", stdout=out)
    assert out.getvalue().startswith("copy: 4 topics, 3 runs, 2 pieces of work; frozen")
    with pytest.raises(CommandError, match="There is a campaign “copy” already"):
        call_command("import_release", str(folder), slug="copy", stdout=io.StringIO())
    with pytest.raises(CommandError, match="There is no file or folder"):
        call_command("import_release", "nowhere.zip", slug="other", stdout=io.StringIO())


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))
        sign(folder)

    return change


def unsigned(folder: Path) -> None:
    (folder / "items.jsonl").write_text("")


def another_track(folder: Path) -> None:
    sign(folder, lambda manifest: manifest.update(track="nothing-known"))


def another_setting(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["settings"].update(pool_depth=-1))


def a_run_elsewhere(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["runs"][0].update(file="../../../etc/passwd"))


def a_run_of_no_kind(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["runs"][0].update(submission="other"))


def two_runs_of_a_name(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["runs"].append(manifest["runs"][0]))


def an_enormous_priority(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["runs"][0].update(priority=10**30))


def a_team_that_is_no_text(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["runs"][0].update(team="\ud800"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (an_enormous_priority, "can't be stored"),
        (a_team_that_is_no_text, "can't be stored"),
        (unsigned, "does not check out"),
        (another_track, "There is no track"),
        (another_setting, "can't be used"),
        (a_run_elsewhere, "has no file"),
        (a_run_of_no_kind, "has no file"),
        (two_runs_of_a_name, "can't be stored"),
        (edit("topics.jsonl", '"ordinal": 1', '"ordinal": "1"'), "error"),
        (edit("items.jsonl", '"topic": "1"', '"topic": "99"'), "line 1 is of no topic"),
        (edit("items.jsonl", '"given": false', '"given": 0'), "is of another type"),
        (edit("items.jsonl", '"kind": "', '"kind": "' + "x" * 40), "characters"),
        (edit("pools.jsonl", '"key": "', '"key": "not-'), "no pool or no item"),
        (edit("work.jsonl", '"stage": "documents"', '"stage": "nothing"'), "has no stage"),
        (edit("work.jsonl", '"state": "started"', '"state": "won"'), "no piece of work"),
        (edit("exports/judgments.jsonl", '"value": 1', '"value": 77'), "not on the scale"),
        (edit("exports/judgments.jsonl", '"topic": "1"', '"topic": "77"'), "error"),
        (edit("exports/judgments.jsonl", "{", ""), "error"),
    ],
)
def test_what_is_wrong_is_refused_and_nothing_is_stored(
    change: Callable[[Path], None], words: str, folder: Path, organiser: User, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    change(broken)
    before = (Campaign.objects.count(), User.objects.count(), Assignment.objects.count())
    with pytest.raises(Refused) as refused:
        import_release(actor=organiser, path=broken, slug="copy")
    issues = " ".join(issue.message for issue in getattr(refused.value, "issues", ()))
    assert words in f"{refused.value.message} {issues}"
    assert (Campaign.objects.count(), User.objects.count(), Assignment.objects.count()) == before


def test_a_zip_with_damaged_bytes_is_refused(folder: Path, organiser: User, tmp_path: Path) -> None:
    with (tmp_path / "damaged.zip").open("w+b") as file:
        write_zip(folder, file)
        with zipfile.ZipFile(file) as archive:
            entry = archive.getinfo("topics.jsonl")
        file.seek(entry.header_offset + 30 + len(entry.filename))
        file.write(b"\xff" * entry.compress_size)
    with pytest.raises(Invalid, match="no zip that can be read"):
        import_release(actor=organiser, path=tmp_path / "damaged.zip", slug="copy")
    assert not Campaign.objects.filter(slug="copy").exists()
