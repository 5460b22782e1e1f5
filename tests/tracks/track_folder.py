"""A track's data folder as a campaign: loaded, judged, exported and scored by what the site itself calls.

tests/data/tracks/<key>/  a folder as `load_campaign` reads it (topics, docnos, lists, runs/good, documents)
    topics/bad, runs/bad  broken files, each with its issues beside it: <name>.issues.tsv, line severity code
    judgments.jsonl       what assessors said
    expected/             every export, and scores.tsv
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterable
from pathlib import Path

from django.contrib.auth.models import User
from django.core.management import call_command

from assess.domain.campaigns import change_state
from assess.domain.exports import export_campaign
from assess.domain.people import add_member
from assess.models import Campaign
from assess.protocol import Track
from assess.queries.exports import MANIFEST
from nuggets.domain.replay import Replayed, import_judgments
from scoring.formats.judgments_jsonl import read_judgments
from scoring.records import Issue

ROOT = Path(__file__).parent.parent / "data" / "tracks"
SCORES = "scores.tsv"


def folder_of(track: Track) -> Path:
    return ROOT / track.key


def broken_files(track: Track, place: str) -> list[Path]:
    """The broken files of a track's folder, without what is expected of them."""
    folder = folder_of(track) / place / "bad"
    return sorted(path for path in folder.iterdir() if not path.name.endswith(".issues.tsv"))


def expected_issues(path: Path) -> list[str]:
    return path.with_name(f"{path.stem}.issues.tsv").read_text("utf-8").splitlines()


def issue_lines(issues: Iterable[Issue]) -> list[str]:
    """As they are expected: place, severity, code."""
    return [f"{issue.where}\t{issue.severity}\t{issue.code}" for issue in issues]


def recorded(track: Track) -> bytes:
    return (folder_of(track) / "judgments.jsonl").read_bytes()


def load(track: Track, *, organiser: User, slug: str) -> Campaign:
    """The track's folder, loaded by the command; the campaign is being judged."""
    command = ["load_campaign", str(folder_of(track))]
    call_command(*command, track=track.key, slug=slug, organiser=organiser.username, stdout=io.StringIO())
    campaign = Campaign.objects.get(slug=slug)
    change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
    return campaign


def judges(campaign: Campaign, *, organiser: User, content: bytes) -> dict[str, User]:
    """A member of the campaign for each pseudonym in recorded judgments, in the order of their numbers."""
    names = {deed.by for deed in read_judgments(io.BytesIO(content)) if not isinstance(deed, Issue)}
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
        export_campaign(actor=organiser, campaign=campaign, folder=folder)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != MANIFEST}


def scored(campaign: Campaign) -> bytes:
    """What the command for scores prints."""
    out = io.StringIO()
    call_command("score", campaign.slug, stdout=out)
    return out.getvalue().encode()
