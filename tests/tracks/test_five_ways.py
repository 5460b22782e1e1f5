"""The same of a run whichever way it is sent: `tracks check`, `check_run`, *Check only*, the API, submitting it.

"Participants should check their runs with this script before submitting them to NIST because the automatic submission
procedure will reject the submission if the script detects any errors" (TAC 2008 QA guidelines, III).
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse

from assess.campaigns.domain import create_campaign
from assess.management.campaign_folder import form_for, run_files, run_forms
from assess.models import Campaign, Run
from assess.protocol import RunForm, Submission, Track
from assess.protocol.files import TAG_FORMS
from assess.topics.domain.loading import load_topics
from scoring.reading.opening import open_input
from tests import factories
from tests.assess.commands import run_command
from tests.parts import WHOLE
from tests.tracks.track_folder import broken_files, docnos_of, expected_issues, folder_of, kind_of, topic_paths
from tracks import TRACKS
from tracks.__main__ import main

Row = tuple[str, ...]
Sent = tuple[Submission, Path, RunForm]
REFUSED = {*TAG_FORMS, "damaged-file"}
"""What submitting refuses at once: no report of it is kept."""
KEYS = ("where", "severity", "code", "message")


@pytest.fixture(params=TRACKS, ids=lambda track: track.key)
def site(request: pytest.FixtureRequest, db: None, tmp_path: Path) -> Iterator[Campaign]:
    """A campaign with the topics and valid docnos of the track's folder, and nothing else."""
    track: Track = request.param
    with override_settings(DATA_DIR=tmp_path):
        organiser = factories.user("organiser")
        campaign = create_campaign(actor=organiser, slug="site", title="Site", track=track.key)
        for kind, path in topic_paths(track):
            with path.open("rb") as stream:
                load_topics(actor=organiser, campaign=campaign, file_key=kind.key, stream=stream, name=path.name)
        if (docnos := docnos_of(track)) is not None:
            run_command("load_docnos", campaign.slug, docnos)
        yield campaign


def said_of(path: Path, submission: Submission) -> RunForm:
    """A whole form for a broken file: what the file says of itself, and what fits the kind."""
    content = io.BytesIO(path.read_bytes())
    tag = (submission.tag(content) if submission.tag is not None else None) or ""
    content.seek(0)
    said = (submission.form(content) if submission.form is not None else None) or RunForm()
    tag = tag or said.tag or "Pier1"
    team, priority = said.team or "Pier", None
    if submission.priorities:
        priority = int(tag[-1]) if tag[-1] in "123" else 1
        team = tag[:-1] if tag[-1] in "123" and tag[:-1] else "Pier"
    fields = {each.key: each.choices[0][0] if each.choices else "x" for each in submission.fields}
    return RunForm(tag=tag, team=team[:50], priority=priority, automatic=said.automatic, fields=fields)


WAYS = ("check_run", "page", "api", "submit")


def sent(campaign: Campaign, client: Client, path: Path, submission: Submission, form: RunForm, way: str) -> list[Row]:
    """What a way says of the file: its problems by place, severity, code and message."""
    options = [f"--field={key}={value}" for key, value in form.fields.items()]
    options += [f"--tag={form.tag}", f"--team={form.team}", *([] if form.automatic else ["--manual"])]
    options += [f"--description={form.description}", f"--submission={submission.key}"]
    options += [f"--priority={form.priority}"] if form.priority is not None else []
    if way == "check_run":
        _, printed, _ = run_command("check_run", campaign.slug, path, *options)
        return [tuple(line.split("\t", 3)) for line in printed.splitlines()]
    if way == "submit":
        point = transaction.savepoint()
        _, _, told = run_command("submit_run", campaign.slug, path, "--as", "organiser", *options)
        run = Run.objects.order_by("-pk").first()
        rows = [tuple(str(row[key]) for key in KEYS) for row in run.report] if run else [("refused", told)]
        transaction.savepoint_rollback(point)
        return rows
    values = {"tag": form.tag, "team": form.team, "description": form.description, "submission": submission.key}
    values |= {"priority": str(form.priority)} if form.priority is not None else {}
    values["automatic"] = "yes" if form.automatic else "no"
    file = SimpleUploadedFile(path.name, path.read_bytes())
    if way == "api":
        fields = json.dumps(dict(form.fields))
        checked = client.post(
            f"/api/v1/campaigns/{campaign.slug}/runs/check/", {**values, "fields": fields, "file": file}
        )
        return [tuple(str(row[key]) for key in KEYS) for row in checked.json()["issues"]]
    further = {f"field-{key}": value for key, value in form.fields.items()}
    page = client.post(reverse("run-new", args=[campaign.slug]), {**values, **further, "check": "yes", "file": file})
    report = page.context["report"]
    return [issue.as_row() for issue in report.issues] if report else [("refused", page.content.decode())]


def checked_by_file(track: Track, path: Path, submission: Submission, form: RunForm, capsys) -> list[Row]:
    said = {"tag": form.tag, "team": form.team, "description": form.description, **form.fields}
    said |= {"automatic": "yes" if form.automatic else "no"}
    said |= {"priority": str(form.priority)} if form.priority is not None else {}
    forms = [f"--form={key}={value}" for key, value in said.items()]
    topics = [argument for _, each in topic_paths(track) for argument in ("--topics", str(each))]
    docnos = docnos_of(track)
    valid = ["--docnos", str(docnos)] if docnos is not None else []
    main(["check", track.key, "--task", submission.tasks[0], *topics, *valid, *forms, str(path)])
    return [tuple(line.split("\t", 3)) for line in capsys.readouterr().out.splitlines()]


def shown(rows: list[Row], most: int = 25) -> list[Row]:
    """What a report keeps of many problems: the first errors, then the first warnings and notes."""
    others = [row for row in rows if row[1] != "error"]
    kept = [row for row in rows if row[1] == "error"][:most]
    return kept + sorted(others, key=lambda row: row[1] == "note")[:most]


def telling(paths: list[Path]) -> list[Path]:
    """Of the broken files those that show a problem which none before them shows; all of them in `make test-all`."""
    if WHOLE:
        return paths
    seen: set[str] = set()
    told = []
    for path in paths:
        codes = {line.split("\t")[2] for line in expected_issues(path)}
        if codes - seen:
            told.append(path)
        seen |= codes
    return told


def complete(form: RunForm, kind: Submission) -> RunForm:
    """The form with the tag that follows from team and priority where it has none."""
    return replace(form, tag=f"{form.team}{form.priority}") if kind.priorities and not form.tag else form


def differences(
    site: Campaign, client: Client, files: Sequence[Sent], capsys: pytest.CaptureFixture[str]
) -> dict[str, object]:
    """The ways that say something else of a file than `tracks check` does: what both say first. `make test` sends each
    file of a track another way than the one before.
    """
    track = site_track(site)
    differ: dict[str, object] = {}
    for number, (kind, path, form) in enumerate(files, TRACKS.index(track)):
        rows = checked_by_file(track, path, kind, form, capsys)
        for way in WAYS if WHOLE else (WAYS[number % len(WAYS)],):
            found, expected = sent(site, client, path, kind, form, way), rows if way == "check_run" else shown(rows)
            is_refused = bool(found) and found[0][0] == "refused"
            if found != expected and not (is_refused and any(row[2] in REFUSED for row in rows)):
                differ[f"{path.name} {way}"] = (expected[:3], found[:3])
    return differ


def site_track(site: Campaign) -> Track:
    """The track of the campaign."""
    (track,) = [each for each in TRACKS if each.key == site.track]
    return track


def test_every_way_says_the_same_of_every_file(
    site: Campaign, client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    client.force_login(User.objects.get(username="organiser"))
    track = site_track(site)
    forms = run_forms(folder_of(track))
    good = run_files(folder_of(track), track)
    good = good if WHOLE else list({kind.key: (kind, path) for kind, path in good}.values())
    files = [(kind, path, complete(form_for(path, forms, kind), kind)) for kind, path in good]
    bad = [(kind_of(path, track.submissions), path) for path in telling(broken_files(track, "runs"))]
    files += [(kind, path, complete(said_of(path, kind), kind)) for kind, path in bad]
    differ = differences(site, client, files, capsys)
    assert differ == {}, "\n".join(f"{way}: {said}" for way, said in differ.items())


TAGS = {
    "tac2008-qa": ("A" * 40 + "1", "A" * 41 + "1"),
    "aquaint-definition": ("a" * 40, "a" * 41),
    "biogen2024": ("b" * 64, "b" * 65),
    "ikat2023": ("c" * 100, "c" * 101),
    "rag-nuggets": ("d" * 100, "d" * 101),
    "adhoc": ("e" * 20, "e" * 21),
    "context25": ("f" * 20, "f" * 21),
}


def zstd(content: bytes) -> bytes:
    return zstandard.ZstdCompressor().compress(content)


HOSTILE: dict[str, Callable[[bytes], bytes]] = {
    "packed.gz": gzip.compress,
    "cut.gz": lambda content: gzip.compress(content)[:-9],
    "packed.zst": zstd,
    "cut.zst": lambda content: zstd(content)[:-3],
    "twice.gz": lambda content: gzip.compress(gzip.compress(content)),
    "none.gz": lambda content: gzip.compress(b""),
    "tail.gz": lambda content: gzip.compress(content) + b"and more",
    "two-members.gz": lambda content: gzip.compress(content[:99]) + gzip.compress(content[99:]),
    "gzip-alone": lambda content: b"\x1f\x8b",
    "mark-and-crlf": lambda content: b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"),
    "utf-16": lambda content: content.decode().encode("utf-16"),
    "latin-1": lambda content: content.replace(b"e", b"\xe9", 3),
    "nul": lambda content: content.replace(b" ", b"\0", 1),
    "escapes": lambda content: content.replace(b" ", b" \x1b]0;x\x07\xc2\x9b ", 2),
    "separators": lambda content: content.replace(b" ", b"\xe2\x80\xa8", 1).replace(b"\n", b"\x0b", 1),
    "blank-lines": lambda content: b"\n" * 30_000 + content,
    "long-line": lambda content: content + b"x" * 1_100_000,
    "again": lambda content: content + content,
    "brackets": lambda content: b"[" * 3_000,
}
SOME = ("packed.gz", "cut.gz", "packed.zst", "twice.gz", "mark-and-crlf")
"""What is made of a run for every track; the others in `make test-all`."""


def test_every_way_says_the_same_of_packed_and_hostile_files(
    site: Campaign, client: Client, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    client.force_login(User.objects.get(username="organiser"))
    track = site_track(site)
    kind, good = run_files(folder_of(track), track)[0]
    with open_input(good) as stream:
        content = stream.read()
    form = complete(form_for(good, run_forms(folder_of(track)), kind), kind)
    names = HOSTILE if WHOLE else SOME
    for name in names:
        (tmp_path / name).write_bytes(HOSTILE[name](content))
    differ = differences(site, client, [(kind, tmp_path / name, form) for name in names], capsys)
    assert differ == {}, "\n".join(f"{way}: {said}" for way, said in differ.items())


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_what_is_scored_and_converted_is_the_same_of_a_packed_run(
    track: Track, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    kind, good = run_files(folder_of(track), track)[0]
    with open_input(good) as stream:
        content = stream.read()
    topics = [argument for _, each in topic_paths(track) for argument in ("--topics", str(each))]
    gold = ["--gold", str(folder_of(track) / "expected")]
    calls = [["score", track.key, "--task", kind.tasks[0], *topics, *gold, "--run"]]
    if kind.convert is not None:
        calls.append(["convert", track.key, "--task", kind.tasks[0], *topics])
    for call in calls:
        said = set()
        for name, packed in (("Run", content), ("Run.gz", gzip.compress(content)), ("Run.zst", zstd(content))):
            (tmp_path / name).write_bytes(packed)
            status = main([*call, str(tmp_path / name)])
            said.add((status, capsys.readouterr().out))
        ((status, out),) = said
        assert (status, out != "") == (0, True)


@pytest.mark.parametrize("track", TRACKS, ids=lambda track: track.key)
def test_the_longest_tag_of_each_track_is_one_rule(track: Track) -> None:
    """TAC: 41 characters ("NISTAssessor1" is a team's ID and a priority); BioGen 64; where none is given, 20."""
    longest, longer = TAGS[track.key]
    for submission in track.submissions:
        assert (submission.tags.allows(longest), submission.tags.allows(longer)) == (True, False)
        assert not submission.tags.allows("=1+1")
