"""Set up the demonstration campaign, show its scores, and serve it, as `make demo` does."""

from __future__ import annotations

import json
import secrets
import tempfile
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandParser

from assess.assignments.models import Assignment
from assess.base.private_files import create_private
from assess.base.wording import counted
from assess.campaigns.models import Campaign, Role
from assess.campaigns.queries import registered_tracks
from assess.judging.snapshots import Snapshot
from assess.management.command import ExampleCommand
from assess.management.commands.serve import require_free_port
from assess.organising.domain import change_state
from assess.people.domain.members import add_member
from assess.protocol import Track
from assess.scores.domain import score_campaign
from assess.work.domain import balance_work

FOLDERS = settings.BASE_DIR / "tests" / "data" / "tracks"
ASSESSORS = ("assessor-1", "assessor-2", "assessor-3", "assessor-4")
LOGINS = "demo-logins.txt"


class Command(ExampleCommand):
    """`manage.py demo --port 8000`: run the commands that an organiser types, one after another.

    Any track can be shown. The judgments of its last topic are left out, so that there is work to try.
    """

    help = "Loads a demonstration campaign, replays its judgments, scores it and serves it."
    example = "demo --track adhoc --port 8001"

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the arguments for the track and for the address."""
        parser.add_argument("--port", type=int, default=8000, help="the port of the site; default 8000")
        tracks = registered_tracks()
        parser.add_argument("--track", choices=tuple(tracks), default=next(iter(tracks)), help="whose campaign to show")
        parser.add_argument("--no-serve", action="store_true", help="set up and show the scores, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Set up what is missing. A second call finds everything in place and shows the scores within seconds."""
        if not options["no_serve"]:
            require_free_port("127.0.0.1", options["port"])
        call_command("migrate", verbosity=0)
        logins = self.make_people()
        track = registered_tracks()[options["track"]]
        slug = f"demo-{track.key}"
        if not Assignment.objects.filter(campaign__slug=slug).exists():
            self.load(track, slug)
        campaign = Campaign.objects.get(slug=slug)
        export = settings.DATA_DIR / f"{slug}-export"
        call_command("export", slug, str(export), stdout=self.stdout)
        self.show_scores(campaign)
        self.show_where(options["port"], logins, export)
        if not options["no_serve"]:
            call_command("serve", port=options["port"])

    def make_people(self) -> Path:
        """Create the accounts if one of them or their file is missing; those that exist get new passwords then. Return
        the path of the file with their random passwords, which its owner alone can read.
        """
        path = settings.DATA_DIR / LOGINS
        names = ["organiser", *ASSESSORS, "participant"]
        if User.objects.filter(username__in=names).count() == len(names) and path.exists():
            return path
        lines = []
        for name in names:
            password = secrets.token_urlsafe(9)
            user, _ = User.objects.get_or_create(username=name)
            user.is_staff = name == "organiser"
            user.set_password(password)
            user.save()
            lines.append(f"{name:12} {password}\n")
        with create_private(path) as file:
            file.write("".join(lines).encode())
        return path

    def load(self, track: Track, slug: str) -> None:
        """Load the files into a campaign, add its people, replay the recorded judgments, and hand out the remaining
        work.
        """
        folder, title = FOLDERS / track.key, f"{track.label} (demonstration)"
        call_command(
            "load_campaign",
            str(folder),
            track=track.key,
            slug=slug,
            title=title,
            organiser="organiser",
            stdout=self.stdout,
        )
        campaign = Campaign.objects.get(slug=slug)
        organiser = User.objects.get(username="organiser")
        for name in ASSESSORS:
            user = User.objects.get(username=name)
            add_member(actor=organiser, campaign=campaign, user=user, role=Role.ASSESSOR)
        participant = User.objects.get(username="participant")
        add_member(actor=organiser, campaign=campaign, user=participant, role=Role.PARTICIPANT, team="Harbor")
        change_state(actor=organiser, campaign=campaign, state=Campaign.State.JUDGING)
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as recorded:
            recorded.write(without_last_topic((folder / "judgments.jsonl").read_bytes()))
            recorded.flush()
            people = [f"{name}={name}" for name in ASSESSORS]
            call_command("import_judgments", slug, recorded.name, person=people, stdout=self.stdout)
        made = balance_work(actor=organiser, campaign=campaign)
        self.stdout.write(
            f"work: {counted(len(made), 'more assignment', 'more assignments')} handed out, for you to try"
        )

    def show_scores(self, campaign: Campaign) -> None:
        """Print the table of runs and measures, over the topics judged so far."""
        found = score_campaign(Snapshot(campaign))
        table = found.tables.of_topic().without_empty(rows=False)
        columns = [column for column in found.measures if column.key in table.values.columns]
        rows = [["run", *(column.label for column in columns)]]
        for scored in table.rows():
            values = [scored.value(column.key) for column in columns]
            rows.append([scored.name, *("-" if value is None else f"{value:.3f}" for value in values)])
        widths = [max(len(row[place]) for row in rows) + 2 for place in range(len(columns) + 1)]
        self.stdout.write("\nScores over the topics judged so far\n")
        for row in rows:
            cells = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
            self.stdout.write(row[0].ljust(widths[0]) + "".join(cells))

    def show_where(self, port: int, logins: Path, export: Path) -> None:
        """Print the addresses and who can log in."""
        self.stdout.write(f"\nExported files: {export}")
        self.stdout.write(f"Open            http://localhost:{port}/")
        self.stdout.write(f"Logins          (also in {logins})")
        self.stdout.write("".join(f"  {line}" for line in logins.read_text().splitlines(keepends=True)))


def without_last_topic(judgments: bytes) -> bytes:
    """Return the recorded judgments without those of the topic that a primary assessor judged last. Files may end with
    what second assessors said; it stays, so that there is something to adjudicate.
    """
    lines = judgments.splitlines(keepends=True)
    acts = [json.loads(line) for line in lines]
    last = [act["topic"] for act in acts if not act.get("role")][-1]
    return b"".join(line for line, act in zip(lines, acts, strict=True) if act["topic"] != last)
