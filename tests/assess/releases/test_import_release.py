"""Loading a release: all of it or nothing, whatever its files say; work that changed hands keeps its words."""

# ruff: noqa: F811 - what pytest calls a fixture is an argument of the same name

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from assess.base.errors import Invalid, Refused
from assess.base.files import write_zip
from assess.models import Activity, Assignment, Campaign, Judgment, Membership, Run
from assess.protocol import Track
from assess.releases.domain.importing import import_release
from assess.releases.domain.releasing import make_release, release_key
from assess.runs.queries import run_names
from scoring.__main__ import main as scoring
from tests import factories
from tests.assess.releases.small_release import edit, folder, manifest, sign, site, store, twice  # noqa: F401
from tests.tracks import track_folder
from tests.unpacked import unpack_release
from tracks import find_track

pytestmark = pytest.mark.django_db


def test_work_that_changed_hands_gives_the_same_exports(folder: Path, organiser: User) -> None:
    copy = import_release(actor=organiser, path=folder, slug="copy")
    exported = track_folder.exported(copy, organiser=organiser)
    assert exported == {path.name: path.read_bytes() for path in (folder / "exports").iterdir()}
    assert len({line.split(b'"by": "')[1][:10] for line in exported["judgments.jsonl"].splitlines()}) == 2
    work = list(copy.assignments.order_by("id").values_list("assessor__username", "state"))
    assert work == [("assessor-1@copy", "returned"), ("assessor-2@copy", "started")]


def test_a_release_of_the_copy_is_the_same_but_for_what_says_where_it_was_made(
    folder: Path, organiser: User, tmp_path: Path
) -> None:
    sign(folder, lambda manifest: manifest.update(missing={"open-votes": 2}))
    sign(folder, lambda manifest: manifest["campaign"].update(time_zone="Europe/Vienna"))
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert copy.time_zone == "Europe/Vienna"
    key = release_key(copy).key
    assert [(name, tag) for name, tag, *_ in key] == [(name, name) for name in ("RUN-A", "RUN-B", "RUN-C")]
    assert all(team_name == team != "" for _, _, team_name, team, _ in key)
    unpack_release(make_release(actor=organiser, campaign=copy), tmp_path / "again")
    before, after = content_of(folder), content_of(tmp_path / "again")
    assert {name for name in {**before, **after} if before.get(name) != after.get(name)} == {
        "README.md",
        "croissant.json",
        "manifest.json",
        "ro-crate-metadata.json",
    }
    manifests = [json.loads(each["manifest.json"]) for each in (before, after)]
    assert [each.pop("campaign")["slug"] for each in manifests] == ["hives", "copy"]
    assert {name for name in manifests[0] if manifests[0][name] != manifests[1][name]} == {"as_of", "files"}


def test_which_documents_had_a_translation_is_told_without_its_text(
    site: Campaign, organiser: User, tmp_path: Path
) -> None:
    tag = Run.objects.filter(campaign=site)[0].tag
    docno = site.topics.get(number="1").items.all()[0].docno
    for language, tool in (("de", "NLLB-200"), ("fr", f"by {tag}")):
        site.translations.create(docno=docno, language=language, tool=tool, sha256="0" * 64, text="Bienen im Korb.")
    folder, again = tmp_path / "made", tmp_path / "again"
    unpack_release(make_release(actor=organiser, campaign=site), folder)
    told = [{"docno": docno, "language": each, "sha256": "0" * 64} for each in ("de", "fr")]
    lines = (folder / "translations.jsonl").read_text().splitlines()
    assert [json.loads(each) for each in lines] == [told[0] | {"tool": "NLLB-200"}, told[1] | {"tool": ""}]
    assert "shown with a translation" in (folder / "README.md").read_text()
    assert scoring(["verify", str(folder)]) == 0
    copy = import_release(actor=organiser, path=folder, slug="copy")
    assert list(copy.translations.values_list("language", "tool", "text")) == [("de", "NLLB-200", ""), ("fr", "", "")]
    unpack_release(make_release(actor=organiser, campaign=copy), again)
    assert (again / "translations.jsonl").read_text() == (folder / "translations.jsonl").read_text()
    for old, new in ((lines[1], lines[0]), ('"fr"', '"in French"')):
        bad = Path(shutil.copytree(folder, tmp_path / f"bad{len(old)}"))
        edit("translations.jsonl", old, new)(bad)
        with pytest.raises(Invalid, match=r"line|stands twice"):
            import_release(actor=organiser, path=bad, slug="bad")


def test_a_run_that_joins_the_copy_takes_a_name_that_is_free(folder: Path, organiser: User) -> None:
    copy = import_release(actor=organiser, path=folder, slug="copy")
    for tag in ("RUN-D", "RUN-E", "maple"):
        factories.run(copy, tag, organiser)
    names = run_names(copy).runs
    assert {tag: names[tag] for tag in ("RUN-A", "RUN-B", "RUN-C")} == {t: t for t in ("RUN-A", "RUN-B", "RUN-C")}
    assert {names[tag] for tag in ("RUN-D", "RUN-E", "maple")} == {"RUN-D", "RUN-E", "RUN-F"}


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_release_made_before_its_work_said_what_it_goes_on_with_is_loaded(folder: Path, organiser: User) -> None:
    path = folder / "work.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row.pop("after") for row in rows] == [0, 0]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sign(folder)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    exported = track_folder.exported(copy, organiser=organiser)
    assert exported == {path.name: path.read_bytes() for path in (folder / "exports").iterdir()}
    assert set(copy.assignments.values_list("taken_over", flat=True)) == {None}


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
    assert out.getvalue().startswith("copy: 4 topics, 3 runs, 2 assignments (with machine judges', ")
    assert out.getvalue().endswith("given back); frozen\n")
    with pytest.raises(CommandError, match="There is a campaign “copy” already"):
        call_command("import_release", str(folder), slug="copy", stdout=io.StringIO())
    with pytest.raises(CommandError, match="There is no file or folder"):
        call_command("import_release", "nowhere.zip", slug="other", stdout=io.StringIO())


def _asking(**more: Any) -> tuple[Track]:
    """The track of the release, as a later version might ask: of every grade this."""
    track = find_track("adhoc")
    assert track is not None
    (task,) = track.tasks
    (stage,) = task.stages
    scaled = [each.with_scale(track.settings()) for each in stage.criteria]
    asked = [
        replace(each, grades=tuple(replace(grade, **more) for grade in each.grades), evidence="", scale=None)
        for each in scaled
    ]
    return (replace(track, tasks=(replace(task, stages=(stage.asking(asked),)),)),)


STRICTER, TAKING_LESS = _asking(note="required", evidence="required"), _asking(note="none", evidence="none")


@pytest.mark.parametrize("asked", ["STRICTER", "TAKING_LESS"])
def test_what_was_judged_before_its_track_asked_for_more_is_loaded_as_it_was(
    asked: str, folder: Path, organiser: User, settings: Any
) -> None:
    settings.ASSAY_TRACKS = f"{__name__}.{asked}"
    edit("exports/judgments.jsonl", '"value": 1', '"note": "So it is.", "value": 1')(folder)
    copy = import_release(actor=organiser, path=folder, slug="copy")
    notes = {row.note for row in Judgment.objects.filter(assignment__campaign=copy)}
    assert notes == {"", "So it is."}


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: edit("exports/judgments.jsonl", '"value": 1', '"value": 77')(folder),
        lambda folder: edit("work.jsonl", '"stage": "documents"', '"stage": "gone"')(folder),
        lambda folder: sign(folder, lambda manifest: manifest["settings"].update(gone=1)),
    ],
    ids=["value", "stage", "setting"],
)
def test_a_refusal_of_what_another_version_released_names_that_version(
    change: Callable[[Path], None], folder: Path, organiser: User
) -> None:
    change(folder)
    sign(folder, lambda manifest: manifest.update(code_version="0.1.0+12345678"))
    with pytest.raises(Refused) as refused:
        import_release(actor=organiser, path=folder, slug="copy")
    assert "Version 0.1.0+12345678 of Assay made this release, and this is " in refused.value.message
    assert "load the release where that version is installed" in refused.value.message
    assert not Campaign.objects.filter(slug="copy").exists()
    with pytest.raises(Refused) as refused:
        import_release(actor=organiser, path=folder, slug="a copy")
    assert "of Assay made this release" not in refused.value.message


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


def two_pools_of_a_task(folder: Path) -> None:
    sign(folder, lambda manifest: manifest["pools"].append(manifest["pools"][0]))


def run(**said: Any) -> Callable[[Path], None]:
    return lambda folder: sign(folder, lambda manifest: manifest["runs"][0].update(said))


def about(**said: Any) -> Callable[[Path], None]:
    return lambda folder: sign(folder, lambda manifest: manifest["campaign"].update(said))


def recipe(**said: Any) -> Callable[[Path], None]:
    return lambda folder: sign(folder, lambda manifest: manifest["pools"][0]["recipe"].update(said))


def latin(folder: Path) -> None:
    (folder / "guidelines" / "1.md").write_bytes("Wörter".encode("latin-1"))
    sign(folder)


ENORMOUS = '"probability": 1.0, "stratum": "' + "x" * 10_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (unsigned, "items.jsonl: it has 0 bytes"),
        (another_track, "There is no track"),
        (another_setting, "can't be used"),
        (about(time_zone="Nowhere/At-All"), "manifest.json: campaign: there is no time zone “Nowhere/At-All”"),
        (about(title=7), "manifest.json: campaign: “title” must be text of at most 200 characters; it is 7"),
        (manifest(guidelines=0), "it has 1 files in guidelines/, and manifest.json says that there are 0"),
        (manifest(guidelines=-1), "manifest.json: “guidelines” must be a whole number from 0"),
        (manifest(guidelines=2), "it has no guidelines/2.md"),
        (manifest(missing={"x": "y"}), "manifest.json: “missing” holds what must be a whole number"),
        (latin, "guidelines/1.md: byte 2 is not UTF-8"),
        (a_run_elsewhere, "manifest.json: run 1: “file” is none of the release"),
        (a_run_of_no_kind, "manifest.json: run 1: “submission” is no kind of run"),
        (two_runs_of_a_name, "manifest.json: run 4 says the same as one before it"),
        (run(name="<script>alert(1)</script>"), "manifest.json: run 1: “name” must be text of at most 20 characters"),
        (run(name="<b>"), "manifest.json: run 1: “name” must be like RUN-A; it is '<b>'"),
        (run(team="Oak & Co"), "manifest.json: run 1: “team” must be like TEAM-A, or empty"),
        (run(team="\ud800"), "manifest.json: $.runs[0].team: The text has a NUL character or half of a surrogate pair"),
        (run(priority=10**30), "manifest.json: $.runs[0].priority: The number"),
        (run(priority=-1), "manifest.json: run 1: “priority” must be a whole number from 0 to 32,767, or null"),
        (run(automatic="no"), "manifest.json: run 1: “automatic” must be true or false"),
        (run(fields={"searched": "x"}), "manifest.json: run 1: “fields” says what the track's form does not ask"),
        (two_pools_of_a_task, "manifest.json: pool 2 says the same as one before it"),
        (recipe(runs=[["RUN-A"]]), "manifest.json: pool 1: “recipe” says a “runs” that holds what must be a list of 2"),
        (recipe(more=1), "manifest.json: pool 1: “recipe” must be an object with strategy, kind"),
        (recipe(selection={"recipe": {"strategy": "luck"}}), "“recipe” says a “selection” that says a “recipe” that"),
        (edit("topics.jsonl", '"ordinal": 1', '"ordinal": "1"'), "error"),
        (twice("topics.jsonl"), "comes twice"),
        (edit("items.jsonl", '"topic": "1"', '"topic": "99"'), "items.jsonl: line 1 is of no topic"),
        (edit("items.jsonl", '"given": false', '"given": 0'), "items.jsonl: line 1: “given” must be true or false"),
        (edit("items.jsonl", '"kind": "', '"kind": "' + "x" * 40), "“kind” must be text of at most 30 characters"),
        (edit("items.jsonl", '"fields": {', '"fields": {"a": 1, "a": 2'), "items.jsonl: line 1: “a” is given twice"),
        (twice("items.jsonl"), "says the same as one before it"),
        (edit("pools.jsonl", '"key": "', '"key": "not-'), "pools.jsonl: line 1 is of no pool or no item"),
        (edit("pools.jsonl", '"probability": 1.0', '"probability": 7'),
         "pools.jsonl: line 1: “probability” must be a number above 0 and up to 1; it is 7"),
        (edit("pools.jsonl", '"probability": 1.0', '"probability": 0'), "must be a number above 0"),
        (edit("pools.jsonl", '"probability": 1.0, "stratum": "', ENORMOUS),
         "pools.jsonl: line 1: “stratum” must be text of at most 50 characters; it is 'xxx"),
        (edit("pools.jsonl", '"place": null', '"place": 0'), "“place” must be a whole number from 1"),
        (twice("pools.jsonl"), "says the same as one before it"),
        (edit("work.jsonl", '"stage": "documents"', '"stage": "nothing"'), "has no stage"),
        (edit("work.jsonl", '"topic": "1"', '"topic": "99"'), "work.jsonl: line 1 is of no topic"),
        (edit("work.jsonl", '"state": "returned"', '"state": "won"'), "line 1: “state” must be one of open"),
        (edit("work.jsonl", '"state": "returned"', '"state": "done"'), "work.jsonl: line 2 hands out again"),
        (edit("work.jsonl", '"after": 0', '"after": -1'), "work.jsonl: line 1: “after” must be a whole number from 0"),
        (edit("work.jsonl", '"after": 0, ', '"more": 0, '), "is no object with topic, stage, by, role, state, after"),
        (edit("work.jsonl", '"by": "assessor-2"', '"by": "assessor-3"'), "assessor-2 has no work on “Grade"),
        (edit("work.jsonl", '"by": "assessor-1"', '"by": "boss"'), "work.jsonl: line 1: “by” must be like assessor-1"),
        (edit("exports/judgments.jsonl", '"by": "assessor-', '"by": "x'), "judgments.jsonl: line 1: “by” must be like"),
        (edit("exports/judgments.jsonl", '"value": 1', '"value": 77'), "not on the scale"),
        (edit("exports/judgments.jsonl", '"topic": "1"', '"topic": "77"'), "error"),
        (edit("exports/judgments.jsonl", "{", ""), "error"),
    ],
)  # fmt: skip
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
    assert "constraint" not in refused.value.message.lower()
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
