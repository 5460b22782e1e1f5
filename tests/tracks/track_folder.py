"""A track's data folder as a campaign: loaded, judged, exported and scored by what the site itself calls.

tests/data/tracks/<key>/  a folder as `load_campaign` reads it (topics, docnos, lists, runs/good, documents)
    topics/bad, runs/bad  broken files, each with its issues beside it: <name>.issues.tsv, place severity code
    published/            the evaluation as it would be published, where the track reads that: topics, bundles, qrels
    published/bad         broken files of those kinds
    judgments.jsonl       what assessors said
    expected/             every export, and scores.tsv
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from django.contrib.auth.models import User
from django.core.management import call_command

from assess.exports.domain import export_campaign
from assess.exports.writing import MANIFEST
from assess.judging.snapshots import Snapshot
from assess.management import campaign_folder
from assess.models import Campaign
from assess.organising.domain import change_state
from assess.people.domain.members import add_member
from assess.protocol import CheckContext, JudgmentFile, RunBundle, Submission, TopicFile, TopicRecord, Track
from assess.protocol.files import topic_kind
from assess.replay.replaying import Replayed, import_judgments
from scoring.formats.judgments_jsonl import read_judgments
from scoring.records import Issue
from tracks.input_files import unknown_in_file

ROOT = Path(__file__).parent.parent / "data" / "tracks"
SCORES = "scores.tsv"
PLACES = ("topics", "runs", "published")

Kind = TypeVar("Kind", TopicFile, Submission, JudgmentFile | RunBundle)

WORDS = {
    "sentences": "rules",
    "mode": "strict",
    "rated_by": "snippets_ROUGE-L",
    "claims_twice": "first",
    "response_passages": "used",
    "conversion": "guidelines",
    "checks": "checker",
    "run_rules": "biogen-2025",
    "line_breaks": "kept",
}
"""Another value than the given one for each setting of a track whose value is a word."""


def folder_of(track: Track) -> Path:
    return ROOT / track.key


def broken_files(track: Track, place: str) -> list[Path]:
    """The broken files of a track's folder, without what is expected of them; none where there is no such folder."""
    folder = folder_of(track) / place / "bad"
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path for path in found if not path.name.endswith(".issues.tsv"))


def expected_issues(path: Path) -> list[str]:
    return path.with_name(f"{path.stem}.issues.tsv").read_text("utf-8").splitlines()


def issue_lines(issues: Iterable[Issue]) -> list[str]:
    """As they are expected: place, severity, code."""
    return [f"{issue.where}\t{issue.severity}\t{issue.code}" for issue in issues]


def kind_of(path: Path, kinds: Sequence[Kind]) -> Kind:
    """Which kind a broken file is: by "<key>-" or "<key>." before its name, by its name's pattern, else the first."""
    named = [kind for kind in kinds if path.name.startswith((f"{kind.key}-", f"{kind.key}."))]
    matching = [kind for kind in kinds if any(path.match(name.rsplit("/", 1)[-1]) for name in kind.file_names)]
    return [*named, *matching, *kinds][0]


def topic_paths(track: Track) -> list[tuple[TopicFile, Path]]:
    """The topic files of the track's folder, each with its kind."""
    found = []
    for path in campaign_folder.topic_files(folder_of(track), track):
        with path.open("rb") as stream:
            found.append((topic_kind(stream, name=path.name, kinds=track.topic_files), path))
    return found


def topic_records(track: Track) -> tuple[TopicRecord, ...]:
    """The topics of the folder as the site knows them: what supplements says is added."""
    records: dict[str, TopicRecord] = {}
    for kind, path in topic_paths(track):
        with path.open("rb") as stream:
            for record in kind.read(stream):
                assert isinstance(record, TopicRecord), (path, record)
                old = records.get(record.number) if kind.supplements else None
                records[record.number] = record if old is None else replace(old, fields={**old.fields, **record.fields})
    return tuple(records.values())


def docnos_of(track: Track) -> Path | None:
    return next(iter(campaign_folder.docno_files(folder_of(track))), None)


def issues_of(track: Track, path: Path, place: str) -> Iterator[Issue]:
    """What the track says of a broken file: of topics, of a run checked without a form, of published judgments."""
    docnos = docnos_of(track)
    context = CheckContext(
        topics=topic_records(track) if place != "topics" else (),
        settings=track.settings(),
        unknown_docnos=partial(unknown_in_file, docnos) if docnos is not None else None,
    )
    found: Iterable[object]
    if place == "topics":
        found = list(kind_of(path, track.topic_files).read(io.BytesIO(path.read_bytes())))
    elif place == "runs":
        found = kind_of(path, track.submissions).check(io.BytesIO(path.read_bytes()), context)
    else:
        kinds: list[JudgmentFile | RunBundle] = [*track.judgment_files, *track.bundles]
        kind = kind_of(path, kinds)
        found = kind.read([path], context) if isinstance(kind, JudgmentFile) else kind.split([path])
    return (each for each in found if isinstance(each, Issue))


def recorded(track: Track) -> bytes:
    return (folder_of(track) / "judgments.jsonl").read_bytes()


def load(track: Track, *, organiser: User, slug: str, folder: Path | None = None) -> Campaign:
    """The track's folder, or another, loaded by the command; the campaign is being judged."""
    command = ["load_campaign", str(folder or folder_of(track))]
    call_command(*command, track=track.key, slug=slug, organiser=organiser.username, stdout=io.StringIO())
    campaign = Campaign.objects.get(slug=slug)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
    return campaign


def judges(campaign: Campaign, *, organiser: User, content: bytes) -> dict[str, User]:
    """A member of the campaign for each pseudonym in recorded judgments, in the order of their numbers."""
    names = {act.by for act in read_judgments(io.BytesIO(content)) if not isinstance(act, Issue)}
    people = {}
    for name in sorted(names, key=lambda name: (len(name), name)):
        people[name], _ = User.objects.get_or_create(username=name)
        add_member(actor=organiser, campaign=campaign, user=people[name], role="assessor")
    return people


def replay(campaign: Campaign, *, organiser: User, content: bytes) -> Replayed:
    people = judges(campaign, organiser=organiser, content=content)
    return import_judgments(actor=organiser, campaign=campaign, stream=io.BytesIO(content), people=people)


def exported(campaign: Campaign, *, organiser: User) -> dict[str, bytes]:
    """What the command for exports writes, but for the manifest, which holds the ledger point."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "export"
        export_campaign(actor=organiser, snapshot=Snapshot(campaign), folder=folder)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != MANIFEST}


def scored(campaign: Campaign) -> bytes:
    """What the command for scores prints."""
    out = io.StringIO()
    call_command("score", campaign.slug, stdout=out)
    return out.getvalue().encode()
